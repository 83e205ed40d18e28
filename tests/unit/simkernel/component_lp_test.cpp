#include "simkernel/component_lp.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "toy_models.hpp"

using namespace mpisim::kernel;
using namespace mpisim::kernel::toys;
using namespace mpisim::kernel::literals;

namespace {

/// Records, and sends itself a follower of every event whose number is odd.
class Recorder final : public ComponentLp {
 public:
  using ComponentLp::ComponentLp;
  Trace trace;

 protected:
  void handle(Event* event) override {
    const auto number = static_cast<NumberEvent*>(event)->number;
    trace.push_back({now(), event->key, number});
    free_number(event);
    if (number % 2 == 1) send(id(), 1_ps, make_number(number - 1));
  }
};

Event* incoming(std::int64_t time, LpId source, std::uint64_t sequence, std::uint64_t number = 0) {
  Event* event = make_number(number);
  event->key = {SimTime::picoseconds(time), source, sequence};
  return event;
}

}  // namespace

TEST_CASE("component: events are handled in the order of their keys, however they arrive") {
  std::vector<EventKey> keys;
  for (int time : {3, 5, 5, 9}) {
    for (LpId source = 1; source < 4; ++source)
      keys.push_back({SimTime::picoseconds(time), source, keys.size() + 1});
  }
  std::sort(keys.begin(), keys.end());
  for (unsigned seed = 0; seed < 20; ++seed) {
    Engine engine(EngineOptions{}, nullptr);
    engine.place({0});
    Recorder lp(engine, 0);
    auto shuffled = keys;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(seed));
    for (const auto& key : shuffled) lp.deliver(incoming(key.time.ps(), key.source, key.sequence));
    CHECK(lp.horizon().question == 3_ps);
    CHECK(lp.horizon().action == 3_ps);
    lp.advance(100_ps);
    REQUIRE(lp.trace.size() == keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) CHECK(lp.trace[i].key == keys[i]);
    CHECK(lp.horizon().action.is_infinite());
  }
}

TEST_CASE("component: advance is strict and the clock is the event's time") {
  Engine engine(EngineOptions{}, nullptr);
  engine.place({0});
  Recorder lp(engine, 0);
  lp.deliver(incoming(10, 1, 1));
  lp.deliver(incoming(20, 1, 2));
  lp.advance(10_ps);
  CHECK(lp.trace.empty());
  CHECK(lp.now() == SimTime::zero());
  lp.advance(11_ps);
  REQUIRE(lp.trace.size() == 1);
  CHECK(lp.trace[0].time == 10_ps);
  CHECK(lp.now() == 10_ps);
  CHECK(lp.horizon().action == 20_ps);
  lp.advance(SimTime::infinity());
  CHECK(lp.trace.size() == 2);
}

TEST_CASE("component: what it sends itself below the bound is handled at once") {
  Engine engine(EngineOptions{.lookahead = 50_ps}, nullptr);
  engine.place({0});
  Recorder lp(engine, 0);
  engine.add(lp);
  lp.deliver(incoming(10, 1, 1, 5));
  lp.deliver(incoming(12, 1, 2, 4));
  lp.advance(12_ps);
  REQUIRE(lp.trace.size() == 2);
  CHECK(lp.trace[1].key == EventKey{11_ps, 0, 1});
  CHECK(lp.trace[1].number == 4);
  lp.advance(13_ps);
  CHECK(lp.trace.size() == 3);
}
