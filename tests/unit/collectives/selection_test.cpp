// Names, defaults, fallbacks and rules.
#include "mpisim/collectives/selection.hpp"

#include <set>

#include <catch2/catch.hpp>

#include "buffers.hpp"
#include "fake_core.hpp"

using namespace mpisim::mpi;
using namespace mpisim::mpi::collectives;

namespace {

std::string_view chosen(CollectiveOperation operation, const CollectiveCase& situation) {
  return collective_info(operation).algorithms[default_algorithm(operation, situation)].name;
}
std::string_view fitting(CollectiveOperation operation, std::string_view name,
                         const CollectiveCase& situation) {
  return collective_info(operation).algorithms[fitting_algorithm(operation, name, situation)].name;
}

}  // namespace

TEST_CASE("each operation has at least two algorithms, and fallbacks exist") {
  std::set<std::string_view> operations;
  for (const CollectiveInfo& info : collective_operations()) {
    CAPTURE(info.operation);
    CHECK(operations.insert(info.operation).second);
    CHECK(info.algorithms.size() >= 2);
    std::set<std::string_view> names;
    for (const AlgorithmInfo& algorithm : info.algorithms) {
      CHECK(names.insert(algorithm.name).second);
      CHECK(check_collective(info.operation, algorithm.name).empty());
      CHECK((algorithm.needs == AlgorithmNeeds::nothing) == algorithm.fallback.empty());
      if (!algorithm.fallback.empty()) CHECK(check_collective(info.operation, algorithm.fallback).empty());
    }
  }
  CHECK(operations.size() == collective_operation_count);
}

TEST_CASE("unknown names are refused with the known ones") {
  CHECK(check_collective("bcast", "quick") ==
        "unknown algorithm \"quick\" for bcast; known: binomial, linear, scatter-allgather, "
        "scatter-recursive-doubling, chain, binary");
  CHECK_THAT(check_collective("brodcast", "linear"), Catch::Contains("unknown collective operation"));
  CHECK_THROWS_AS(fitting_algorithm(CollectiveOperation::bcast, "quick", {}), std::invalid_argument);
}

TEST_CASE("defaults follow MPICH's thresholds") {
  using enum CollectiveOperation;
  CHECK(chosen(barrier, {.ranks = 7}) == "dissemination");
  CHECK(chosen(bcast, {.ranks = 64, .bytes = 12287}) == "binomial");
  CHECK(chosen(bcast, {.ranks = 64, .bytes = 12288}) == "scatter-recursive-doubling");
  CHECK(chosen(bcast, {.ranks = 60, .bytes = 12288}) == "scatter-allgather");
  CHECK(chosen(bcast, {.ranks = 64, .bytes = 524288}) == "scatter-allgather");
  CHECK(chosen(bcast, {.ranks = 7, .bytes = 524288}) == "binomial");
  CHECK(chosen(allreduce, {.ranks = 8, .bytes = 2048, .elements = 256}) == "recursive-doubling");
  CHECK(chosen(allreduce, {.ranks = 8, .bytes = 2056, .elements = 257}) == "rabenseifner");
  CHECK(chosen(allreduce, {.ranks = 8, .bytes = 4096, .elements = 512, .commutative = false}) ==
        "recursive-doubling");
  CHECK(chosen(allreduce, {.ranks = 1024, .bytes = 4096, .elements = 512}) == "recursive-doubling");
  CHECK(chosen(reduce, {.ranks = 8, .bytes = 4096, .elements = 512}) == "rabenseifner");
  CHECK(chosen(reduce, {.ranks = 8, .bytes = 4096, .elements = 512, .commutative = false}) == "binomial");
  CHECK(chosen(alltoall, {.ranks = 8, .bytes = 256}) == "bruck");
  CHECK(chosen(alltoall, {.ranks = 4, .bytes = 256}) == "linear");
  CHECK(chosen(alltoall, {.ranks = 8, .bytes = 32768}) == "linear");
  CHECK(chosen(alltoall, {.ranks = 8, .bytes = 32769}) == "pairwise");
  CHECK(chosen(allgather, {.ranks = 8, .bytes = 8}) == "recursive-doubling");
  CHECK(chosen(allgather, {.ranks = 9, .bytes = 8}) == "bruck");
  CHECK(chosen(allgather, {.ranks = 9, .bytes = 80000}) == "ring");
  CHECK(chosen(reduce_scatter, {.ranks = 4, .bytes = 8}) == "recursive-halving");
  CHECK(chosen(reduce_scatter, {.ranks = 4, .bytes = 8, .commutative = false}) == "reduce-scatterv");
}

TEST_CASE("fallbacks") {
  using enum CollectiveOperation;
  CHECK(fitting(allgather, "recursive-doubling", {.ranks = 12}) == "bruck");
  CHECK(fitting(allgather, "neighbor-exchange", {.ranks = 7}) == "ring");
  CHECK(fitting(allreduce, "ring", {.ranks = 7, .commutative = false}) == "reduce-bcast");
  CHECK(fitting(alltoall, "linear", {.ranks = 7, .in_place = true}) == "pairwise");
  CHECK(fitting(bcast, "scatter-recursive-doubling", {.ranks = 7}) == "scatter-allgather");
}

TEST_CASE("the first rule that fits both limits is used, else the default") {
  Config& config = fake::config();
  config.collectives = {{"bcast", {{100, 4, "linear"}, {1000, 100, "chain"}}}};
  const auto messages = [](int ranks, std::uint64_t bytes) {
    return fake::run(ranks,
                     [&](Communicator& comm) {
                       std::vector<std::byte> data(bytes);
                       bcast(testing::call_on(comm), {data.data(), bytes, &byte_type()}, 0);
                     })
        .rounds;
  };
  CHECK(messages(4, 100) == 3);   // linear
  CHECK(messages(8, 100) == 7);   // chain of one segment
  CHECK(messages(4, 1000) == 3);  // chain
  CHECK(messages(8, 1001) == 3);  // binomial
  config.collectives = {{"bcast", {{.algorithm = "quick"}}}};
  CHECK_THROWS_AS(messages(2, 8), std::invalid_argument);
  config.collectives.clear();
}
