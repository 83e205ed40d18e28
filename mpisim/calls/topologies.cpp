// Process topologies (MPI-3.1 section 7.5).
#include <algorithm>

#include "mpisim/arguments.hpp"
#include "mpisim/construction.hpp"
#include "mpisim/topology.hpp"

using namespace mpisim::mpi;

namespace {

int give_handle(Communicator* made, MPI_Comm* newcomm) {
  *newcomm = made ? handles().add_communicator(made) : MPI_COMM_NULL;
  return MPI_SUCCESS;
}

const Topology* topology_of(const Communicator& communicator, Topology::Kind kind) {
  const Topology* topology = communicator.shared().topology.get();
  return topology && topology->kind == kind ? topology : nullptr;
}

/// Empty if the dimensions are a grid of at most `ranks` ranks.
std::string check_grid(int ndims, const int* dims, int ranks) {
  long size = 1;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] <= 0) return fmt::format("dims[{}] is {}", i, dims[i]);
    size *= dims[i];
    if (size > ranks) return fmt::format("a grid of these dimensions is larger than comm's {} ranks", ranks);
  }
  return {};
}

/// Empty if index and edges describe a graph of `nnodes` nodes.
std::string check_graph(int nnodes, const int* index, const int* edges) {
  int before = 0;
  for (int i = 0; i < nnodes; ++i) {
    if (index[i] < before) return fmt::format("index[{}] is {}, less than the entry before", i, index[i]);
    before = index[i];
  }
  for (int i = 0; i < before; ++i)
    if (edges[i] < 0 || edges[i] >= nnodes)
      return fmt::format("edges[{}] is {}, but there are {} nodes", i, edges[i], nnodes);
  return {};
}

}  // namespace

// Looks up comm and its topology of a kind.
#define MPISIM_TOPOLOGY(variable, topology_kind, what)                                        \
  MPISIM_COMMUNICATOR(communicator, comm);                                                    \
  const Topology* const variable = topology_of(*communicator, Topology::Kind::topology_kind); \
  MPISIM_REQUIRE(variable, communicator, MPI_ERR_TOPOLOGY, "comm has no {} topology", what)

