#include "mpisim/topology.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "mpisim/communicator.hpp"
#include "mpisim/include/mpi.h"

namespace mpisim::mpi {

int Topology::cartesian_size() const {
  return std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies<>());
}

int Topology::rank_of(const int* coordinates) const {
  int rank = 0;
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    int at = coordinates[d];
    if (periodic[d]) {
      at %= dimensions[d];
      if (at < 0) at += dimensions[d];
    } else if (at < 0 || at >= dimensions[d]) {
      return -1;
    }
    rank = rank * dimensions[d] + at;
  }
  return rank;
}

void Topology::coordinates_of(int rank, int* coordinates) const {
  for (std::size_t d = dimensions.size(); d-- > 0;) {
    coordinates[d] = rank % dimensions[d];
    rank /= dimensions[d];
  }
}

void Topology::shift(int rank, int direction, int displacement, int& source, int& destination) const {
  std::vector<int> at(dimensions.size());
  coordinates_of(rank, at.data());
  const int here = at[static_cast<std::size_t>(direction)];
  const auto rank_at = [&](long place) {
    const int length = dimensions[static_cast<std::size_t>(direction)];
    if (periodic[static_cast<std::size_t>(direction)])
      place = (place % length + length) % length;
    else if (place < 0 || place >= length)
      return MPI_PROC_NULL;
    at[static_cast<std::size_t>(direction)] = static_cast<int>(place);
    return rank_of(at.data());
  };
  source = rank_at(static_cast<long>(here) - displacement);
  destination = rank_at(static_cast<long>(here) + displacement);
}

std::vector<int> Topology::graph_neighbours(int node) const {
  const int begin = node == 0 ? 0 : index[static_cast<std::size_t>(node) - 1];
  return {edges.begin() + begin, edges.begin() + index[static_cast<std::size_t>(node)]};
}

bool topology_neighbours(const Communicator& communicator, std::vector<int>& sources,
                         std::vector<int>& destinations) {
  const Topology* topology = communicator.shared().topology.get();
  if (!topology) return false;
  sources.clear();
  destinations.clear();
  switch (topology->kind) {
    case Topology::Kind::cartesian:
      for (int d = 0; d < static_cast<int>(topology->dimensions.size()); ++d) {
        int below, above;
        topology->shift(communicator.rank(), d, 1, below, above);
        sources.insert(sources.end(), {below, above});
      }
      destinations = sources;
      break;
    case Topology::Kind::graph:
      sources = destinations = topology->graph_neighbours(communicator.rank());
      break;
    case Topology::Kind::distributed_graph:
      sources = topology->sources;
      destinations = topology->destinations;
      break;
  }
  return true;
}

bool create_dimensions(int nodes, std::vector<int>& dimensions) {
  std::size_t free = 0;
  for (const int d : dimensions) {
    if (d == 0) {
      ++free;
    } else {
      if (nodes % d != 0) return false;
      nodes /= d;
    }
  }
  if (free == 0) return nodes == 1;
  // As balanced as can be: the smallest possible largest factor, then the next.
  std::vector<int> best, chosen;
  const std::function<void(int, std::size_t, int)> search = [&](int rest, std::size_t left, int limit) {
    if (left == 1) {
      if (rest > limit) return;
      chosen.push_back(rest);
      if (best.empty() || chosen < best) best = chosen;
      chosen.pop_back();
      return;
    }
    for (int factor = 1; factor <= limit && factor <= rest; ++factor) {
      if (rest % factor != 0) continue;
      if (!best.empty() && chosen.empty() && factor > best[0]) break;
      chosen.push_back(factor);
      search(rest / factor, left - 1, factor);
      chosen.pop_back();
    }
  };
  search(nodes, free, nodes);
  auto next = best.begin();
  for (int& d : dimensions)
    if (d == 0) d = *next++;
  return true;
}

}  // namespace mpisim::mpi
