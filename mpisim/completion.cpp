// Completion of requests: waits, tests and probes, on the rank's own fiber.
#include <algorithm>

#include "mpisim/rank.hpp"

namespace mpisim::mpi {

using kernel::Bytes;
using kernel::SimTime;

void Rank::charge_wait(SimTime completion) {
  if (completion <= clock_ || in_strand()) return;
  ++result_.waits;
  result_.waited += completion - clock_;
}

/// A message whose data is complete at `completion` is handed over to the program.
void Rank::charge_receipt(network::NodeId sender_node, std::uint64_t bytes, bool eager, SimTime completion) {
  const Config& config = world_.options().config;
  const Bytes size(bytes);
  clock_ = kernel::max(clock_, world_.network().take_from(sender_node, node_, size, completion, adapter_));
  clock_ += config.receive_overhead;
  if (eager) clock_ += config.receive_copy * size;
}

void Rank::finish(Request& request) {
  request.active = false;
  request.awaited = false;
  charge_wait(request.completion);
  if (request.kind != Request::Kind::receive || request.peer == proc_null || request.cancelled) {
    clock_ = kernel::max(clock_, request.completion);
    return;
  }
  charge_receipt(request.sender_node, request.status.bytes, request.eager, request.completion);
}

void Rank::complete_all(std::span<Request* const> requests) {
  if (in_strand()) [[unlikely]] {
    complete_in_strand(*strands_->running, requests);
    return;
  }
  run_due_strands();
  if (world_.options().cancels) {
    for (Request* request : requests) request->committed = true;
    resolve_all();
  }
  pending_ = 0;
  for (Request* request : requests) {
    request->awaited = !request->known;
    pending_ += request->known ? 0U : 1U;
  }
  if (pending_ > 0) {
    any_ = requests;
    waiting_ = Waiting::all;
    progress_awaited();
    run_due_strands();
    if (pending_ > 0) block_here(Waiting::all);
    waiting_ = Waiting::nothing;
  }
  for (Request* request : requests) finish(*request);
}

SimTime Rank::earliest_known() const {
  SimTime earliest = SimTime::infinity();
  for (const Request* request : any_) {
    if (request->known) earliest = kernel::min(earliest, request->completion);
  }
  return earliest;
}

std::size_t Rank::complete_any(std::span<Request* const> requests) {
  run_due_strands();
  any_ = requests;
  pending_ = 0;
  for (Request* request : requests) {
    request->awaited = !request->known;
    pending_ += request->known ? 0U : 1U;
  }
  // With all known the order is decided; else nothing that is still to come may be earlier, nor what is here
  // but not decided.
  const bool undecided = !reactions_.empty() || world_.options().cancels;
  if (pending_ > 0 && (undecided || earliest_known() >= eit_)) block_here(Waiting::any);
  std::size_t first = requests.size();
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i]->awaited = false;
    if (!requests[i]->known) continue;
    if (first == requests.size() || requests[i]->completion < requests[first]->completion) first = i;
  }
  finish(*requests[first]);
  return first;
}

std::vector<std::size_t> Rank::complete_some(std::span<Request* const> requests) {
  const std::size_t first = complete_any(requests);
  // Others that are complete by now count too; to be sure of all of them the present must be safe.
  const bool all_known =
      std::all_of(requests.begin(), requests.end(), [](const Request* r) { return r->known; });
  const SimTime present = clock_;
  if (!all_known) ask_present();
  std::vector<std::size_t> done;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (i == first) {
      done.push_back(i);
    } else if (requests[i]->known && requests[i]->completion <= present) {
      finish(*requests[i]);
      done.push_back(i);
    }
  }
  return done;
}

std::vector<std::size_t> Rank::test(std::span<Request* const> requests, TestWhat what) {
  const auto undecided = [](const Request* r) { return !r->known; };
  const bool any_late = std::any_of(requests.begin(), requests.end(),
                                    [this](const Request* r) { return r->known && r->completion > clock_; });
  // Testall fails for sure if one is known to be late; otherwise what is not known may still turn out to be
  // complete.
  if (std::any_of(requests.begin(), requests.end(), undecided) && !(what == TestWhat::all && any_late))
    ask_present();
  const SimTime present = clock_;
  const auto complete = [present](const Request* r) { return r->known && r->completion <= present; };
  std::vector<std::size_t> done;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!complete(requests[i])) continue;
    if (what == TestWhat::any && !done.empty()) {
      if (requests[i]->completion < requests[done.front()]->completion) done.front() = i;
    } else {
      done.push_back(i);
    }
  }
  if (done.empty() || (what == TestWhat::all && done.size() < requests.size())) {
    fruitless_poll();
    return {};
  }
  for (const std::size_t i : done) finish(*requests[i]);
  return done;
}

bool Rank::is_complete(const Request& request) {
  if (!request.known) ask_present();
  if (request.known && request.completion <= clock_) return true;
  fruitless_poll();
  return false;
}

Message* Rank::probe(Communicator& comm, int source, int tag) {
  Request* request = make_request(Request::Kind::probe, comm, core::Plane::user);
  request->peer = source;
  request->one_source = source == any_source && comm.only_source(true) != any_source;
  request->tag = tag;
  request->active = true;
  request->posted = clock_;
  request->committed = in_strand();
  request->strand = in_strand() ? strands_->running : nullptr;
  ++unresolved_;
  queue(request->context).post(*request, decided_below(), rules(), *this);
  Request* const waited = request;
  complete_all({&waited, 1});
  Message* message = request->matched;
  free_request(request);
  return message;
}

Message* Rank::probe_now(Communicator& comm, int source, int tag) {
  const ContextId context = queue_context(comm, core::Plane::user);
  Message* message = nullptr;
  const int only = source == any_source ? comm.only_source(true) : source;
  if (only != any_source && !rules_.cancels) message = queue(context).first_from(only, tag);
  if (message == nullptr) {
    ask_present();
    message = queue(context).peek(source, tag, clock_);
  }
  if (message != nullptr && message->key.time <= clock_) return message;
  fruitless_poll();
  return nullptr;
}

}  // namespace mpisim::mpi
