#include "simkernel/engine.hpp"
#include "simkernel/protocols.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>
#include <vector>

#include "toy_models.hpp"

using namespace mpisim::kernel;
using namespace mpisim::kernel::toys;
using namespace mpisim::kernel::literals;

TEST_CASE("engine: lookahead below 1 ps is refused") {
  CHECK_THROWS_AS(Engine(EngineOptions{.lookahead = SimTime::zero()}, nullptr), std::invalid_argument);
}

TEST_CASE("engine: no LPs at all") {
  CHECK(run_sequentially(phold(0, 1_ns, 1_us)).outcome == Outcome::finished);
}

TEST_CASE("engine: ping-pong takes what its messages take") {
  const auto result = run_sequentially(scripts(2, 1_us, [](Script& self) {
    for (int i = 0; i < 100; ++i) {
      if (self.id() == 0) {
        self.send(1, 1_us, 2);
        self.receive_from(1);
      } else {
        self.receive_from(0);
        self.send(0, 1_us, 3);
      }
    }
  }));
  CHECK(result.outcome == Outcome::finished);
  REQUIRE(result.traces[0].size() == 100);
  // Per exchange two sends, two times the lookahead; receive calls overlap with the wait.
  CHECK(result.traces[0].back().time == (1_us + Actor::call_cost) * 200);
  CHECK(result.statistics.events == 200);
}

namespace {

/// Ends at once, with something left to decide; counts what it is asked.
class Leaver final : public ProcessLp {
 public:
  Leaver(Engine& engine, LpId id, bool has_question) : ProcessLp(engine, id), has_question_(has_question) {}
  void deliver(Event*) override {}
  Horizon horizon() const override {
    asked_before_start_ = asked_before_start_ || !started_;
    return has_question_ ? Horizon{1_us, 1_us} : Horizon{};
  }
  void advance(SimTime eit) override {
    decided_ = eit > 1_us;
    has_question_ = false;
  }
  bool decided() const { return decided_; }
  bool asked_before_start() const { return asked_before_start_; }

 protected:
  void run() override { started_ = true; }

 private:
  bool has_question_;
  bool started_ = false;
  bool decided_ = false;
  mutable bool asked_before_start_ = false;
};

}  // namespace

TEST_CASE("engine: processes that have ended still decide what they have left, and none before its start") {
  Engine engine({}, nullptr);
  engine.place({0, 0, 0});
  StackArena stacks(3, 128 << 10);
  std::vector<std::unique_ptr<Leaver>> leavers;
  for (LpId id = 0; id < 3; ++id) {
    leavers.push_back(std::make_unique<Leaver>(engine, id, id != 1));
    leavers.back()->prepare(stacks.stack(id));
  }
  engine.add(*leavers[0]);
  engine.add(*leavers[1]);
  engine.add(static_cast<LogicalProcess&>(*leavers[2]));
  CHECK(engine.live_processes() == 3);
  CHECK(engine.run(*make_protocol("sequential", 1, {})) == Outcome::finished);
  CHECK(leavers[0]->decided());
  CHECK_FALSE(leavers[1]->decided());
  CHECK(leavers[2]->decided());
  for (const auto& leaver : leavers) CHECK_FALSE(leaver->asked_before_start());
}

TEST_CASE("engine: components alone") {
  const auto result = run_sequentially(phold(10, 2_ns, 1_us));
  CHECK(result.outcome == Outcome::finished);
  std::size_t handled = 0;
  for (const auto& trace : result.traces) {
    handled += trace.size();
    for (std::size_t i = 1; i < trace.size(); ++i) REQUIRE(trace[i - 1].key < trace[i].key);
    for (const auto& record : trace) REQUIRE(record.time == record.key.time);
  }
  CHECK(handled > 1000);
  CHECK(result.statistics.events == handled);
  CHECK(numbers_alive() == 0);
}

