// Every kind of fault that the schema finds.
#include "machine/checker.hpp"

#include <catch2/catch.hpp>

#include "machine/schema.hpp"
#include "tests/unit/machine/files.hpp"

using Catch::Contains;
using namespace mpisim::machine;

namespace {

const std::string mesh =
    "schema_version: 1\n"
    "name: mesh\n"
    "network:\n"
    "  model: mesh-wormhole\n"
    "  shape: [4, 4]\n"
    "  link_bandwidth: 175 MB/s\n"
    "  hop_latency: 40 ns\n";

std::string with(std::string text, const std::string& old_text, const std::string& new_text) {
  return text.replace(text.find(old_text), old_text.size(), new_text);
}

}  // namespace

TEST_CASE("a good file has no faults") {
  CHECK(faults(minimal).empty());
  CHECK(faults(mesh).empty());
}

TEST_CASE("an unknown key names the nearest known one and its place") {
  CHECK_THAT(faults(with(mesh, "hop_latency", "hop_latancy")),
             Contains("machine.yaml:7:3: unknown key network.hop_latancy") &&
                 Contains("nearest known key: network.hop_latency"));
  CHECK_THAT(faults(minimal + "nods: {compute: 3}\n"), Contains("nearest known key: nodes"));
  CHECK_THAT(faults(minimal + "nodes: {copmute: 3}\n"), Contains("nearest known key: nodes.compute"));
}

TEST_CASE("a key of another model says whose it is") {
  CHECK_THAT(
      faults(minimal + "", {"network.hop_latency=3 ns"}),
      Contains("network.hop_latency belongs to the model mesh-wormhole and mesh-store-and-forward, not to "
               "ideal"));
}

