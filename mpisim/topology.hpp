#pragma once
// Process topologies of communicators, shared by all ranks of a host process.
#include <vector>

namespace mpisim::mpi {

struct Topology {
  enum class Kind { cartesian, graph, distributed_graph };
  Kind kind = Kind::cartesian;

  // Cartesian: row-major ranks.
  std::vector<int> dimensions;
  std::vector<int> periodic;

  // Graph: neighbours of node i are edges[index[i-1] .. index[i]), with index[-1] = 0.
  std::vector<int> index;
  std::vector<int> edges;

  // Distributed graph: one entry per rank; edges in the order that MPI_Dist_graph_neighbors returns.
  struct Neighbours {
    std::vector<int> sources, source_weights;
    std::vector<int> destinations, destination_weights;
  };
  std::vector<Neighbours> neighbours;
  bool weighted = false;

  /// Cartesian: rank of coordinates, periodic dimensions wrapped; -1 if one is outside a dimension that is
  /// not periodic.
  int rank_of(const int* coordinates) const;
  void coordinates_of(int rank, int* coordinates) const;
};

}  // namespace mpisim::mpi
