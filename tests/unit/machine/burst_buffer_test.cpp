// The section io.burst_buffer of a machine file.
#include <catch2/catch.hpp>

#include "machine/catalogue.hpp"
#include "machine/description.hpp"

using namespace mpisim;

namespace {

pio::Config configured(const std::vector<std::string>& overrides) {
  const machine::Description description = machine::load(machine::find_machine("cluster"), {overrides, {}});
  return description.io_config(description.placement(4));
}

}  // namespace

TEST_CASE("defaults of a burst buffer are those of PFS-SIM; one without nodes is refused with its mend") {
  const pfs::BurstParameters none;
  const pfs::BurstParameters some = configured({"io.burst_buffer={}", "nodes.burst_buffer=3"}).pfs.burst;
  CHECK(some.place == pfs::BurstParameters::Place::dedicated);
  CHECK(some.nodes == 3);
  CHECK(none.capacity == some.capacity);
  CHECK(none.stripe == some.stripe);
  CHECK(none.transfer == some.transfer);
  CHECK(none.drains == some.drains);
  CHECK(none.drain_time == some.drain_time);
  CHECK(none.drain_delay == some.drain_delay);
  CHECK(none.stage_out == some.stage_out);
  CHECK_FALSE(configured({}).pfs.burst.any());
  try {
    configured({"io.burst_buffer={}"});
    FAIL("a burst buffer without nodes");
  } catch (const machine::InvalidMachine& error) {
    CHECK(to_string(error.diagnostics().front()).find("--set nodes.burst_buffer=1") != std::string::npos);
  }
}
