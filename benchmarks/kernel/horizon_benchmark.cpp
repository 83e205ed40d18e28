// The heap of horizons: every LP moves to a later action and the earliest are taken, against
// std::priority_queue, which cannot move entries and needs none of the bookkeeping for it.
#include <benchmark/benchmark.h>

#include <memory>
#include <queue>
#include <random>
#include <vector>

#include "simkernel/engine.hpp"

namespace {

using namespace mpisim::kernel;

class IdleLp final : public LogicalProcess {
 public:
  using LogicalProcess::LogicalProcess;
  SimTime now() const override { return SimTime::zero(); }
  void deliver(Event*) override {}
  Horizon horizon() const override { return {}; }
  void advance(SimTime) override {}
};

/// Hold model: take the earliest, put it back a random time later.
void horizon_hold(benchmark::State& state) {
  const auto count = static_cast<LpId>(state.range(0));
  Engine engine(EngineOptions{}, nullptr);
  HorizonHeap heap;
  std::vector<std::unique_ptr<IdleLp>> lps;
  std::mt19937_64 random(7);
  for (LpId id = 0; id < count; ++id) {
    lps.push_back(std::make_unique<IdleLp>(engine, id));
    const auto at = SimTime::picoseconds(static_cast<std::int64_t>(random() % 1'000'000));
    heap.update(*lps.back(), {at, at});
  }
  std::vector<LogicalProcess*> taken;
  for (auto _ : state) {
    const SimTime first = heap.smallest_action();
    taken.clear();
    heap.take_below(first + SimTime::picoseconds(1), taken);
    for (LogicalProcess* lp : taken) {
      const auto at = first + SimTime::picoseconds(1 + static_cast<std::int64_t>(random() % 1'000'000));
      heap.update(*lp, {at, at});
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(horizon_hold)->Arg(64)->Arg(1024)->Arg(65536);

void floor_horizon_hold(benchmark::State& state) {
  using Entry = std::pair<std::int64_t, LpId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  std::mt19937_64 random(7);
  for (LpId id = 0; id < static_cast<LpId>(state.range(0)); ++id)
    queue.emplace(static_cast<std::int64_t>(random() % 1'000'000), id);
  for (auto _ : state) {
    const Entry first = queue.top();
    queue.pop();
    queue.emplace(first.first + 1 + static_cast<std::int64_t>(random() % 1'000'000), first.second);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(floor_horizon_hold)->Arg(64)->Arg(1024)->Arg(65536);

}  // namespace
