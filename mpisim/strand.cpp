#include "mpisim/strand.hpp"

#include <utility>

#include "mpisim/rank.hpp"

namespace mpisim::mpi {

using kernel::SimTime;

namespace {

/// Beyond the keys of the rank's own messages, and of its reactions.
constexpr std::uint64_t strand_keys = std::uint64_t{3} << 62;
constexpr unsigned bits_of_sequence = 32;
/// Inside a strand there is the library's code only.
constexpr std::size_t stack_bytes = std::size_t{512} << 10;

}  // namespace

Strand::Strand(std::uint32_t number, Request& whole, Body body, std::unique_ptr<kernel::StackArena> stack,
               std::uintptr_t segment_base)
    : number_(number), whole_(whole), body_(std::move(body)), stack_(std::move(stack)) {
  fiber_.set_segment_base(segment_base);
  fiber_.prepare(stack_->stack(0), &Strand::run, this);
}

void Strand::run(void* self) {
  auto* strand = static_cast<Strand*>(self);
  try {
    strand->body_();
  } catch (...) {
    strand->failure_ = std::current_exception();
  }
  strand->body_ = nullptr;
  strand->ended_ = true;
  strand->fiber_.suspend(true);
  __builtin_unreachable();
}

void Strand::resume() {
  fiber_.resume();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

kernel::EventKey Strand::next_key(SimTime time, kernel::LpId rank) {
  const std::uint64_t mine = std::uint64_t{number_ & 0x3fffffffU} << bits_of_sequence;
  return {time, rank, strand_keys | mine | ++sequence_};
}

// --- of the rank ---

std::unique_ptr<kernel::StackArena> World::take_strand_stack() {
  if (strand_stacks_.empty()) return std::make_unique<kernel::StackArena>(1, stack_bytes);
  std::unique_ptr<kernel::StackArena> stack = std::move(strand_stacks_.back());
  strand_stacks_.pop_back();
  return stack;
}

void World::give_strand_stack(std::unique_ptr<kernel::StackArena> stack) {
  strand_stacks_.push_back(std::move(stack));
}

void Rank::start_strand(Request& whole, Strand::Body body) {
  if (!strands_) strands_ = std::make_unique<Strands>();
  const std::uint32_t number = ++strands_->started;
  auto strand = std::make_unique<Strand>(number, whole, std::move(body), world_.take_strand_stack(),
                                         environment_.segment_base());
  strand->context = {clock_, {}, collective_name_, collective_operation_, collective_root_};
  strands_->due.push_back(strand.get());
  strands_->live.emplace(number, std::move(strand));
  run_strands();
}

void Rank::exchange_context(Strand::Context& context) {
  std::swap(clock_, context.clock);
  std::swap(adapter_, context.adapter);
  std::swap(collective_name_, context.collective_name);
  std::swap(collective_operation_, context.collective_operation);
  std::swap(collective_root_, context.collective_root);
}

void Rank::run_strands() {
  while (!strands_->due.empty()) {
    Strand& strand = *strands_->due.front();
    strands_->due.pop_front();
    exchange_context(strand.context);
    clock_ = kernel::max(clock_, strand.goes_on);
    strands_->running = &strand;
    strand.resume();
    strands_->running = nullptr;
    exchange_context(strand.context);
    if (!strand.ended()) continue;
    known(strand.whole(), strand.context.clock);
    world_.give_strand_stack(strand.take_stack());
    strands_->live.erase(strand.number());
  }
}

void Rank::let_strand_go_on(Strand& strand, SimTime at) {
  // Without a wait for the program's next call the costs of what is complete begin one after the other.
  if (waits_for_calls()) strand.goes_on = at;
  strands_->due.push_back(&strand);
  make_ready();
}

void Rank::complete_in_strand(Strand& strand, std::span<Request* const> requests) {
  strand.pending = 0;
  strand.ready = clock_;
  for (Request* request : requests) {
    request->awaited = !request->known;
    if (request->known) {
      strand.ready = kernel::max(strand.ready, request->completion);
    } else {
      ++strand.pending;
    }
  }
  // Whether a message has come already says nothing about when the program lets the library look at it.
  const bool by_call = waits_for_calls();
  if (strand.pending == 0 && by_call) progress({strand.ready, nullptr, &strand.whole(), &strand});
  if (strand.pending > 0 || by_call) strand.suspend();
  for (Request* request : requests) finish(*request);
}

kernel::Event* Rank::ask_in_strand(Strand& strand) {
  strand.asks = true;
  strand.suspend();
  clock_ = kernel::max(clock_, strand.answer->key.time);
  return std::exchange(strand.answer, nullptr);
}

bool Rank::answer_strand(kernel::Event* event) {
  const std::uint32_t number = extension ? extension->asker(*event) : 0;
  if (number == 0) return false;
  Strand& strand = *strands_->live.at(number);
  strand.asks = false;
  strand.answer = event;
  progress({event->key.time, nullptr, &strand.whole(), &strand});
  return true;
}

}  // namespace mpisim::mpi
