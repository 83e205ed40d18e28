// Placement, room, rules across keys, and what is handed to MPI-SIM.
#include "machine/description.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>

#include "machine/reference.hpp"
#include "machine/show.hpp"
#include "runtime/target_abi.h"
#include "tests/unit/machine/files.hpp"

using Catch::Contains;
using namespace mpisim;
using namespace mpisim::machine;

TEST_CASE("block placement fills a node before the next") {
  const Placement placement = load_text(minimal, {"placement.ranks_per_node=4"}).placement(10);
  CHECK(placement.compute_nodes() == 3);
  CHECK(placement.node_of(0) == 0);
  CHECK(placement.node_of(3) == 0);
  CHECK(placement.node_of(4) == 1);
  CHECK(placement.node_of(9) == 2);
  CHECK(placement.io_node(1) == 4);
}

TEST_CASE("round-robin placement deals ranks out to the nodes") {
  const Placement placement =
      load_text(minimal, {"placement={ranks_per_node: 4, order: round-robin}", "nodes.compute=3"})
          .placement(10);
  CHECK(placement.node_of(0) == 0);
  CHECK(placement.node_of(1) == 1);
  CHECK(placement.node_of(3) == 0);
  CHECK(placement.node_of(8) == 2);
}

TEST_CASE("compute: auto has room for any number of ranks") {
  const Description machine = load_text(minimal);
  CHECK(machine.compute_nodes() == 0);
  CHECK(machine.placement(1'000'000).compute_nodes() == 1'000'000);
  CHECK(machine.placement(0).compute_nodes() == 1);
}

TEST_CASE("a machine that is too small says how to enlarge it") {
  CHECK_THROWS_WITH(load_text(minimal, {"nodes.compute=3"}).placement(4),
                    Contains("3 compute nodes") && Contains("at most 3 ranks") &&
                        Contains("--set nodes.compute=4") && !Contains("shape"));
  CHECK_THROWS_WITH(
      config("paragon").placement(57),
      Contains("paragon-xps") && Contains("--set nodes.compute=57 --set 'network.shape=[9, 8]'"));
  CHECK_NOTHROW(config("paragon", {"nodes.compute=57", "network.shape=[9, 8]"}).build_network(57));
  CHECK_NOTHROW(config("paragon").build_network(56));
}

TEST_CASE("the shape that is proposed fits, whatever the number of ranks") {
  for (const std::uint64_t ranks : {57ULL, 100ULL, 257ULL, 1000ULL, 65536ULL, 100000ULL}) {
    CAPTURE(ranks);
    try {
      config("paragon").placement(ranks);
      FAIL("must not fit");
    } catch (const InvalidMachine& error) {
      const std::string text = error.what();
      const std::size_t begin = text.find("network.shape=");
      const std::string shape = text.substr(begin, text.find('\'', begin) - begin);
      CHECK_NOTHROW(
          config("paragon", {"nodes.compute=" + std::to_string(ranks), shape}).build_network(ranks));
    }
  }
}

TEST_CASE("more nodes than the mesh has room for are refused when the file is loaded") {
  CHECK_THROWS_WITH(config("paragon", {"nodes.compute=100"}),
                    Contains("--set nodes.compute=100: the network has room for 64 nodes") &&
                        Contains("100 + 8") && Contains("network.shape=[11, 10]"));
}

TEST_CASE("a mesh with compute: auto is full some time") {
  const Description machine = config("paragon", {"nodes.compute=auto"});
  CHECK_NOTHROW(machine.build_network(56));
  CHECK_THROWS_WITH(machine.build_network(57),
                    Contains("room for 64 nodes") && Contains("--set 'network.shape=[9, 8]'"));
}

TEST_CASE("parameters of a model that do not fit together are found at their key") {
  CHECK_THROWS_WITH(
      config("transputer", {"network.wrap=[true, true, true]"}),
      Contains("--set network.wrap=[true, true, true]: network.wrap: needs one value, or one for each "
               "of the 2 dimensions"));
  CHECK_THROWS_WITH(config("sp2", {"network.pieces.1.up_to=1 KiB"}),
                    Contains("network.pieces: up_to must grow"));
}

