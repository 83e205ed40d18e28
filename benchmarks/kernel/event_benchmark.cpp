// From a send to the handler, against a heap of the same events without LPs, promises and protocol.
#include <benchmark/benchmark.h>

#include <memory>
#include <queue>
#include <vector>

#include "simkernel/component_lp.hpp"
#include "simkernel/engine.hpp"
#include "simkernel/process_lp.hpp"
#include "simkernel/protocols.hpp"

namespace {

using namespace mpisim::kernel;

/// Passes every event on to the next LP until `remaining` is used up.
class Relay final : public ComponentLp {
 public:
  Relay(Engine& engine, LpId id, LpId next, std::int64_t& remaining)
      : ComponentLp(engine, id), next_(next), remaining_(remaining) {}
  void start(Event* event) { send(id(), SimTime::picoseconds(1), event); }

 protected:
  void handle(Event* event) override {
    if (--remaining_ > 0) {
      send(next_, SimTime::picoseconds(1000), event);
    } else {
      delete event;
    }
  }

 private:
  LpId next_;
  std::int64_t& remaining_;
};

/// Range: components in a ring, each with one event.
void event_component_ring(benchmark::State& state) {
  const auto lps_count = static_cast<LpId>(state.range(0));
  constexpr std::int64_t events = 200'000;
  for (auto _ : state) {
    std::int64_t remaining = events;
    Engine engine(EngineOptions{.lookahead = SimTime::picoseconds(1000)}, nullptr);
    engine.place(std::vector<std::uint16_t>(lps_count, 0));
    std::vector<std::unique_ptr<Relay>> lps;
    for (LpId id = 0; id < lps_count; ++id) {
      lps.push_back(std::make_unique<Relay>(engine, id, (id + 1) % lps_count, remaining));
      engine.add(*lps.back());
      lps.back()->start(new Event);
    }
    const auto protocol = make_protocol("sequential", 1);
    benchmark::DoNotOptimize(engine.run(*protocol));
  }
  state.SetItemsProcessed(state.iterations() * events);
}
BENCHMARK(event_component_ring)->Arg(16)->Arg(1024)->Arg(65536)->Unit(benchmark::kMillisecond);

void floor_event_component_ring(benchmark::State& state) {
  const auto later = [](const Event* a, const Event* b) { return b->key < a->key; };
  const auto count = static_cast<LpId>(state.range(0));
  constexpr std::int64_t events = 200'000;
  for (auto _ : state) {
    std::int64_t remaining = events;
    std::vector<std::uint64_t> sequences(count);
    std::priority_queue<Event*, std::vector<Event*>, decltype(later)> queue(later);
    for (LpId id = 0; id < count; ++id) {
      auto* event = new Event;
      event->key = {SimTime::picoseconds(1), id, ++sequences[id]};
      event->destination = id;
      queue.push(event);
    }
    while (!queue.empty()) {
      Event* event = queue.top();
      queue.pop();
      if (--remaining > 0) {
        const LpId here = event->destination;
        event->key = {event->key.time + SimTime::picoseconds(1000), here, ++sequences[here]};
        event->destination = (here + 1) % count;
        queue.push(event);
      } else {
        delete event;
      }
    }
  }
  state.SetItemsProcessed(state.iterations() * events);
}
BENCHMARK(floor_event_component_ring)->Arg(16)->Arg(1024)->Arg(65536)->Unit(benchmark::kMillisecond);

struct ChainedEvent : Event {
  ChainedEvent* next = nullptr;
};

/// Sends to its right neighbour and waits for its left one, `rounds` times: what a deterministic MPI program
/// asks of the kernel per message, without any MPI.
class RingProcess final : public ProcessLp {
 public:
  RingProcess(Engine& engine, LpId id, LpId next, int rounds)
      : ProcessLp(engine, id), next_(next), rounds_(rounds) {}
  void deliver(Event* delivered) override {
    auto* event = static_cast<ChainedEvent*>(delivered);
    (tail_ != nullptr ? tail_->next : head_) = event;
    tail_ = event;
    event->next = nullptr;
    if (waiting_) make_ready();
  }
  Horizon horizon() const override { return {}; }
  void advance(SimTime) override {}

 protected:
  void run() override {
    auto* event = new ChainedEvent;
    for (int round = 0; round < rounds_; ++round) {
      event->key = {clock_ + SimTime::picoseconds(1000), id(), next_sequence()};
      event->destination = next_;
      engine().send(event);
      if (head_ == nullptr) {
        waiting_ = true;
        block();
        waiting_ = false;
      }
      event = head_;
      head_ = event->next;
      if (head_ == nullptr) tail_ = nullptr;
      clock_ = max(clock_, event->key.time);
    }
    delete event;
  }

 private:
  LpId next_;
  int rounds_;
  bool waiting_ = false;
  ChainedEvent* head_ = nullptr;
  ChainedEvent* tail_ = nullptr;
};

void event_process_ring(benchmark::State& state) {
  const auto count = static_cast<LpId>(state.range(0));
  const int rounds = static_cast<int>(std::max<std::int64_t>(2, 400'000 / state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    StackArena stacks(count, std::size_t{1} << 20);
    Engine engine(EngineOptions{.lookahead = SimTime::picoseconds(1000)}, nullptr);
    engine.place(std::vector<std::uint16_t>(count, 0));
    std::vector<std::unique_ptr<RingProcess>> lps;
    for (LpId id = 0; id < count; ++id) {
      lps.push_back(std::make_unique<RingProcess>(engine, id, (id + 1) % count, rounds));
      lps.back()->prepare(stacks.stack(id));
      engine.add(*lps.back());
    }
    const auto protocol = make_protocol("sequential", 1);
    state.ResumeTiming();
    benchmark::DoNotOptimize(engine.run(*protocol));
  }
  state.SetItemsProcessed(state.iterations() * rounds * state.range(0));
}
BENCHMARK(event_process_ring)->Arg(2)->Arg(1024)->Arg(65536)->Unit(benchmark::kMillisecond);

}  // namespace
