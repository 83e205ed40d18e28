// The configuration without an `io` section is what the schema's defaults say.
#include <catch2/catch.hpp>

#include "machine/catalogue.hpp"
#include "machine/description.hpp"

using namespace mpisim;

TEST_CASE("defaults of the io section are those of PIO-SIM") {
  const std::string file = machine::find_machine("ideal");
  const pio::Config none = machine::load(file).io_config();
  const pio::Config some = machine::load(file, {{"io.model=disk"}, {}}).io_config();
  CHECK(none.collective == some.collective);
  CHECK(none.coalesce == some.coalesce);
  CHECK(none.aggregators == some.aggregators);
  CHECK(none.open_cost == some.open_cost);
  CHECK(none.metadata_cost == some.metadata_cost);
  CHECK(none.disk.overhead == some.disk.overhead);
  CHECK(none.disk.latency == some.disk.latency);
  CHECK(none.disk.transfer == some.disk.transfer);
}

TEST_CASE("values of the io section reach PIO-SIM, and what is missing is refused") {
  const std::string file = machine::find_machine("paragon");
  const pio::Config config =
      machine::load(file, {{"io.collective=barrier", "io.coalesce=false", "io.aggregators=3"}, {}})
          .io_config();
  CHECK(config.collective == pio::Collective::barrier);
  CHECK_FALSE(config.coalesce);
  CHECK(config.aggregators == 3);
  CHECK_THROWS_WITH(machine::load(file, {{"io.model=pfs"}, {}}).io_config(),
                    Catch::Contains("io.model: pfs is not supported yet: --set io.model=disk"));
}