TEST_CASE("an unknown model is named once, its keys are not blamed") {
  const std::string text = faults(with(mesh, "mesh-wormhole", "mesh-wurmhole"));
  CHECK_THAT(text, Contains("machine.yaml:4:10: network.model: `mesh-wurmhole` is not known") &&
                       Contains("nearest: mesh-wormhole"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
}

TEST_CASE("a wrong unit names the key, the place and the right units") {
  CHECK_THAT(faults(with(mesh, "40 ns", "40 parsecs")),
             Contains("machine.yaml:7:16: network.hop_latency: `40 parsecs`") && Contains(" ns,"));
  CHECK_THAT(faults(with(mesh, "40 ns", "40")), Contains("network.hop_latency: `40` needs a unit"));
  CHECK_THAT(faults(with(mesh, "175 MB/s", "175 MB")),
             Contains("network.link_bandwidth") && Contains("MB/s") && Contains("or the word infinite"));
}

TEST_CASE("a negative value names the key") {
  CHECK_THAT(faults(with(mesh, "40 ns", "-40 ns")),
             Contains("machine.yaml:7:16: network.hop_latency: must not be negative"));
}

TEST_CASE("all faults of a file are reported at once") {
  std::string text = with(mesh, "40 ns", "-40 ns");
  text = with(text, "[4, 4]", "[4, x, 0]");
  text += "mpi: {progress: sometimes, eager_limit: 5}\n";
  const std::string found = faults(text);
  CHECK(std::count(found.begin(), found.end(), '\n') == 5);
  CHECK_THAT(found, Contains("network.shape.1: `x` is not a whole number"));
  CHECK_THAT(found, Contains("network.shape.2: must be at least 1"));
  CHECK_THAT(found, Contains("mpi.progress: `sometimes` is not known; use one of asynchronous, in-calls"));
  CHECK_THAT(found, Contains("mpi.eager_limit: `5` needs a unit"));
}

TEST_CASE("missing keys say what they are") {
  CHECK_THAT(faults(with(mesh, "  hop_latency: 40 ns\n", "")),
             Contains("machine.yaml:4:3: network.hop_latency is missing (time: per router on the way)"));
  CHECK_THAT(faults("name: a\nnetwork: {model: ideal}\n"), Contains("schema_version is missing"));
  CHECK_THAT(faults("schema_version: 1\nname: a\n"), Contains("network is missing"));
  CHECK_THAT(faults(minimal + "", {"network.node.bandwidth=1 GB/s"}),
             Contains("network.node.latency is missing"));
}

TEST_CASE("a key without a value, a section as a value, a value as a section") {
  CHECK_THAT(faults(with(mesh, " 40 ns", "")), Contains("network.hop_latency has no value (time)"));
  CHECK_THAT(faults(with(mesh, "40 ns", "{a: 1}")),
             Contains("network.hop_latency must be a single value (time), not a section"));
  CHECK_THAT(faults(minimal + "mpi: 3\n"),
             Contains("mpi must be a section of keys and values, not a single value"));
  CHECK_THAT(faults(minimal + "mpi: [1]\n"),
             Contains("mpi must be a section of keys and values, not a list"));
  CHECK(faults(minimal + "mpi:\n").empty());
}

TEST_CASE("other schema versions are refused") {
  CHECK_THAT(faults(with(minimal, "schema_version: 1", "schema_version: 2")),
             Contains("machine.yaml:1:17: schema_version: must be at most 1, not 2"));
}

TEST_CASE("lists: a single value stands for one, an empty list is refused") {
  CHECK(faults(with(mesh, "[4, 4]", "16")).empty());
  CHECK_THAT(faults(with(mesh, "[4, 4]", "[]")), Contains("network.shape needs at least one value"));
  CHECK_THAT(faults(with(mesh, "[4, 4]", "[4, [4]]")), Contains("network.shape.1 must be a single value"));
}

TEST_CASE("flags, shares and texts") {
  CHECK_THAT(faults(mesh + "  wrap: yes\n"), Contains("network.wrap: `yes` is not true or false"));
  CHECK(faults(mesh + "  wrap: on\nio: {coalesce: off}\n").empty());
  CHECK_THAT(faults(minimal + "io: {cache: {coordinated: 1.5}}\n"),
             Contains("io.cache.coordinated: must be at most 1, not 1.5"));
  CHECK_THAT(faults(with(minimal, "small", "''")), Contains("name: needs some text"));
}

TEST_CASE("sections of the I/O system are accepted and checked") {
  CHECK(
      faults(
          minimal +
          "nodes: {io: 2}\nio: {model: pfs, stripe_unit: 64 KiB, collective: barrier, coalesce: false, data: "
          "none, posix: free,\n"
          "  cache: {policy: coordinated, cnode: {size: 2 MiB, block: 4 KiB, associativity: "
          "4, write: back},\n"
          "    ionode: {block: 4 KiB, on_write_miss: allocate}}, disk: {model: simple, per_node: 2}}\n")
          .empty());
  CHECK_THAT(faults(minimal + "io: {collective: two_phase}\n"), Contains("nearest: two-phase"));
  CHECK_THAT(faults(minimal + "io: {stripe_unit: 0 B}\n"), Contains("io.stripe_unit: must be at least 1 B"));
  const std::string two = minimal + "nodes: {io: 2}\n";
  CHECK_THAT(faults(two + "io: {model: pfs, stripe_factor: 3}\n"),
             Contains("io.stripe_factor: 3 is too large; there are 2 disks"));
  CHECK_THAT(faults(two + "io: {model: pfs, start_disk: 2}\n"),
             Contains("io.start_disk: 2 is too large; there are 2 disks"));
  CHECK_THAT(faults(two + "io: {model: pfs, stripe_factor: 0}\n"),
             Contains("io.stripe_factor: must be at least 1"));
  CHECK_THAT(faults(two + "io: {model: pfs, slow_disk: {io_node: 2, reads: 0.5}}\n"),
             Contains("io.slow_disk.io_node: 2 is too large; nodes.io is 2") &&
                 Contains("io.slow_disk.reads: must be at least 1"));
  CHECK_THAT(faults(two + "io: {request_limit: 0 B}\n"), Contains("io.request_limit: must be at least 1 B"));
  CHECK(faults(two + "io: {model: pfs, stripe_factor: 6, layout: {model: vesta, hbs: 3}}\n").empty());
  CHECK_THAT(faults(two + "io: {model: pfs, layout: {model: vesta, hbs: 3}}\n"),
             Contains("io.layout.hbs: 2 cells are no multiple of hbs * hn = 3"));
  CHECK_THAT(faults(two + "io: {layout: {vbs: 3}}\n"),
             Contains("io.layout.vbs belongs to the model vesta, not to striping"));
  CHECK_THAT(faults(minimal + "io: {model: pfs}\n"),
             Contains("io.model: pfs needs I/O nodes, nodes.io is 0: --set nodes.io=1"));
  CHECK_THAT(faults(minimal + "io: {disk: {model: simple, sector: 500 B}}\n"),
             Contains("io.disk.cylinder_size: 700416 B are no whole number of sectors of 500 B"));
  CHECK_THAT(faults(minimal + "io: {disk: {model: simple, seek: {near: 3}}}\n"),
             Contains("io.disk.seek.near: `3` needs a unit"));
  CHECK_THAT(faults(minimal + "io: {disk: {model: simple, rotational_latency: real}}\n"),
             Contains("io.disk.rotational_latency: `real` is not known; use one of mean, position"));
  CHECK_THAT(faults(minimal + "io: {disk: {model: simple, seek: {nears: 3 ms}}}\n"),
             Contains("nearest known key: io.disk.seek.near"));
  CHECK_THAT(faults(minimal + "io: {disk: {cylinders: 100}}\n"),
             Contains("io.disk.cylinders belongs to the model simple, not to analytic"));
}

TEST_CASE("edit distance counts swaps once") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("latency", "latency") == 0);
  CHECK(edit_distance("latancy", "latency") == 1);
  CHECK(edit_distance("copmute", "compute") == 1);
  CHECK(nearest("hop", {"hop_latency", "shape"}) == "shape");
  CHECK(nearest("x", {}).empty());
}
