// When a library that makes progress only inside MPI calls (Progress::in_calls) reacts to a message.
//
// A reaction happens at the first instant, from its cause on, at which the rank is inside a call. Its cause
// may lie before the rank's present (the rank ran ahead: then the past calls tell), inside the present call,
// or in its future. In the last case it happens at its cause if the rank is still inside the same call then:
// certain if the rank is blocked until the very request completes, or once the kernel guarantees that nothing
// earlier can wake it; else it is looked at again when the call ends and when the next begins.
#include <algorithm>

#include "mpisim/rank.hpp"

namespace mpisim::mpi {

using kernel::SimTime;

namespace {

/// The request of the program's that this one is or belongs to.
const Request& of_program(const Request& request) {
  return request.strand != nullptr ? request.strand->whole() : request;
}

}  // namespace

void Rank::progress(const Reaction& reaction) {
  if (world_.options().config.progress == Progress::asynchronous) {
    send_reaction(reaction, reaction.time);
    return;
  }
  // A past call, the first that ends at the cause or later.
  if (calls_) {
    for (const CallInterval& call : *calls_) {
      if (call.exit < reaction.time) continue;
      send_reaction(reaction, kernel::max(call.enter, reaction.time));
      return;
    }
  }
  const bool ended = result_.ended;  // a finished program's library is taken to serve what is left
  if (ended || (call_depth_ > 0 && reaction.time <= program_clock())) {
    send_reaction(reaction, ended ? kernel::max(reaction.time, result_.finish)
                                  : kernel::max(call_start_, reaction.time));
    return;
  }
  const auto awaited = [&] {
    if (reaction.request == nullptr) return false;
    const Request& whole = of_program(*reaction.request);
    return whole.awaited || whole.committed;
  };
  if (waiting_ == Waiting::all && awaited()) {
    send_reaction(reaction, reaction.time);
    return;
  }
  reactions_.push_back(reaction);
  // Nobody waits for the receive of an eager message any more: it may be gone before its sender is answered.
  const Message* const message = reaction.message;
  if (message != nullptr && static_cast<MessageKind>(message->kind) == MessageKind::answer &&
      message->transfer == Transfer::eager)
    reactions_.back().request = nullptr;
  if (state() != State::running) horizon_changed();
}

void Rank::progress_at_entry() {
  std::vector<Reaction> due;
  std::erase_if(reactions_, [&](const Reaction& reaction) {
    if (reaction.time > call_start_) return false;
    due.push_back(reaction);
    return true;
  });
  for (const Reaction& reaction : due) send_reaction(reaction, call_start_);
}

void Rank::progress_awaited() {
  std::vector<Reaction> due;
  std::erase_if(reactions_, [&](const Reaction& reaction) {
    if (reaction.request == nullptr || !of_program(*reaction.request).awaited) return false;
    due.push_back(reaction);
    return true;
  });
  for (const Reaction& reaction : due) send_reaction(reaction, kernel::max(call_start_, reaction.time));
}

void Rank::remember_call() {
  // Nothing can react to the past before the guarantee of the kernel.
  if (!calls_) calls_ = std::make_unique<std::deque<CallInterval>>();
  while (!calls_->empty() && calls_->front().exit < eit_) calls_->pop_front();
  // Before reactions are sent: what they cause at this rank itself looks for the call that it falls into.
  calls_->push_back({call_start_, clock_});
  if (world_.options().cancels) resolve_all();
  progress_below(clock_ + SimTime::picoseconds(1));
  // With sends that may be cancelled others can ask for an answer at any time.
  if (unresolved_ == 0 && !rules_.cancels) calls_->clear();
}

void Rank::progress_below(SimTime limit) {
  std::vector<Reaction> due;
  std::erase_if(reactions_, [&](const Reaction& reaction) {
    if (reaction.time >= limit) return false;
    due.push_back(reaction);
    return true;
  });
  for (const Reaction& reaction : due) send_reaction(reaction, kernel::max(call_start_, reaction.time));
}

// One by one in the order of time: a reaction may complete what the rank waits for, so that it leaves the
// call before the next.
void Rank::progress_certain() {
  while (!reactions_.empty()) {
    const SimTime next =
        std::min_element(reactions_.begin(), reactions_.end(), [](const Reaction& a, const Reaction& b) {
          return a.time < b.time;
        })->time;
    if (next >= certain_below()) return;
    progress_below(next + SimTime::picoseconds(1));
  }
}

void Rank::progress_after_end() {
  std::vector<Reaction> due;
  due.swap(reactions_);
  for (const Reaction& reaction : due) send_reaction(reaction, kernel::max(result_.finish, reaction.time));
}

}  // namespace mpisim::mpi