MPISIM_ENTRY(int, Topo_test, (MPI_Comm comm, int* status)) {
  MPISIM_CALL(MPI_Topo_test, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE_POINTER(status, communicator);
  const Topology* topology = communicator->shared().topology.get();
  if (!topology) {
    *status = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  switch (topology->kind) {
    case Topology::Kind::cartesian:
      *status = MPI_CART;
      break;
    case Topology::Kind::graph:
      *status = MPI_GRAPH;
      break;
    case Topology::Kind::distributed_graph:
      *status = MPI_DIST_GRAPH;
      break;
  }
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Dims_create, (int nnodes, int ndims, int dims[])) {
  MPISIM_CALL(MPI_Dims_create, local);
  MPISIM_REQUIRE(nnodes >= 1, nullptr, MPI_ERR_ARG, "nnodes is {}", nnodes);
  MPISIM_REQUIRE(ndims >= 0, nullptr, MPI_ERR_DIMS, "ndims is {}", ndims);
  if (ndims == 0) return MPI_SUCCESS;
  MPISIM_REQUIRE_POINTER(dims, nullptr);
  std::vector<int> sizes(dims, dims + ndims);
  for (int i = 0; i < ndims; ++i)
    MPISIM_REQUIRE(dims[i] >= 0, nullptr, MPI_ERR_DIMS, "dims[{}] is {}", i, dims[i]);
  MPISIM_REQUIRE(create_dimensions(nnodes, sizes), nullptr, MPI_ERR_DIMS,
                 "the given entries of dims do not divide nnodes {}", nnodes);
  std::copy(sizes.begin(), sizes.end(), dims);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Cart_create,
             (MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int,
              MPI_Comm* comm_cart)) {
  MPISIM_CALL(MPI_Cart_create, collective);
  MPISIM_COMMUNICATOR(parent, comm_old);
  MPISIM_NEW_COMMUNICATOR(comm_cart, parent);
  MPISIM_REQUIRE(!parent->is_inter(), parent, MPI_ERR_COMM, "comm_old is an inter-communicator");
  MPISIM_REQUIRE(ndims >= 0, parent, MPI_ERR_DIMS, "ndims is {}", ndims);
  MPISIM_REQUIRE(ndims == 0 || (dims && periods), parent, MPI_ERR_ARG, "dims or periods is a null pointer");
  const std::string fault = check_grid(ndims, dims, parent->size());
  MPISIM_REQUIRE(fault.empty(), parent, MPI_ERR_DIMS, "{}", fault);
  Topology grid;
  grid.kind = Topology::Kind::cartesian;
  grid.dimensions.assign(dims, dims + ndims);
  for (int i = 0; i < ndims; ++i) grid.periodic.push_back(periods[i] != 0);
  return give_handle(create_with_topology(*parent, grid.cartesian_size(),
                                          [&] { return std::make_shared<const Topology>(grid); }),
                     comm_cart);
}

MPISIM_ENTRY(int, Cartdim_get, (MPI_Comm comm, int* ndims)) {
  MPISIM_CALL(MPI_Cartdim_get, local);
  MPISIM_TOPOLOGY(grid, cartesian, "Cartesian");
  MPISIM_REQUIRE_POINTER(ndims, communicator);
  *ndims = static_cast<int>(grid->dimensions.size());
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Cart_get, (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])) {
  MPISIM_CALL(MPI_Cart_get, local);
  MPISIM_TOPOLOGY(grid, cartesian, "Cartesian");
  const int ndims = static_cast<int>(grid->dimensions.size());
  MPISIM_REQUIRE(maxdims >= ndims, communicator, MPI_ERR_ARG, "maxdims is {}, but there are {} dimensions",
                 maxdims, ndims);
  if (ndims == 0) return MPI_SUCCESS;
  MPISIM_REQUIRE(dims && periods && coords, communicator, MPI_ERR_ARG, "an array argument is a null pointer");
  std::copy(grid->dimensions.begin(), grid->dimensions.end(), dims);
  std::copy(grid->periodic.begin(), grid->periodic.end(), periods);
  grid->coordinates_of(communicator->rank(), coords);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Cart_rank, (MPI_Comm comm, const int coords[], int* rank)) {
  MPISIM_CALL(MPI_Cart_rank, local);
  MPISIM_TOPOLOGY(grid, cartesian, "Cartesian");
  MPISIM_REQUIRE(coords || grid->dimensions.empty(), communicator, MPI_ERR_ARG, "coords is a null pointer");
  MPISIM_REQUIRE_POINTER(rank, communicator);
  const int found = grid->rank_of(coords);
  MPISIM_REQUIRE(found >= 0, communicator, MPI_ERR_ARG,
                 "coords lie outside of the grid in a dimension that is not periodic");
  *rank = found;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Cart_coords, (MPI_Comm comm, int rank, int maxdims, int coords[])) {
  MPISIM_CALL(MPI_Cart_coords, local);
  MPISIM_TOPOLOGY(grid, cartesian, "Cartesian");
  MPISIM_REQUIRE(rank >= 0 && rank < communicator->size(), communicator, MPI_ERR_RANK,
                 "rank is {}, but comm has {} ranks", rank, communicator->size());
  const int ndims = static_cast<int>(grid->dimensions.size());
  MPISIM_REQUIRE(maxdims >= ndims, communicator, MPI_ERR_ARG, "maxdims is {}, but there are {} dimensions",
                 maxdims, ndims);
  MPISIM_REQUIRE(coords || ndims == 0, communicator, MPI_ERR_ARG, "coords is a null pointer");
  grid->coordinates_of(rank, coords);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Cart_shift, (MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest)) {
  MPISIM_CALL(MPI_Cart_shift, local);
  MPISIM_TOPOLOGY(grid, cartesian, "Cartesian");
  MPISIM_REQUIRE(direction >= 0 && direction < static_cast<int>(grid->dimensions.size()), communicator,
                 MPI_ERR_ARG, "direction is {}, but there are {} dimensions", direction,
                 grid->dimensions.size());
  MPISIM_REQUIRE(rank_source && rank_dest, communicator, MPI_ERR_ARG, "a result argument is a null pointer");
  grid->shift(communicator->rank(), direction, disp, *rank_source, *rank_dest);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm)) {
  MPISIM_CALL(MPI_Cart_sub, collective);
  MPISIM_TOPOLOGY(grid, cartesian, "Cartesian");
  MPISIM_NEW_COMMUNICATOR(newcomm, communicator);
  MPISIM_REQUIRE(remain_dims || grid->dimensions.empty(), communicator, MPI_ERR_ARG,
                 "remain_dims is a null pointer");
  std::vector<int> at(grid->dimensions.size());
  grid->coordinates_of(communicator->rank(), at.data());
  auto rest = std::make_shared<Topology>();
  int color = 0, key = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    int& number = remain_dims[d] ? key : color;
    number = number * grid->dimensions[d] + at[d];
    if (!remain_dims[d]) continue;
    rest->dimensions.push_back(grid->dimensions[d]);
    rest->periodic.push_back(grid->periodic[d]);
  }
  return give_handle(split(*communicator, color, key, std::move(rest)), newcomm);
}