TEST_CASE("what MPI-SIM is told") {
  const mpi::Config mpi =
      load_text(minimal,
                {"mpi={send_overhead: 1 us, receive_overhead: 2 us, send_copy: 1 GB/s, call_overhead: 5 ns, "
                 "poll_interval: 3 us, eager_limit: 8 KiB, control_size: 32 B, progress: in-calls}"})
          .mpi_config();
  CHECK(mpi.send_overhead.ps() == 1'000'000);
  CHECK(mpi.receive_overhead.ps() == 2'000'000);
  CHECK(mpi.send_copy.fs() == 1'000'000);
  CHECK(mpi.receive_copy.fs() == 0);
  CHECK(mpi.reduce_cost.fs() == 100000);
  CHECK(mpi.call_overhead.ps() == 5000);
  CHECK(mpi.poll_interval.ps() == 3'000'000);
  CHECK(mpi.eager_limit.count() == 8192);
  CHECK(mpi.control_size.count() == 32);
  CHECK(mpi.progress == mpi::Progress::in_calls);
}

TEST_CASE("calls and polls cost at least 1 ns") {
  CHECK_THAT(faults(minimal, {"mpi.call_overhead=0 s"}), Contains("mpi.call_overhead must be at least 1 ns"));
  CHECK_THAT(faults(minimal, {"mpi.poll_interval=999 ps"}),
             Contains("mpi.poll_interval must be at least 1 ns"));
}

TEST_CASE("collective algorithms: a name, or rules by size and ranks") {
  const Description machine = load_text(
      minimal +
      "mpi:\n"
      "  collectives:\n"
      "    bcast: binomial\n"
      "    allreduce: [{up_to: 2 KiB, up_to_ranks: 64, use: recursive-doubling}, {use: rabenseifner}]\n");
  const auto& collectives = machine.mpi_config().collectives;
  REQUIRE(collectives.size() == 2);
  CHECK(collectives[0].operation == "bcast");
  CHECK(collectives[0].rules.at(0).algorithm == "binomial");
  CHECK(collectives[0].rules.at(0).up_to_bytes == std::numeric_limits<std::uint64_t>::max());
  CHECK(collectives[1].rules.at(0).up_to_bytes == 2048);
  CHECK(collectives[1].rules.at(0).up_to_ranks == 64);
  CHECK(collectives[1].rules.at(1).up_to_ranks == std::numeric_limits<std::uint64_t>::max());
  CHECK_THAT(faults(minimal, {"mpi.collectives.broadcast=binomial"}), Contains("nearest known key"));
  CHECK_THAT(faults(minimal, {"mpi.collectives.bcast=[{up_to: 2 KiB}]"}),
             Contains("mpi.collectives.bcast.0.use is missing"));
}

TEST_CASE("unknown algorithms name those that there are") {
  const Folder folder;
  LoadOptions options;
  options.overrides = {"mpi.collectives.bcast=binomal", "mpi.collectives.scan=linear"};
  options.algorithms = [](const std::string& operation) {
    return operation == "bcast" ? std::vector<std::string>{"linear", "binomial"}
                                : std::vector<std::string>{"linear"};
  };
  const auto found = check_file(folder.write("machine.yaml", minimal), options);
  REQUIRE(found.size() == 1);
  CHECK_THAT(to_string(found[0]), Contains("--set mpi.collectives.bcast=binomal") &&
                                      Contains("linear, binomial") && Contains("nearest: binomial"));
}

