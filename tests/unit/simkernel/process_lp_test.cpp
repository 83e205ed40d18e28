#include "simkernel/process_lp.hpp"

#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "toy_models.hpp"

using namespace mpisim::kernel;
using namespace mpisim::kernel::toys;
using namespace mpisim::kernel::literals;

namespace {

/// Blocks when it is told to, ends early when it is told to.
class Stepper final : public ProcessLp {
 public:
  Stepper(Engine& engine, LpId id, std::string plan, std::string& log)
      : ProcessLp(engine, id), plan_(std::move(plan)), log_(log) {}
  void deliver(Event*) override {}
  Horizon horizon() const override { return {}; }
  void advance(SimTime) override {}

 protected:
  void run() override {
    for (const char step : plan_) {
      log_ += step;
      if (step == 'b') block();
      if (step == 't') terminate();
      if (step == 'x') throw std::runtime_error("from the process");
    }
    log_ += '.';
  }

 private:
  std::string plan_;
  std::string& log_;
};

struct Fixture {
  Engine engine{EngineOptions{}, nullptr};
  StackArena stacks{8, 128 << 10};
  std::vector<std::unique_ptr<Stepper>> lps;
  std::string log;

  explicit Fixture(const std::vector<std::string>& plans) {
    engine.place(std::vector<std::uint16_t>(plans.size(), 0));
    for (const auto& plan : plans) {
      const auto id = static_cast<LpId>(lps.size());
      lps.push_back(std::make_unique<Stepper>(engine, id, plan, log));
      lps.back()->prepare(stacks.stack(id));
      engine.add(*lps.back());
    }
  }
};

}  // namespace

TEST_CASE("process: created, ready, blocked, terminated") {
  Fixture f({"abc"});
  Stepper& lp = *f.lps[0];
  CHECK(lp.state() == ProcessLp::State::ready);
  CHECK(f.engine.live_processes() == 1);
  CHECK(f.engine.run_ready());
  CHECK(f.log == "ab");
  CHECK(lp.state() == ProcessLp::State::blocked);
  CHECK(f.engine.run_ready());
  CHECK(f.log == "ab");
  lp.make_ready();
  lp.make_ready();
  CHECK(lp.state() == ProcessLp::State::ready);
  CHECK(f.engine.run_ready());
  CHECK(f.log == "abc.");
  CHECK(lp.state() == ProcessLp::State::terminated);
  CHECK(f.engine.live_processes() == 0);
  lp.make_ready();
  CHECK(f.engine.run_ready());
  CHECK(lp.state() == ProcessLp::State::terminated);
  CHECK(f.engine.statistics().resumes == 2);
}

TEST_CASE("process: of the ready processes the newest runs first") {
  Fixture f({"bA", "bB", "bC"});
  f.engine.run_ready();
  CHECK(f.log == "bbb");
  for (const std::size_t i : {2, 0, 1}) f.lps[i]->make_ready();
  f.engine.run_ready();
  CHECK(f.log == "bbbB.A.C.");
}

TEST_CASE("process: terminate never returns") {
  Fixture f({"atb", "c"});
  f.engine.run_ready();
  CHECK(f.log == "atc.");
  CHECK(f.engine.live_processes() == 0);
}

TEST_CASE("process: an exception that leaves it comes out of the run") {
  Fixture f({"a", "bx", "c"});
  f.engine.run_ready();
  f.lps[1]->make_ready();
  CHECK_THROWS_WITH(f.engine.run_ready(), "from the process");
  CHECK(f.lps[1]->state() == ProcessLp::State::terminated);
}
