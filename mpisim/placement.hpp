#pragma once
// Which host process simulates each LP: ranks and those that the layer above has added.
#include <cstdint>
#include <optional>
#include <vector>

#include "simkernel/load_profile.hpp"
#include "simkernel/partition.hpp"

namespace mpisim::mpi {

struct WorldOptions;

/// How good a placement is, beside the two that need no profile.
struct PlacementQuality {
  kernel::PartitionQuality chosen;
  kernel::PartitionQuality block;
  kernel::PartitionQuality round_robin;
};

class LpPlacement {
 public:
  /// As the options say: `partition`, or host_of_rank for ranks if it is not empty. LPs that must share a
  /// host process do. Throws kernel::WrongProfile if the profile of the graph partition does not fit.
  LpPlacement(const WorldOptions& options, int hosts);

  /// Of each LP, ranks first.
  const std::vector<std::uint16_t>& host_of_lp() const { return host_of_lp_; }
  /// What the graph partition was made from.
  const std::optional<kernel::LoadProfile>& profile() const { return profile_; }
  /// By what a run has cost; only with a profile_file in the options and several host processes.
  PlacementQuality quality(const kernel::LoadProfile& profile) const;

 private:
  using Hosts = std::vector<std::uint16_t>;
  Hosts extend(Hosts host_of_rank) const;
  Hosts by_block() const;
  Hosts by_round_robin() const;
  Hosts by_graph(const kernel::LoadProfile& profile) const;
  std::vector<std::uint32_t> groups(std::size_t lps, std::size_t& count) const;
  void check_profile(const kernel::LoadProfile& profile, std::size_t lps) const;

  const WorldOptions& options_;
  int hosts_;
  std::optional<kernel::LoadProfile> profile_;
  Hosts host_of_lp_;
  Hosts block_;  ///< to compare with; empty if nothing tells
  Hosts round_robin_;
};

}  // namespace mpisim::mpi