TEST_CASE("prices: cycles of the clock, or times") {
  const Description machine = load_text(
      minimal, {"processor.clock=50 MHz", "processor.cost.fp_div=38 cycles", "processor.cost.int=0.5 ns"});
  CHECK(machine.cost_table().picoseconds.size() == MPISIM_COST_CLASSES);
  CHECK(machine.cost_table().picoseconds[MPISIM_COST_FP_DIV] == Approx(38 * 20e3));
  CHECK(machine.cost_table().picoseconds[MPISIM_COST_INT] == Approx(500));
  CHECK(machine.cost_table().picoseconds[MPISIM_COST_BYTE] == Approx(5e3));
  CHECK(machine.clock_hz() == Approx(50e6));
}

TEST_CASE("the score is given, or derived from the prices") {
  CHECK(load_text(minimal, {"processor.score=30 Mop/s"}).score() == Approx(30e6));
  CHECK(load_text(minimal, {"processor.clock=4 GHz"}).score() ==
        Approx(2 * load_text(minimal, {"processor.clock=2 GHz"}).score()));
  std::string zero = "processor.cost={";
  for (const char* name : {"int", "int_mul", "fp_add", "fp_mul", "memory", "branch"})
    zero += std::string(name) + ": 0 ns, ";
  CHECK_THAT(faults(minimal, {zero + "}"}), Contains("processor.score cannot be derived"));
}

TEST_CASE("the effective file tells where each value comes from") {
  const Folder folder;
  const std::string text = show(load(folder.write("machine.yaml", minimal), {{"mpi.eager_limit=1 KiB"}, {}}));
  CHECK_THAT(text, Contains("machine.yaml:2:7"));
  CHECK_THAT(text, Contains("eager_limit: 1 KiB") && Contains("# --set mpi.eager_limit=1 KiB"));
  CHECK_THAT(text, Contains("latency: 1 us") && Contains("# default"));
  CHECK_THAT(text, !Contains("\nio:"));
}

TEST_CASE("texts with special characters survive the effective file") {
  const Folder folder;
  const auto file = folder.write("machine.yaml", minimal + "description: 'a: \"b\" #c \\ [d'\n");
  const Description machine = load(file);
  CHECK(machine.description() == "a: \"b\" #c \\ [d");
  CHECK(load(folder.write("again.yaml", show(machine))).description() == machine.description());
}

TEST_CASE("the reference in docs/machine-files.md is the schema's") {
  const std::string path = PROJECT_FOLDER "/docs/machine-files.md";
  std::ifstream stream(path);
  REQUIRE(stream);
  std::ostringstream content;
  content << stream.rdbuf();
  std::string text = content.str();
  const std::string begin = "<!-- reference: begin -->\n";
  const std::string end = "<!-- reference: end -->";
  const std::size_t from = text.find(begin) + begin.size();
  const std::size_t to = text.find(end);
  REQUIRE(to != std::string::npos);
  // After a change of the schema: run this test with MPISIM_UPDATE_DOCS=1.
  if (std::getenv("MPISIM_UPDATE_DOCS") != nullptr) {
    std::ofstream(path) << text.replace(from, to - from, reference());
  } else {
    CHECK(text.substr(from, to - from) == reference());
  }
}

TEST_CASE("the guide's examples are good machine files") {
  std::ifstream stream(PROJECT_FOLDER "/docs/machine-files.md");
  const Folder folder;
  std::string block;
  bool inside = false;
  int checked = 0;
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("```")) {
      if (inside) block += line + "\n";
      continue;
    }
    if (inside) {
      // A block is a whole file, an addition to one, or includes one of ours.
      const bool whole = block.starts_with("schema_version");
      const bool including = block.starts_with("include");
      if (including) block.insert(block.find("paragon.yaml"), PROJECT_FOLDER "/configs/");
      const auto found =
          check_file(folder.write("example.yaml", (whole || including ? "" : minimal) + block));
      for (const Diagnostic& each : found) UNSCOPED_INFO(to_string(each));
      CHECK(found.empty());
      ++checked;
    }
    inside = !inside && line == "```yaml";
    block.clear();
  }
  CHECK(checked == 5);
}
