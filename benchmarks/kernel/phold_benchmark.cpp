// PHOLD (Fujimoto 1990): every LP begins with 4 events; an event goes to a random LP after the lookahead and
// a random time of the same mean. The floor runs the same events from one central heap, which no parallel
// protocol can.
#include <benchmark/benchmark.h>

#include <memory>
#include <queue>
#include <vector>

#include "simkernel/component_lp.hpp"
#include "simkernel/engine.hpp"
#include "simkernel/protocols.hpp"

namespace {

using namespace mpisim::kernel;

constexpr std::int64_t lookahead_ps = 10'000;
constexpr int population = 4;
constexpr std::int64_t total_events = 400'000;

struct Random {
  std::uint64_t state;
  std::uint64_t next() {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t z = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
    return z ^ (z >> 31);
  }
  std::int64_t delay() { return lookahead_ps + static_cast<std::int64_t>(next() % (2 * lookahead_ps)); }
};

class PholdLp final : public ComponentLp {
 public:
  PholdLp(Engine& engine, LpId id, LpId lps, std::int64_t& remaining)
      : ComponentLp(engine, id), lps_(lps), remaining_(remaining), random_{id} {}
  void start() {
    for (int i = 0; i < population; ++i) send(id(), SimTime::picoseconds(random_.delay()), new Event);
  }

 protected:
  void handle(Event* event) override {
    if (--remaining_ <= 0) {
      delete event;
      return;
    }
    const auto to = static_cast<LpId>(random_.next() % lps_);
    send(to, SimTime::picoseconds(random_.delay()), event);
  }

 private:
  LpId lps_;
  std::int64_t& remaining_;
  Random random_;
};

/// Range: LPs.
void phold(benchmark::State& state) {
  const auto count = static_cast<LpId>(state.range(0));
  std::int64_t handled = 0;
  for (auto _ : state) {
    std::int64_t remaining = total_events;
    Engine engine(EngineOptions{.lookahead = SimTime::picoseconds(lookahead_ps)}, nullptr);
    engine.place(std::vector<std::uint16_t>(count, 0));
    std::vector<std::unique_ptr<PholdLp>> lps;
    for (LpId id = 0; id < count; ++id) {
      lps.push_back(std::make_unique<PholdLp>(engine, id, count, remaining));
      engine.add(*lps.back());
      lps.back()->start();
    }
    const auto protocol = make_protocol("sequential", 1);
    benchmark::DoNotOptimize(engine.run(*protocol));
    handled += static_cast<std::int64_t>(engine.statistics().events);
  }
  state.SetItemsProcessed(handled);
}
BENCHMARK(phold)->Arg(64)->Arg(1024)->Arg(16384)->Unit(benchmark::kMillisecond);

void floor_phold(benchmark::State& state) {
  const auto later = [](const Event* a, const Event* b) { return b->key < a->key; };
  const auto count = static_cast<LpId>(state.range(0));
  std::int64_t handled = 0;
  for (auto _ : state) {
    std::int64_t remaining = total_events;
    std::vector<Random> randoms;
    std::vector<std::uint64_t> sequences(count);
    std::priority_queue<Event*, std::vector<Event*>, decltype(later)> queue(later);
    for (LpId id = 0; id < count; ++id) {
      randoms.push_back({id});
      for (int i = 0; i < population; ++i) {
        auto* event = new Event;
        event->key = {SimTime::picoseconds(randoms[id].delay()), id, ++sequences[id]};
        event->destination = id;
        queue.push(event);
      }
    }
    for (; !queue.empty(); ++handled) {
      Event* event = queue.top();
      queue.pop();
      if (--remaining <= 0) {
        delete event;
        continue;
      }
      const LpId here = event->destination;
      event->destination = static_cast<LpId>(randoms[here].next() % count);
      event->key = {event->key.time + SimTime::picoseconds(randoms[here].delay()), here, ++sequences[here]};
      queue.push(event);
    }
  }
  state.SetItemsProcessed(handled);
}
BENCHMARK(floor_phold)->Arg(64)->Arg(1024)->Arg(16384)->Unit(benchmark::kMillisecond);

}  // namespace
