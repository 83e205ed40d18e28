#pragma once
// Process topologies of communicators (MPI-3.1 chapter 7). Cartesian and graph topologies are shared by all
// ranks of a host process; of a distributed graph each rank keeps its own neighbours.
#include <vector>

namespace mpisim::mpi {

class Communicator;

struct Topology {
  enum class Kind { cartesian, graph, distributed_graph };
  Kind kind = Kind::cartesian;

  // Cartesian: row-major ranks.
  std::vector<int> dimensions;
  std::vector<int> periodic;  ///< 0 or 1

  // Graph: neighbours of node i are edges[index[i-1] .. index[i]), with index[-1] = 0.
  std::vector<int> index;
  std::vector<int> edges;

  // Distributed graph: of this rank, in the order that MPI_Dist_graph_neighbors returns.
  std::vector<int> sources, source_weights;
  std::vector<int> destinations, destination_weights;
  bool weighted = false;

  int cartesian_size() const;
  /// Rank of coordinates, periodic dimensions wrapped; -1 if one is outside a dimension that is not periodic.
  int rank_of(const int* coordinates) const;
  void coordinates_of(int rank, int* coordinates) const;
  /// Ranks at distance -displacement and +displacement along a dimension; MPI_PROC_NULL beyond an edge.
  void shift(int rank, int direction, int displacement, int& source, int& destination) const;
  /// Neighbours of a node of a graph.
  std::vector<int> graph_neighbours(int node) const;
};

/// Neighbours of this rank in the order of the neighbourhood collectives (MPI-3.1 section 7.6): for Cartesian
/// topologies -1 and +1 along each dimension (MPI_PROC_NULL beyond edges). False if there is no topology.
bool topology_neighbours(const Communicator& communicator, std::vector<int>& sources,
                         std::vector<int>& destinations);

/// Balanced factors of `nodes` for the entries of `dimensions` that are 0, in decreasing order; false if the
/// given entries do not divide `nodes`. MPI_Dims_create (section 7.5.2).
bool create_dimensions(int nodes, std::vector<int>& dimensions);

}  // namespace mpisim::mpi
