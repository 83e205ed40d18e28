#include "simkernel/ideal_protocol.hpp"

#include <algorithm>
#include <functional>

namespace mpisim::kernel {

namespace {
[[noreturn]] void refuse() {
  throw WrongOrder(
      "the recorded order is not of this simulation: record it with the same program, arguments, machine, "
      "ranks "
      "and --compute");
}
}  // namespace

void IdealProtocol::prepare(Engine& engine) {
  progress_.assign(order_.lps(), {});
  engine.observe_arrivals(this);
}

void IdealProtocol::arrived(const Event& event) {
  if (event.destination >= order_.lps() || event.key.source == event.destination) return;
  Progress& progress = progress_[event.destination];
  const std::vector<SimTime>& times = order_.times(event.destination);
  progress.early.push_back(event.key.time);
  std::push_heap(progress.early.begin(), progress.early.end(), std::greater<>());
  while (!progress.early.empty()) {
    if (progress.next == times.size() || progress.early.front() < times[progress.next]) refuse();
    if (progress.early.front() > times[progress.next]) return;
    std::pop_heap(progress.early.begin(), progress.early.end(), std::greater<>());
    progress.early.pop_back();
    ++progress.next;
  }
}

SimTime IdealProtocol::eit(LpId lp) const {
  if (lp >= order_.lps()) return SimTime::infinity();
  const std::vector<SimTime>& times = order_.times(lp);
  const std::size_t next = progress_[lp].next;
  return next == times.size() ? SimTime::infinity() : times[next];
}

bool IdealProtocol::advance(Engine& engine) {
  if (engine.earliest_action().is_infinite()) return false;
  engine.list_undecided(due_);
  std::erase_if(due_, [this](const LogicalProcess* lp) { return Engine::question_of(*lp) >= eit(lp->id()); });
  // The heap's order depends on what came when; what LPs decide does not, but let runs repeat exactly.
  std::sort(due_.begin(), due_.end(), [](const auto* a, const auto* b) { return a->id() < b->id(); });
  for (LogicalProcess* lp : due_) {
    // What it will send itself is not in the recording.
    engine.advance_one(*lp, min(eit(lp->id()), engine.own_bound(*lp)));
  }
  return !due_.empty();
}

// Nothing is under way and somebody still waits for a recorded event.
void IdealProtocol::on_minimum(Engine&, SimTime) {
  refuse();
}

}  // namespace mpisim::kernel
