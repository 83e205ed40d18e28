#include "simkernel/horizon_heap.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "simkernel/engine.hpp"

using namespace mpisim::kernel;

namespace {

class IdleLp final : public LogicalProcess {
 public:
  using LogicalProcess::LogicalProcess;
  SimTime now() const override { return SimTime::zero(); }
  void deliver(Event*) override {}
  Horizon horizon() const override { return {}; }
  void advance(SimTime) override {}
};

Horizon at(std::int64_t action) {
  return {SimTime::picoseconds(action), SimTime::picoseconds(action)};
}

/// What the heap should hold: (time, id), in order.
using Oracle = std::set<std::pair<SimTime, LpId>>;

struct Fixture {
  Engine engine{EngineOptions{}, nullptr};
  std::vector<std::unique_ptr<IdleLp>> lps;
  HorizonHeap heap;

  explicit Fixture(LpId count) {
    for (LpId id = 0; id < count; ++id) lps.push_back(std::make_unique<IdleLp>(engine, id));
  }
  std::vector<LpId> take(std::int64_t eit) {
    std::vector<LogicalProcess*> taken;
    heap.take_below(SimTime::picoseconds(eit), taken);
    std::vector<LpId> ids;
    for (const auto* lp : taken) ids.push_back(lp->id());
    return ids;
  }
};

}  // namespace

TEST_CASE("horizon heap: empty") {
  HorizonHeap heap;
  CHECK(heap.empty());
  CHECK(heap.size() == 0);
  CHECK(heap.smallest_action().is_infinite());
}

TEST_CASE("horizon heap: order by action, ties by id, bound is strict") {
  Fixture f(6);
  for (const LpId id : {5U, 3U, 1U}) f.heap.update(*f.lps[id], at(10));
  f.heap.update(*f.lps[0], at(20));
  f.heap.update(*f.lps[2], at(5));
  CHECK(f.heap.lps().front() == f.lps[2].get());
  CHECK(f.heap.smallest_action() == SimTime::picoseconds(5));
  CHECK(f.take(5).empty());
  CHECK(f.take(11) == std::vector<LpId>{2, 1, 3, 5});
  CHECK(f.take(20).empty());
  CHECK(f.take(21) == std::vector<LpId>{0});
  CHECK(f.heap.empty());
}

TEST_CASE("horizon heap: an infinite horizon removes, a question below an infinite action too") {
  Fixture f(2);
  f.heap.update(*f.lps[0], at(3));
  f.heap.update(*f.lps[0], Horizon{});
  CHECK(f.heap.empty());
  f.heap.update(*f.lps[0], Horizon{});
  CHECK(f.heap.empty());
  f.heap.update(*f.lps[1], Horizon{SimTime::picoseconds(1), SimTime::infinity()});
  CHECK(f.heap.empty());
}

TEST_CASE("horizon heap: a question that is safe is taken, however late its action") {
  Fixture f(3);
  f.heap.update(*f.lps[0], {SimTime::picoseconds(7), SimTime::picoseconds(900)});
  f.heap.update(*f.lps[1], {SimTime::picoseconds(8), SimTime::picoseconds(20)});
  f.heap.update(*f.lps[2], {SimTime::picoseconds(12), SimTime::picoseconds(12)});
  CHECK(f.heap.smallest_action() == SimTime::picoseconds(12));
  CHECK(f.heap.smallest_question() == SimTime::picoseconds(7));
  CHECK(f.take(9) == std::vector<LpId>{0, 1});
  CHECK(f.heap.smallest_action() == SimTime::picoseconds(12));
}

TEST_CASE("horizon heap: agrees with an oracle over random updates") {
  constexpr LpId count = 97;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    Fixture f(count);
    Oracle actions;
    Oracle questions;
    std::map<LpId, Horizon> present;
    std::mt19937_64 random(seed);
    const auto forget = [&](LpId id) {
      if (const auto it = present.find(id); it != present.end()) {
        actions.erase({it->second.action, id});
        questions.erase({it->second.question, id});
        present.erase(it);
      }
    };
    const auto first = [](const Oracle& oracle) {
      return oracle.empty() ? SimTime::infinity() : oracle.begin()->first;
    };
    for (int step = 0; step < 20'000; ++step) {
      const auto id = static_cast<LpId>(random() % count);
      if (const auto what = random() % 10; what < 7) {
        const auto question = static_cast<std::int64_t>(random() % 50);
        const auto action = question + static_cast<std::int64_t>(random() % 3 * (random() % 20));
        const Horizon horizon{SimTime::picoseconds(question), SimTime::picoseconds(action)};
        forget(id);
        actions.insert({horizon.action, id});
        questions.insert({horizon.question, id});
        present[id] = horizon;
        f.heap.update(*f.lps[id], horizon);
      } else if (what < 9) {
        forget(id);
        f.heap.update(*f.lps[id], Horizon{});
      } else {
        const auto eit = static_cast<std::int64_t>(random() % 12);
        std::vector<LpId> expected;
        while (first(questions) < SimTime::picoseconds(eit)) {
          expected.push_back(questions.begin()->second);
          forget(expected.back());
        }
        REQUIRE(f.take(eit) == expected);
      }
      REQUIRE(f.heap.size() == actions.size());
      REQUIRE(f.heap.smallest_action() == first(actions));
      REQUIRE(f.heap.smallest_question() == first(questions));
    }
  }
}
