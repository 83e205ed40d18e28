// YAML, places of faults, and included files.
#include "machine/reader.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/machine/files.hpp"

using Catch::Contains;
using namespace mpisim::machine;

TEST_CASE("malformed YAML is named with its place") {
  CHECK_THAT(faults("name: [unclosed\n"), Catch::StartsWith("machine.yaml:2:1: not valid YAML"));
  CHECK_THAT(faults("schema_version: 1\nname: a\n  b: c\n"), Contains("machine.yaml:3:") && Contains("YAML"));
}

TEST_CASE("a file that is not there is named") {
  const Folder folder;
  const auto found = check_file(folder.path() / "nothing.yaml");
  REQUIRE(found.size() == 1);
  CHECK_THAT(to_string(found[0]), Contains("nothing.yaml") && Contains("cannot read"));
  CHECK_FALSE(check_file(folder.path()).empty());
}

TEST_CASE("an empty file lacks what is required") {
  const std::string text = faults("");
  CHECK_THAT(text, Contains("machine.yaml:1:1: schema_version is missing"));
  CHECK_THAT(text, Contains("name is missing"));
  CHECK_THAT(text, Contains("network is missing") || Contains("network.model is missing"));
}

TEST_CASE("a file that is a list or a word is no machine file") {
  CHECK_THAT(faults("- 1\n- 2\n"), Contains("must be a section"));
  CHECK_THAT(faults("hello\n"), Contains("must be a section"));
}

TEST_CASE("a key that is given twice, and keys that are no words") {
  CHECK_THAT(faults(minimal + "name: again\n"), Contains("machine.yaml:4:1: key `name` is given twice"));
  CHECK_THAT(faults(minimal + "[a, b]: 3\n"), Contains("a key must be a plain word"));
}

TEST_CASE("a second document is refused") {
  CHECK_THAT(faults(minimal + "---\nname: other\n"), Contains("only one YAML document"));
}

TEST_CASE("an included file gives what the file itself leaves out") {
  const Folder folder;
  folder.write("parts/base.yaml",
               "schema_version: 1\nname: base\nnetwork: {model: ideal, latency: 3 us}\n"
               "mpi: {send_overhead: 5 us, receive_overhead: 6 us}\n");
  const auto file =
      folder.write("own.yaml", "include: parts/base.yaml\nname: own\nmpi: {send_overhead: 7 us}\n");
  const Description machine = load(file);
  CHECK(machine.name() == "own");
  CHECK(machine.mpi_config().send_overhead.ps() == 7'000'000);
  CHECK(machine.mpi_config().receive_overhead.ps() == 6'000'000);
  CHECK(machine.build_network(2)->min_latency().ps() == 3'000'000);
}

TEST_CASE("another network model replaces the included network") {
  const Folder folder;
  folder.write("base.yaml", "schema_version: 1\nname: base\nnetwork: {model: ideal, latency: 3 us}\n");
  const auto file = folder.write(
      "own.yaml", "include: base.yaml\nnetwork: {model: loggp, latency: 5 us, bandwidth: 1 GB/s}\n");
  CHECK(load(file).build_network(2)->name() == "loggp");
}

TEST_CASE("faults of an included file name that file") {
  const Folder folder;
  folder.write("base.yaml", "schema_version: 1\nname: base\nnetwork: {model: ideal, latncy: 3 us}\n");
  const auto found = check_file(folder.write("own.yaml", "include: base.yaml\n"));
  REQUIRE(found.size() == 1);
  CHECK_THAT(found[0].place, Contains("base.yaml:3:"));
}

TEST_CASE("includes that cannot be followed") {
  const Folder folder;
  const auto missing = check_file(folder.write("own.yaml", minimal + "include: nothing.yaml\n"));
  REQUIRE(missing.size() == 1);
  CHECK_THAT(to_string(missing[0]), Contains("own.yaml:4:10") && Contains("nothing.yaml"));
  folder.write("a.yaml", minimal + "include: b.yaml\n");
  folder.write("b.yaml", "include: a.yaml\n");
  const auto cycle = check_file(folder.path() / "a.yaml");
  REQUIRE(cycle.size() == 1);
  CHECK_THAT(to_string(cycle[0]), Contains("includes itself") && Contains("a.yaml -> b.yaml -> a.yaml"));
  CHECK_THAT(faults(minimal + "include: [a, b]\n"), Contains("include needs the name of one file"));
}

TEST_CASE("a listed machine is included by its name, unless there is such a file beside") {
  const Folder folder;
  CHECK(load(folder.write("own.yaml", "include: paragon.yaml\n")).name() == "paragon-xps");
  CHECK(load(folder.write("own.yaml", "include: paragon\n")).name() == "paragon-xps");
  folder.write("paragon/results.txt", "");  // a folder of that name is in nobody's way
  CHECK(load(folder.write("own.yaml", "include: paragon\n")).name() == "paragon-xps");
  folder.write("paragon.yaml", "schema_version: 1\nname: beside\nnetwork: {model: ideal}\n");
  CHECK(load(folder.write("own.yaml", "include: paragon.yaml\n")).name() == "beside");
}

TEST_CASE("what lacks because an included file cannot be read is no fault of its own") {
  const Folder folder;
  const auto found =
      check_file(folder.write("own.yaml", "schema_version: 1\ninclude: nothing.yaml\nname: own\n"));
  REQUIRE(found.size() == 1);
  CHECK_THAT(to_string(found[0]), Contains("own.yaml:2:10: cannot read the machine file"));
}

TEST_CASE("include may be used several files deep") {
  const Folder folder;
  folder.write("deep/c.yaml", "schema_version: 1\nname: c\nnetwork: {model: ideal}\n");
  folder.write("deep/b.yaml", "include: c.yaml\nname: b\n");
  CHECK(load(folder.write("a.yaml", "include: deep/b.yaml\n")).name() == "b");
}