TEST_CASE("engine: a receive from anyone takes the earliest, not the first that exists") {
  const auto result = run_sequentially(scripts(4, 1_ns, [](Script& self) {
    if (self.id() == 0) {
      for (int i = 0; i < 3; ++i) self.receive_any();
    } else {
      // Rank 1 runs first and sends what arrives last.
      self.compute(SimTime::picoseconds(1'000'000 / self.id()));
      self.send(0, 1_ns, self.id());
    }
  }));
  REQUIRE(result.traces[0].size() == 3);
  CHECK(result.traces[0][0].number == 3);
  CHECK(result.traces[0][1].number == 2);
  CHECK(result.traces[0][2].number == 1);
}

TEST_CASE("engine: ties in time are broken by source, then by sequence") {
  const auto result = run_sequentially(scripts(4, 1_ns, [](Script& self) {
    if (self.id() == 0) {
      for (int i = 0; i < 6; ++i) self.receive_any();
    } else {
      self.send(0, 10_ns, 1);
      self.send(0, 10_ns - Actor::call_cost, 2);  // arrives at the same instant
    }
  }));
  REQUIRE(result.traces[0].size() == 6);
  for (LpId i = 0; i < 6; ++i) {
    CHECK(result.traces[0][i].key.time == 11_ns);
    CHECK(result.traces[0][i].key.source == 1 + i / 2);
    CHECK(result.traces[0][i].number == 1 + i % 2);
  }
}

TEST_CASE("engine: polls see exactly what has arrived") {
  const auto result = run_sequentially(scripts(2, 1_ns, [](Script& self) {
    if (self.id() == 1) {
      self.send(0, 10_ns, 5);  // arrives at 11 ns
    } else {
      while (!self.poll()) {
      }
    }
  }));
  const Trace& trace = result.traces[0];
  REQUIRE(trace.size() == 11);
  CHECK(trace.back().number == 5);
  CHECK(trace.back().time == 11_ns);
}

TEST_CASE("engine: deadlock is told from the end") {
  const auto ring = [](Script& self) {
    self.receive_from((self.id() + 1) % 3);
    self.send((self.id() + 2) % 3, 1_ns, 1);
  };
  CHECK(run_sequentially(scripts(3, 1_ns, ring)).outcome == Outcome::deadlock);
  CHECK(run_sequentially(scripts(3, 1_ns, [](Script& self) {
          if (self.id() == 2) self.receive_any();
        })).outcome == Outcome::deadlock);
  CHECK(run_sequentially(scripts(3, 1_ns, [](Script&) {})).outcome == Outcome::finished);
}

TEST_CASE("engine: stop ends the run where it is") {
  const auto result = run_sequentially(scripts(3, 1_ns, [](Script& self) {
    if (self.id() == 1) {
      self.compute(50_ns);
      self.wait_until_safe();
      self.engine().stop();
      self.receive_any();
    }
    while (self.poll() || self.now() < 1_s) {
    }
  }));
  CHECK(result.outcome == Outcome::stopped);
  CHECK(result.traces[1].empty());
  CHECK_FALSE(result.traces[0].empty());
  CHECK(result.traces[0].back().time < 60_ns);
}

TEST_CASE("engine: an exception of a process comes out of run") {
  CHECK_THROWS_WITH(run_sequentially(scripts(2, 1_ns,
                                             [](Script& self) {
                                               if (self.id() == 1) throw std::runtime_error("no more");
                                             })),
                    "no more");
}

TEST_CASE("engine: safe time grows and never passes an action") {
  Engine engine(EngineOptions{.lookahead = 3_ns}, nullptr);
  engine.place({0, 0, 0});
  std::vector<Trace> traces(3);
  std::vector<std::unique_ptr<Phold>> lps;
  for (LpId id = 0; id < 3; ++id) {
    lps.push_back(std::make_unique<Phold>(engine, id, 3, 1_us, traces[id]));
    engine.add(*lps.back());
    lps.back()->start(2);
  }
  SimTime last;
  std::size_t calls = 0;
  engine.on_safe_time([&](SimTime time) {
    CHECK(time > last);
    last = time;
    ++calls;
  });
  const auto protocol = make_protocol("sequential", 1);
  CHECK(protocol->name() == "sequential");
  CHECK(engine.run(*protocol) == Outcome::finished);
  CHECK(calls > 10);
  CHECK(engine.safe_time() == last);
}

