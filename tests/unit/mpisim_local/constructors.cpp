// What constructors of communicators cost: sizes of their messages, and what ranks of a host process share.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

#include "mpisim/handles.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/rank.hpp"
#include "tests/support/mpi_harness.hpp"
#include "tests/unit/mpisim_local/rank_checks.hpp"

using namespace mpisim;

namespace {

constexpr int ranks = 8;

/// Rank r knows `known(r)` edges, from itself and its neighbours to all ranks in turn. Returns 0 if every
/// rank finds those that touch it in the order of the ranks that know them.
template <class Known>
int check_graph(int rank, Known known) {
  const auto edges_of = [&](int knower) {
    std::vector<std::array<int, 3>> edges;
    for (int i = 0; i < known(knower); ++i)
      edges.push_back({(knower + i % 2) % ranks, i % ranks, 100 * knower + i});
    return edges;
  };
  std::vector<int> sources, degrees, destinations, weights;
  for (const auto& [source, destination, weight] : edges_of(rank)) {
    sources.push_back(source);
    degrees.push_back(1);
    destinations.push_back(destination);
    weights.push_back(weight);
  }
  MPI_Comm graph;
  MPI_Dist_graph_create(MPI_COMM_WORLD, static_cast<int>(sources.size()), sources.data(), degrees.data(),
                        destinations.data(), weights.data(), MPI_INFO_NULL, 0, &graph);
  std::vector<int> in, in_weights, out, out_weights;
  for (int knower = 0; knower < ranks; ++knower) {
    for (const auto& [source, destination, weight] : edges_of(knower)) {
      if (destination == rank) in.push_back(source), in_weights.push_back(weight);
      if (source == rank) out.push_back(destination), out_weights.push_back(weight);
    }
  }
  int indegree, outdegree, weighted;
  MPI_Dist_graph_neighbors_count(graph, &indegree, &outdegree, &weighted);
  RANK_CHECK(indegree == static_cast<int>(in.size()) && outdegree == static_cast<int>(out.size()) &&
             weighted);
  std::vector<int> from(in.size()), from_weights(in.size()), to(out.size()), to_weights(out.size());
  MPI_Dist_graph_neighbors(graph, indegree, from.data(), from_weights.data(), outdegree, to.data(),
                           to_weights.data());
  RANK_CHECK(from == in && from_weights == in_weights && to == out && to_weights == out_weights);
  MPI_Comm_free(&graph);
  return 0;
}

template <class Known>
test::HarnessResult run_graph(Known known, int hosts) {
  test::HarnessOptions options;
  options.hosts = hosts;
  return test::run_ranks(
      ranks,
      [known](int rank) {
        MPI_Init(nullptr, nullptr);
        const int status = check_graph(rank, known);
        MPI_Finalize();
        return status;
      },
      options);
}

}  // namespace

TEST_CASE("ranks contribute as many edges of a distributed graph as they know") {
  constexpr std::uint64_t edge = 3 * sizeof(int);
  for (const int hosts : {1, 2, 3}) {
    const auto none = run_graph([](int) { return 0; }, hosts);
    const auto one = run_graph([](int rank) { return rank == 2 ? 1000 : 0; }, hosts);
    const auto uneven = run_graph([](int rank) { return rank * rank; }, hosts);
    CHECK(none.exit_code == 0);
    CHECK(one.exit_code == 0);
    CHECK(uneven.exit_code == 0);
    // Every rank but the one that knows them gets each edge once.
    CHECK(one.totals.bytes - none.totals.bytes == 1000 * edge * (ranks - 1));
    std::uint64_t edges = 0;
    for (int rank = 0; rank < ranks; ++rank) edges += static_cast<std::uint64_t>(rank * rank);
    CHECK(uneven.totals.bytes - none.totals.bytes == edges * edge * (ranks - 1));
  }
}

TEST_CASE("the ranks of one side of an inter-communicator share its groups") {
  static std::set<const mpi::CommunicatorShared*> shared;
  shared.clear();
  const int status = test::run(9, [](int rank) {
    const int side = rank % 3 == 0;
    MPI_Comm local, inter;
    MPI_Comm_split(MPI_COMM_WORLD, side, 0, &local);
    MPI_Intercomm_create(local, side ? 2 : 4, MPI_COMM_WORLD, side ? 7 : 6, 3, &inter);
    int local_size, remote_size;
    MPI_Comm_size(inter, &local_size);
    MPI_Comm_remote_size(inter, &remote_size);
    RANK_CHECK(local_size == (side ? 3 : 6) && remote_size == (side ? 6 : 3));
    shared.insert(&mpi::handles().communicator(inter)->shared());
    MPI_Comm merged;
    MPI_Intercomm_merge(inter, side, &merged);
    int place;
    MPI_Comm_rank(merged, &place);
    RANK_CHECK(place == (side ? 6 + rank / 3 : rank - rank / 3 - 1));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    return 0;
  });
  CHECK(status == 0);
  CHECK(shared.size() == 2);
}
