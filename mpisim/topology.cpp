#include "mpisim/topology.hpp"

#include <algorithm>
#include <cmath>
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

namespace {

std::vector<int> divisors_of(int number) {
  std::vector<int> divisors;
  for (int d = 1; d <= number / d; ++d) {
    if (number % d != 0) continue;
    divisors.push_back(d);
    if (d != number / d) divisors.push_back(number / d);
  }
  std::sort(divisors.begin(), divisors.end());
  return divisors;
}

/// The factors, in falling order, that are as close to each other as possible (section 7.5.2): the least
/// difference between the largest and the smallest, then the largest smallest ones.
std::vector<int> most_balanced(int number, std::size_t factors) {
  const std::vector<int> divisors = divisors_of(number);
  std::vector<int> best, chosen;
  const auto better = [&] {
    if (best.empty()) return true;
    const int spread = chosen.front() - chosen.back(), best_spread = best.front() - best.back();
    if (spread != best_spread) return spread < best_spread;
    return std::lexicographical_compare(best.rbegin(), best.rend(), chosen.rbegin(), chosen.rend());
  };
  const std::function<void(int)> search = [&](int rest) {
    const std::size_t left = factors - chosen.size();
    if (left == 1) {
      if (!chosen.empty() && rest > chosen.back()) return;
      chosen.push_back(rest);
      if (better()) best = chosen;
      chosen.pop_back();
      return;
    }
    for (const int divisor : divisors) {
      if (divisor > (chosen.empty() ? rest : std::min(rest, chosen.back()))) break;
      // The factors to come are no larger.
      if (rest % divisor != 0 || std::pow(divisor, left) < rest) continue;
      chosen.push_back(divisor);
      search(rest / divisor);
      chosen.pop_back();
    }
  };
  search(number);
  return best;
}

}  // namespace

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
  std::vector<int> best = most_balanced(nodes, free);
  auto next = best.begin();
  for (int& d : dimensions)
    if (d == 0) d = *next++;
  return true;
}

}  // namespace mpisim::mpi