MPISIM_ENTRY(int, Cart_map, (MPI_Comm comm, int ndims, const int dims[], const int[], int* newrank)) {
  MPISIM_CALL(MPI_Cart_map, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE(ndims >= 0, communicator, MPI_ERR_DIMS, "ndims is {}", ndims);
  MPISIM_REQUIRE(ndims == 0 || dims, communicator, MPI_ERR_ARG, "dims is a null pointer");
  const std::string fault = check_grid(ndims, dims, communicator->size());
  MPISIM_REQUIRE(fault.empty(), communicator, MPI_ERR_DIMS, "{}", fault);
  MPISIM_REQUIRE_POINTER(newrank, communicator);
  int size = 1;
  for (int i = 0; i < ndims; ++i) size *= dims[i];
  *newrank = communicator->rank() < size ? communicator->rank() : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Graph_create,
             (MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int,
              MPI_Comm* comm_graph)) {
  MPISIM_CALL(MPI_Graph_create, collective);
  MPISIM_COMMUNICATOR(parent, comm_old);
  MPISIM_NEW_COMMUNICATOR(comm_graph, parent);
  MPISIM_REQUIRE(!parent->is_inter(), parent, MPI_ERR_COMM, "comm_old is an inter-communicator");
  MPISIM_REQUIRE(nnodes >= 0 && nnodes <= parent->size(), parent, MPI_ERR_ARG,
                 "nnodes is {}, but comm_old has {} ranks", nnodes, parent->size());
  MPISIM_REQUIRE(nnodes == 0 || (index && (edges || index[nnodes - 1] == 0)), parent, MPI_ERR_ARG,
                 "index or edges is a null pointer");
  const std::string fault = check_graph(nnodes, index, edges);
  MPISIM_REQUIRE(fault.empty(), parent, MPI_ERR_ARG, "{}", fault);
  if (nnodes == 0) return give_handle(nullptr, comm_graph);
  const auto make = [&] {
    auto graph = std::make_shared<Topology>();
    graph->kind = Topology::Kind::graph;
    graph->index.assign(index, index + nnodes);
    graph->edges.assign(edges, edges + index[nnodes - 1]);
    return graph;
  };
  return give_handle(create_with_topology(*parent, nnodes, make), comm_graph);
}

MPISIM_ENTRY(int, Graphdims_get, (MPI_Comm comm, int* nnodes, int* nedges)) {
  MPISIM_CALL(MPI_Graphdims_get, local);
  MPISIM_TOPOLOGY(graph, graph, "graph");
  MPISIM_REQUIRE(nnodes && nedges, communicator, MPI_ERR_ARG, "a result argument is a null pointer");
  *nnodes = static_cast<int>(graph->index.size());
  *nedges = static_cast<int>(graph->edges.size());
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[])) {
  MPISIM_CALL(MPI_Graph_get, local);
  MPISIM_TOPOLOGY(graph, graph, "graph");
  MPISIM_REQUIRE(index && edges, communicator, MPI_ERR_ARG, "an array argument is a null pointer");
  const auto copy = [](const std::vector<int>& from, int limit, int* to) {
    std::copy_n(from.begin(), std::min(from.size(), static_cast<std::size_t>(std::max(limit, 0))), to);
  };
  copy(graph->index, maxindex, index);
  copy(graph->edges, maxedges, edges);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int* nneighbors)) {
  MPISIM_CALL(MPI_Graph_neighbors_count, local);
  MPISIM_TOPOLOGY(graph, graph, "graph");
  MPISIM_REQUIRE(rank >= 0 && rank < communicator->size(), communicator, MPI_ERR_RANK,
                 "rank is {}, but comm has {} ranks", rank, communicator->size());
  MPISIM_REQUIRE_POINTER(nneighbors, communicator);
  *nneighbors = static_cast<int>(graph->graph_neighbours(rank).size());
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Graph_neighbors, (MPI_Comm comm, int rank, int maxneighbors, int neighbors[])) {
  MPISIM_CALL(MPI_Graph_neighbors, local);
  MPISIM_TOPOLOGY(graph, graph, "graph");
  MPISIM_REQUIRE(rank >= 0 && rank < communicator->size(), communicator, MPI_ERR_RANK,
                 "rank is {}, but comm has {} ranks", rank, communicator->size());
  const std::vector<int> found = graph->graph_neighbours(rank);
  MPISIM_REQUIRE(maxneighbors >= static_cast<int>(found.size()), communicator, MPI_ERR_ARG,
                 "maxneighbors is {}, but rank {} has {}", maxneighbors, rank, found.size());
  MPISIM_REQUIRE(neighbors || found.empty(), communicator, MPI_ERR_ARG, "neighbors is a null pointer");
  std::copy(found.begin(), found.end(), neighbors);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Graph_map, (MPI_Comm comm, int nnodes, const int[], const int[], int* newrank)) {
  MPISIM_CALL(MPI_Graph_map, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE(nnodes >= 1 && nnodes <= communicator->size(), communicator, MPI_ERR_ARG,
                 "nnodes is {}, but comm has {} ranks", nnodes, communicator->size());
  MPISIM_REQUIRE_POINTER(newrank, communicator);
  *newrank = communicator->rank() < nnodes ? communicator->rank() : MPI_UNDEFINED;
  return MPI_SUCCESS;
}
