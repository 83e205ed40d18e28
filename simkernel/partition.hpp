#pragma once
// Dealing LPs to host processes by what an earlier run has measured: as little traffic between host processes
// as possible, with the host time of each no more than a few per cent above what is possible.
//
// LPs that must share a host process (short mutual lookahead: the ranks of a node and the file system's
// client there, an I/O node and its disks) form a group; the groups are the vertices of a weighted graph
// (weight: host time), whose edges weigh what their LPs exchanged. METIS (G. Karypis and V. Kumar, SIAM J.
// Sci. Comput. 20, 1998) proposes partitions, by recursive bisection and by its k-way algorithm from several
// seeds; these and the given ones (block, round-robin) are improved by moving and exchanging single groups
// while that helps, and the best is taken. The same input gives the same partition on every host process.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "simkernel/load_profile.hpp"

namespace mpisim::kernel {

/// An event between host processes costs about as much as so many bytes of data in it: what it takes to
/// serialise, send, receive and deliver it.
inline constexpr std::uint64_t event_cost_in_bytes = 1024;

/// How good a partition is.
struct PartitionQuality {
  std::uint64_t cut_events = 0;  ///< events between host processes
  std::uint64_t cut_bytes = 0;   ///< and their bytes
  double imbalance = 1;          ///< host time of the busiest host process over the mean; at least 1
  std::uint64_t cut() const { return cut_events * event_cost_in_bytes + cut_bytes; }
};

/// Of a partition of all LPs of a profile. `hosts` >= 1, all values of host_of_lp below.
PartitionQuality quality_of(const LoadProfile& profile, std::span<const std::uint16_t> host_of_lp, int hosts);

/// Undirected weighted graph in compressed rows: the neighbours of v are neighbours[first[v]] ..
/// neighbours[first[v + 1] - 1]. Every edge stands at both ends; no loops.
struct LoadGraph {
  std::vector<std::uint64_t> load;  ///< of each vertex, > 0
  std::vector<std::size_t> first;
  std::vector<std::uint32_t> neighbours;
  std::vector<std::uint64_t> weights;

  std::size_t vertices() const { return load.size(); }
};

/// `group_of_lp`: vertex of each LP, 0 .. groups-1.
LoadGraph make_load_graph(const LoadProfile& profile, std::span<const std::uint32_t> group_of_lp,
                          std::size_t groups);

/// Weight of the edges between parts.
std::uint64_t cut_of(const LoadGraph& graph, std::span<const std::uint16_t> part);
/// Load of the heaviest part.
std::uint64_t heaviest_part(const LoadGraph& graph, std::span<const std::uint16_t> part, int parts);
/// Most load that partition_graph gives to a part: 1.05 times that of the heaviest when vertices are dealt,
/// heaviest first, to the part that has least, so that it can always be kept.
std::uint64_t load_limit(const LoadGraph& graph, int parts);

/// METIS, as a plug-in offers it (metis_partitioner.cpp): fills `part`; false if it could not.
enum class MetisMethod : int { recursive_bisection, k_way };
using MetisPartitioner = std::function<bool(const LoadGraph& graph, int parts, MetisMethod method, int seed,
                                            std::span<std::uint16_t> part)>;

/// A partition with at most load_limit per part and the least cut that was found. `proposals`: partitions to
/// begin with besides METIS's, each vertices() long.
std::vector<std::uint16_t> partition_graph(const LoadGraph& graph, int parts, const MetisPartitioner& metis,
                                           const std::vector<std::vector<std::uint16_t>>& proposals);

}  // namespace mpisim::kernel
