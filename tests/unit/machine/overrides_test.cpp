// --set path=value
#include "machine/overrides.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/machine/files.hpp"

using Catch::Contains;
using namespace mpisim::machine;

TEST_CASE("overrides change values, make sections, and apply in order") {
  const Description machine = load_text(minimal, {"mpi.send_overhead=3 us", "mpi.eager_limit=1 KiB",
                                                  "mpi.eager_limit=2 KiB", "nodes={compute: 5, io: 2}"});
  CHECK(machine.mpi_config().send_overhead.ps() == 3'000'000);
  CHECK(machine.mpi_config().eager_limit.count() == 2048);
  CHECK(machine.compute_nodes() == 5);
  CHECK(machine.io_nodes() == 2);
}

TEST_CASE("lists are set whole or by index") {
  CHECK(config("paragon", {"network.shape=[16, 8]"}).build_network(4)->capacity() == 128);
  CHECK(config("paragon", {"network.shape.1=16"}).build_network(4)->capacity() == 128);
  CHECK(config("paragon", {"network.shape[0]=16"}).build_network(4)->capacity() == 128);
  const Description sp2 = config("sp2", {"network.pieces.1.bandwidth=70 MB/s"});
  CHECK_THAT(sp2.build_network(2)->describe(), Contains("70 MB/s"));
}

TEST_CASE("an unknown path names the nearest key and the option") {
  CHECK_THAT(faults(minimal, {"network.nothing=3"}),
             Contains("--set network.nothing=3: unknown key network.nothing; nearest known key: network."));
  CHECK_THAT(faults(minimal, {"netwrk.model=ideal"}), Contains("nearest known key: network"));
  CHECK_THAT(faults(minimal, {"mpi.eager=1 KiB"}), Contains("--set mpi.eager=1 KiB"));
}

TEST_CASE("faults of a value name the option") {
  CHECK_THAT(faults(minimal, {"network.latency=3 parsecs"}),
             Contains("--set network.latency=3 parsecs: network.latency: `3 parsecs`") && Contains("ns"));
  CHECK_THAT(faults(minimal, {"network.latency=[1"}), Contains("--set network.latency=[1: not valid YAML"));
  CHECK_THAT(faults(minimal, {"network.latency="}), Contains("network.latency has no value"));
}

TEST_CASE("paths that lead nowhere") {
  CHECK_THAT(faults(minimal, {"network.model"}), Contains("needs the form path=value"));
  CHECK_THAT(faults(minimal, {"=3"}), Contains("needs the form path=value"));
  CHECK_THAT(faults(minimal, {"network..model=ideal"}), Contains("needs the form path=value"));
  CHECK_THAT(faults(minimal, {"network.shape[0=3"}), Contains("needs the form path=value"));
  CHECK_THAT(faults(minimal, {"name.first=a"}), Contains("name is a single value and has no key `first`"));
  const Folder folder;
  CHECK_THROWS_WITH(config("paragon", {"network.shape.2=4"}),
                    Contains("network.shape is a list of 2 values (indices 0 to 1); `2` is none of them"));
}

TEST_CASE("another model drops what the file says for the former one, but no other override") {
  const Description ideal = config("paragon", {"network.model=ideal"});
  CHECK(ideal.build_network(56)->min_latency().ps() == 1'000'000);
  const Description slow = config("paragon", {"network.latency=9 us", "network.model=ideal"});
  CHECK(slow.build_network(56)->min_latency().ps() == 9'000'000);
  CHECK_THROWS_WITH(config("paragon", {"network.model=loggp"}),
                    Contains("network.latency is missing") && Contains("network.bandwidth is missing"));
  CHECK_THROWS_WITH(config("paragon", {"network.model=magic"}), Contains("--set network.model=magic"));
}
