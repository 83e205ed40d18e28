#include <catch2/catch.hpp>
#include <cstdlib>

#include "app/run_plan.hpp"

using namespace mpisim::app;

TEST_CASE("a plan survives its way through the environment") {
  RunPlan plan;
  plan.program = "./a \"b\".sim";
  plan.machine = "/m\xff.yaml";
  plan.overrides = {"network.latency=2 us", "name=x"};
  plan.ranks = 65536;
  plan.hosts = 3;
  plan.protocol = "conditional";
  plan.compute = "recorded";
  plan.record_file = "/r";
  plan.deterministic = false;
  plan.stack_size = 123456;
  plan.epoch = 42;
  plan.launched_ns = 1'700'000'000'000'000'000;
  plan.control = "/tmp/c";
  setenv(plan_variable, plan.to_json().c_str(), 1);
  const auto read = plan_from_environment();
  unsetenv(plan_variable);
  REQUIRE(read);
  CHECK(read->program == plan.program);
  CHECK(read->overrides == plan.overrides);
  CHECK(read->ranks == plan.ranks);
  CHECK(read->hosts == plan.hosts);
  CHECK(read->deterministic == plan.deterministic);
  CHECK(read->launched_ns == plan.launched_ns);
  CHECK(read->control == plan.control);
  CHECK(read->machine == "/m\xef\xbf\xbd.yaml");
  for (const char c : plan.to_json()) CHECK((c >= ' ' && c < 127));
}

TEST_CASE("no plan, a broken one, one of another version") {
  unsetenv(plan_variable);
  CHECK_FALSE(plan_from_environment());
  CHECK_THROWS_WITH(RunPlan::from_json("{"), Catch::Contains("MPISIM_RUN"));
  CHECK_THROWS_WITH(RunPlan::from_json("{\"version\": \"99.0\"}"), Catch::Contains("99.0"));
}
