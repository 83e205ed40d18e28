#include "simkernel/causality.hpp"

#include <catch2/catch.hpp>

#include "simkernel/protocols.hpp"
#include "toy_models.hpp"

using namespace mpisim::kernel;
using namespace mpisim::kernel::toys;
using namespace mpisim::kernel::literals;

static_assert(causality_checked, "the tests are built with the kernel's checks");

namespace {

/// Answers every event after less than the lookahead when `hasty`.
class Hasty final : public ComponentLp {
 public:
  Hasty(Engine& engine, LpId id, SimTime delay) : ComponentLp(engine, id), delay_(delay) {}
  void begin() { send(id(), 5_ns, make_number(0)); }

 protected:
  void handle(Event* event) override {
    free_number(event);
    send(1 - id(), delay_, make_number(1));
  }

 private:
  SimTime delay_;
};

/// Says that it acts late, and sends early, long before the rest of the simulation gets there.
class Liar final : public Actor {
 public:
  using Actor::Actor;
  Horizon horizon() const override { return {now(), id() == 0 ? 100_ns : now()}; }
  void advance(SimTime) override {}

 protected:
  void run() override {
    compute(1_ns);
    block();
    if (id() == 0) send(1, 10_ns, 0);
  }
};

}  // namespace

TEST_CASE("causality: an event below the lookahead names LPs and times") {
  Engine engine(EngineOptions{.lookahead = 10_ns}, nullptr);
  engine.place({0, 0});
  Hasty hasty(engine, 0, 9_ns);
  Hasty other(engine, 1, 10_ns);
  engine.add(hasty);
  engine.add(other);
  engine.register_codec(number_kind, std::make_unique<NumberCodec>());
  hasty.begin();
  const auto protocol = make_protocol("sequential", 1);
  try {
    engine.run(*protocol);
    FAIL("not noticed");
  } catch (const CausalityError& error) {
    CHECK_THAT(error.what(), Catch::Contains("LP 0 (host 0) sends LP 1 (host 0) event 2"));
    CHECK_THAT(error.what(), Catch::Contains("for 14000 ps"));
    CHECK_THAT(error.what(), Catch::Contains("safe time of the simulation is 5000 ps"));
    CHECK_THAT(error.what(), Catch::Contains("lookahead 10000 ps"));
  }
}

TEST_CASE("causality: a broken promise of one LP is noticed although nobody acted on it") {
  Engine engine(EngineOptions{.lookahead = 1_ns}, nullptr);
  engine.register_codec(number_kind, std::make_unique<NumberCodec>());
  engine.place({0, 0});
  Trace trace;
  StackArena stacks(2, 128 << 10);
  Liar liar(engine, 0, trace);
  Liar other(engine, 1, trace);
  for (Liar* lp : {&liar, &other}) {
    lp->prepare(stacks.stack(lp->id()));
    engine.add(*lp);
  }
  engine.run_ready();
  CHECK(engine.earliest_action() == 1_ns);
  liar.make_ready();
  CHECK_THROWS_WITH(engine.run_ready(),
                    Catch::Contains("LP 0") && Catch::Contains("action that it promised is 100000 ps"));
}

TEST_CASE("causality: a violation on one of several hosts ends them all") {
  const Program program{2, 10_ns, [](Engine& engine, LpId id, Trace&) {
                          auto lp = std::make_unique<Hasty>(engine, id, 9_ns);
                          engine.add(*lp);
                          lp->begin();
                          return lp;
                        }};
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    CHECK_THROWS_AS(run_conditionally(program, 2, seed, false), CausalityError);
}

TEST_CASE("causality: a process that waits for an event and goes on without one is noticed") {
  const Program program = scripts(2, 1_ns, [](Script& self) {
    if (self.id() == 1) {
      self.wait_until_safe();
      return;
    }
    self.receive_any();
  });
  CHECK(run_sequentially(program).outcome == Outcome::deadlock);

  class Sleeper final : public Actor {
   public:
    using Actor::Actor;
    Horizon horizon() const override { return {}; }  // waits for nothing but events
   protected:
    void run() override {
      if (id() == 0) {
        block();
        send(1, 10_ns, 0);
      }
    }
  };
  Engine engine(EngineOptions{}, nullptr);
  engine.register_codec(number_kind, std::make_unique<NumberCodec>());
  engine.place({0, 0});
  Trace trace;
  StackArena stacks(2, 128 << 10);
  Sleeper sleeper(engine, 0, trace);
  Sleeper other(engine, 1, trace);
  for (Sleeper* lp : {&sleeper, &other}) {
    lp->prepare(stacks.stack(lp->id()));
    engine.add(*lp);
  }
  engine.run_ready();
  CHECK(engine.earliest_action().is_infinite());
  sleeper.make_ready();
  CHECK_THROWS_WITH(engine.run_ready(), Catch::Contains("promised is infinity"));
}

TEST_CASE("causality: honest models are left alone, also across hosts") {
  CHECK(run_conditionally(phold(8, 3_ns, 200_ns), 3, 7, true).outcome == Outcome::finished);
  CHECK(run_conditionally(mixed(8, 3_ns, 1), 2, 7, true).outcome == Outcome::finished);
}
