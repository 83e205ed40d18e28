// Neighbourhood collectives (MPI-3.1 section 7.6).
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "mpisim/include/mpi.h"
#include "tests/unit/mpisim_local/rank_checks.hpp"

using mpisim::test::run;

namespace {

/// What `rank` sends as its block number `block`.
int value_of(int rank, int block) {
  return 1000 * rank + block;
}

/// All five calls on a topology. `expected`: for each source the block of which rank comes, or -1 beyond an
/// edge; allgather sends block 0 to all.
struct From {
  int rank, block;
};

int check_all(MPI_Comm comm, int rank, int out_count, const std::vector<From>& expected) {
  const auto in_count = static_cast<int>(expected.size());
  std::vector<int> out, counts_out, places_out, counts_in, places_in, got(expected.size(), -1);
  std::vector<MPI_Aint> addresses_out, addresses_in;
  std::vector<MPI_Datatype> types(std::max(expected.size(), static_cast<std::size_t>(out_count)), MPI_INT);
  for (int i = 0; i < out_count; ++i) {
    out.push_back(value_of(rank, i));
    counts_out.push_back(1);
    places_out.push_back(i);
    addresses_out.push_back(static_cast<MPI_Aint>(sizeof(int)) * i);
  }
  // Received in reverse order where the call has displacements.
  for (int i = 0; i < in_count; ++i) {
    counts_in.push_back(1);
    places_in.push_back(in_count - 1 - i);
    addresses_in.push_back(static_cast<MPI_Aint>(sizeof(int)) * (in_count - 1 - i));
  }
  const auto is_right = [&](bool reverse, bool same_block) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const From& from = expected[i];
      const int wanted = from.rank < 0 ? -1 : value_of(from.rank, same_block ? 0 : from.block);
      if (got[reverse ? expected.size() - 1 - i : i] != wanted) return false;
    }
    std::fill(got.begin(), got.end(), -1);
    return true;
  };
  const int first = value_of(rank, 0);
  RANK_CHECK(MPI_Neighbor_allgather(&first, 1, MPI_INT, got.data(), 1, MPI_INT, comm) == MPI_SUCCESS);
  RANK_CHECK(is_right(false, true));
  RANK_CHECK(MPI_Neighbor_allgatherv(&first, 1, MPI_INT, got.data(), counts_in.data(), places_in.data(),
                                     MPI_INT, comm) == MPI_SUCCESS);
  RANK_CHECK(is_right(true, true));
  RANK_CHECK(MPI_Neighbor_alltoall(out.data(), 1, MPI_INT, got.data(), 1, MPI_INT, comm) == MPI_SUCCESS);
  RANK_CHECK(is_right(false, false));
  RANK_CHECK(MPI_Neighbor_alltoallv(out.data(), counts_out.data(), places_out.data(), MPI_INT, got.data(),
                                    counts_in.data(), places_in.data(), MPI_INT, comm) == MPI_SUCCESS);
  RANK_CHECK(is_right(true, false));
  RANK_CHECK(MPI_Neighbor_alltoallw(out.data(), counts_out.data(), addresses_out.data(), types.data(),
                                    got.data(), counts_in.data(), addresses_in.data(), types.data(),
                                    comm) == MPI_SUCCESS);
  RANK_CHECK(is_right(true, false));
  return 0;
}

}  // namespace

TEST_CASE("neighbours on grids: what goes up comes from below, also where both are one rank") {
  const std::vector<std::vector<int>> shapes = {{6}, {2, 3}, {3, 2}, {1, 6}, {2, 3, 1}};
  for (const auto& shape : shapes) {
    for (const int periodic : {0, 1}) {
      for (const int hosts : {1, 2}) {
        const int status = run(
            6,
            [&](int) {
              const int dimensions = static_cast<int>(shape.size());
              const std::vector<int> periods(shape.size(), periodic);
              MPI_Comm grid;
              MPI_Cart_create(MPI_COMM_WORLD, dimensions, shape.data(), periods.data(), 0, &grid);
              int rank;
              MPI_Comm_rank(grid, &rank);
              std::vector<From> expected;
              for (int d = 0; d < dimensions; ++d) {
                int below, above;
                MPI_Cart_shift(grid, d, 1, &below, &above);
                // The lower neighbour sends its block for the upper one, and the other way round.
                expected.push_back({below == MPI_PROC_NULL ? -1 : below, 2 * d + 1});
                expected.push_back({above == MPI_PROC_NULL ? -1 : above, 2 * d});
              }
              const int fault = check_all(grid, rank, 2 * dimensions, expected);
              MPI_Comm_free(&grid);
              return fault;
            },
            hosts);
        INFO(shape.size() << " dimensions, periodic " << periodic << ", hosts " << hosts);
        CHECK(status == 0);
      }
    }
  }
}

TEST_CASE("neighbours on graphs") {
  CHECK(run(4, [](int rank) {
          const int index[] = {2, 3, 4, 6}, edges[] = {1, 3, 0, 3, 0, 2};
          MPI_Comm graph;
          MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph);
          // Where each rank stands in its neighbour's list.
          const std::vector<std::vector<From>> expected = {
              {{1, 0}, {3, 0}}, {{0, 0}}, {{3, 1}}, {{0, 1}, {2, 0}}};
          const int out_counts[] = {2, 1, 1, 2};
          const int fault =
              check_all(graph, rank, out_counts[rank], expected[static_cast<std::size_t>(rank)]);
          MPI_Comm_free(&graph);
          return fault;
        }) == 0);
}

TEST_CASE("neighbours on distributed graphs with different ins and outs, and edges that are there twice") {
  CHECK(run(3, [](int rank) {
          // 0 sends twice to 1 and once to 2; 2 sends to itself; 1 sends nothing.
          const std::vector<std::vector<int>> sources = {{}, {0, 0}, {2, 0}},
                                              destinations = {{1, 2, 1}, {}, {2}};
          const std::vector<std::vector<From>> expected = {{}, {{0, 0}, {0, 2}}, {{2, 0}, {0, 1}}};
          const auto me = static_cast<std::size_t>(rank);
          MPI_Comm graph;
          MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(sources[me].size()),
                                         sources[me].data(), MPI_UNWEIGHTED,
                                         static_cast<int>(destinations[me].size()), destinations[me].data(),
                                         MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
          const int fault = check_all(graph, rank, static_cast<int>(destinations[me].size()), expected[me]);
          MPI_Comm_free(&graph);
          return fault;
        }) == 0);
}

TEST_CASE("a communicator without a topology has no neighbours") {
  CHECK(run(2, [](int) {
          MPI_Comm comm;
          MPI_Comm_dup(MPI_COMM_WORLD, &comm);
          MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
          int out = 0, in = 0;
          RANK_CHECK(MPI_Neighbor_alltoall(&out, 1, MPI_INT, &in, 1, MPI_INT, comm) == MPI_ERR_TOPOLOGY);
          MPI_Comm_free(&comm);
          return 0;
        }) == 0);
}