TEST_CASE("engine: lookahead changes nothing but the cost") {
  // The same delays under smaller and smaller declared lookahead.
  const auto with = [](SimTime declared) {
    Program program = scripts(6, declared, [](Script& self) {
      Random random(self.id());
      for (int i = 0; i < 50; ++i) {
        self.send(static_cast<LpId>((self.id() + 1 + random.below(5)) % 6), 20_ns, random.below(100));
        if (i % 3 == 2) self.poll();
        self.compute(SimTime::picoseconds(static_cast<std::int64_t>(random.below(9'000))));
      }
      while (self.now() < 3_us) self.poll(), self.compute(30_ns);
    });
    return run_sequentially(program);
  };
  const auto expected = with(20_ns);
  CHECK(expected.outcome == Outcome::finished);
  for (const SimTime declared : {10_ns, 1_ns, 1_ps}) CHECK(with(declared).same(expected));
}

namespace {

/// Answers whoever asks, after 1 us; refuses number 13.
class Echo final : public ComponentLp {
 public:
  Echo(Engine& engine, LpId id) : ComponentLp(engine, id) { make_immediate(); }

 protected:
  void handle(Event* event) override {
    const std::uint64_t number = static_cast<NumberEvent*>(event)->number;
    const LpId asker = event->key.source;
    free_number(event);
    if (number == 13) throw std::runtime_error("thirteen");
    send(asker, 1_us, make_number(number));
  }
};

/// Actors with a component each that answers them: actor 2 i asks component 2 i + 1.
Program askers(LpId actors, std::function<void(Script&)> body) {
  return {2 * actors, 1_ns, [body = std::move(body)](Engine& engine, LpId id, Trace& trace) {
            std::unique_ptr<LogicalProcess> lp;
            if (id % 2 == 0)
              lp = std::make_unique<Script>(engine, id, trace, body);
            else
              lp = std::make_unique<Echo>(engine, id);
            engine.add(*lp);
            return lp;
          }};
}

void ask(Script& self, std::uint64_t number) {
  self.send(self.id() + 1, 1_us, number);
  self.receive_from(self.id() + 1);
}

}  // namespace

TEST_CASE("engine: what a process alone waits for happens without a switch to the engine") {
  const auto hundred = [](Script& self) {
    for (int i = 0; i < 100; ++i) ask(self, 1);
  };
  const auto alone = run_sequentially(askers(1, hundred));
  CHECK(alone.outcome == Outcome::finished);
  CHECK(alone.statistics.resumes == 1);
  CHECK(alone.statistics.events == 200);
  REQUIRE(alone.traces[0].size() == 100);
  CHECK(alone.traces[0].back().time == (2_us + Actor::call_cost) * 100);
  // Others at work at the same time: the same history.
  const auto together = run_sequentially(askers(3, hundred));
  CHECK(together.statistics.resumes > 100);
  for (const std::size_t actor : {0, 2, 4}) {
    REQUIRE(together.traces[actor].size() == 100);
    for (std::size_t i = 0; i < 100; ++i) CHECK(together.traces[actor][i].time == alone.traces[0][i].time);
  }
}

TEST_CASE("engine: a process with little stack left does not lend it") {
  const auto result = run_sequentially(askers(1, [](Script& self) {
    const std::size_t usable = self.stack().usable();
    auto* most = static_cast<volatile std::byte*>(__builtin_alloca(usable - (std::size_t{48} << 10)));
    most[0] = std::byte{};
    for (int i = 0; i < 10; ++i) ask(self, 1);
  }));
  CHECK(result.outcome == Outcome::finished);
  CHECK(result.statistics.resumes == 11);
}

TEST_CASE("engine: what a handler throws on the stack of a process comes out of the run") {
  CHECK_THROWS_WITH(run_sequentially(askers(1,
                                            [](Script& self) {
                                              ask(self, 1);
                                              ask(self, 13);
                                            })),
                    "thirteen");
  CHECK(numbers_alive() == 0);
}
