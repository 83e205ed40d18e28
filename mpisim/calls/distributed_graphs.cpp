// Distributed graph topologies (MPI-3.1 sections 7.5.4, 7.5.5).
#include <algorithm>

#include "mpisim/arguments.hpp"
#include "mpisim/construction.hpp"
#include "mpisim/topology.hpp"

using namespace mpisim::mpi;

namespace {

std::string check_ranks(const char* name, int count, const int* ranks, int size) {
  if (count < 0) return fmt::format("the number of {} is {}", name, count);
  if (count > 0 && !ranks) return fmt::format("{} is a null pointer", name);
  for (int i = 0; i < count; ++i)
    if (ranks[i] < 0 || ranks[i] >= size)
      return fmt::format("{}[{}] is {}, but comm_old has {} ranks", name, i, ranks[i], size);
  return {};
}

std::vector<int> weights_of(int count, const int* weights, bool weighted) {
  if (!weighted || weights == MPI_WEIGHTS_EMPTY) return std::vector<int>(static_cast<std::size_t>(count), 1);
  return {weights, weights + count};
}

}  // namespace

MPISIM_ENTRY(int, Dist_graph_create_adjacent,
             (MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree,
              const int destinations[], const int destweights[], MPI_Info, int, MPI_Comm* comm_dist_graph)) {
  MPISIM_CALL(MPI_Dist_graph_create_adjacent, collective);
  MPISIM_COMMUNICATOR(parent, comm_old);
  MPISIM_NEW_COMMUNICATOR(comm_dist_graph, parent);
  MPISIM_REQUIRE(!parent->is_inter(), parent, MPI_ERR_COMM, "comm_old is an inter-communicator");
  std::string fault = check_ranks("sources", indegree, sources, parent->size());
  if (fault.empty()) fault = check_ranks("destinations", outdegree, destinations, parent->size());
  MPISIM_REQUIRE(fault.empty(), parent, MPI_ERR_ARG, "{}", fault);
  auto own = std::make_shared<Topology>();
  own->kind = Topology::Kind::distributed_graph;
  own->weighted = sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED;
  own->sources.assign(sources, sources + indegree);
  own->destinations.assign(destinations, destinations + outdegree);
  own->source_weights = weights_of(indegree, sourceweights, own->weighted);
  own->destination_weights = weights_of(outdegree, destweights, own->weighted);
  *comm_dist_graph = handles().add_communicator(create_distributed_graph(*parent, std::move(own)));
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Dist_graph_create,
             (MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
              const int weights[], MPI_Info, int, MPI_Comm* comm_dist_graph)) {
  MPISIM_CALL(MPI_Dist_graph_create, collective);
  MPISIM_COMMUNICATOR(parent, comm_old);
  MPISIM_NEW_COMMUNICATOR(comm_dist_graph, parent);
  MPISIM_REQUIRE(!parent->is_inter(), parent, MPI_ERR_COMM, "comm_old is an inter-communicator");
  std::string fault = check_ranks("sources", n, sources, parent->size());
  MPISIM_REQUIRE(fault.empty(), parent, MPI_ERR_ARG, "{}", fault);
  MPISIM_REQUIRE(n == 0 || degrees, parent, MPI_ERR_ARG, "degrees is a null pointer");
  int all = 0;
  for (int i = 0; i < n; ++i) {
    MPISIM_REQUIRE(degrees[i] >= 0, parent, MPI_ERR_ARG, "degrees[{}] is {}", i, degrees[i]);
    all += degrees[i];
  }
  fault = check_ranks("destinations", all, destinations, parent->size());
  MPISIM_REQUIRE(fault.empty(), parent, MPI_ERR_ARG, "{}", fault);
  const bool weighted = weights != MPI_UNWEIGHTED;
  const std::vector<int> weight = weights_of(all, weights, weighted);
  std::vector<Edge> edges;
  for (int i = 0, next = 0; i < n; ++i)
    for (int j = 0; j < degrees[i]; ++j, ++next)
      edges.push_back({sources[i], destinations[next], weight[static_cast<std::size_t>(next)]});
  *comm_dist_graph = handles().add_communicator(create_distributed_graph(*parent, edges, weighted));
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Dist_graph_neighbors_count, (MPI_Comm comm, int* indegree, int* outdegree, int* weighted)) {
  MPISIM_CALL(MPI_Dist_graph_neighbors_count, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  const Topology* graph = communicator->shared().topology.get();
  MPISIM_REQUIRE(graph && graph->kind == Topology::Kind::distributed_graph, communicator, MPI_ERR_TOPOLOGY,
                 "comm has no distributed graph topology");
  MPISIM_REQUIRE(indegree && outdegree && weighted, communicator, MPI_ERR_ARG,
                 "a result argument is a null pointer");
  *indegree = static_cast<int>(graph->sources.size());
  *outdegree = static_cast<int>(graph->destinations.size());
  *weighted = graph->weighted;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Dist_graph_neighbors,
             (MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
              int destinations[], int destweights[])) {
  MPISIM_CALL(MPI_Dist_graph_neighbors, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  const Topology* graph = communicator->shared().topology.get();
  MPISIM_REQUIRE(graph && graph->kind == Topology::Kind::distributed_graph, communicator, MPI_ERR_TOPOLOGY,
                 "comm has no distributed graph topology");
  MPISIM_REQUIRE(maxindegree >= 0 && maxoutdegree >= 0, communicator, MPI_ERR_ARG, "a limit is negative");
  const auto copy = [](const std::vector<int>& from, int limit, int* to) {
    std::copy_n(from.begin(), std::min(from.size(), static_cast<std::size_t>(limit)), to);
  };
  copy(graph->sources, maxindegree, sources);
  copy(graph->destinations, maxoutdegree, destinations);
  if (graph->weighted) {
    if (sourceweights != MPI_UNWEIGHTED) copy(graph->source_weights, maxindegree, sourceweights);
    if (destweights != MPI_UNWEIGHTED) copy(graph->destination_weights, maxoutdegree, destweights);
  }
  return MPI_SUCCESS;
}
