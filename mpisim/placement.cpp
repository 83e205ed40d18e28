#include "mpisim/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "mpisim/world.hpp"

namespace mpisim::mpi {

namespace {

/// The first rank of each rank's node.
std::vector<kernel::LpId> first_ranks(const WorldOptions& options) {
  std::unordered_map<network::NodeId, kernel::LpId> first_of_node;
  std::vector<kernel::LpId> first(static_cast<std::size_t>(options.ranks));
  for (kernel::LpId rank = 0; rank < first.size(); ++rank)
    first[rank] = first_of_node.try_emplace(options.node(static_cast<int>(rank)), rank).first->second;
  return first;
}

}  // namespace

LpPlacement::LpPlacement(const WorldOptions& options, int hosts) : options_(options), hosts_(hosts) {
  const bool graph = options.partition == "graph";
  if (graph) profile_ = kernel::LoadProfile::load(options.profile_file);
  if (!options.host_of_rank.empty())
    host_of_lp_ = extend(options.host_of_rank);
  else if (options.partition == "round-robin")
    host_of_lp_ = by_round_robin();
  else
    host_of_lp_ = by_block();
  if (profile_) check_profile(*profile_, host_of_lp_.size());
  if (options.profile_file.empty() || hosts == 1) return;
  block_ = by_block();
  round_robin_ = by_round_robin();
  if (profile_) host_of_lp_ = by_graph(*profile_);
}

std::vector<std::uint16_t> LpPlacement::extend(std::vector<std::uint16_t> host_of) const {
  if (!options_.extension) return host_of;
  if (options_.extension->keeps_nodes_together()) {
    const std::vector<kernel::LpId> first = first_ranks(options_);
    for (std::size_t rank = 0; rank < host_of.size(); ++rank) host_of[rank] = host_of[first[rank]];
  }
  const auto ranks = static_cast<kernel::LpId>(host_of.size());
  const std::vector<std::uint16_t> added = options_.extension->place_lps(options_, ranks, host_of, hosts_);
  host_of.insert(host_of.end(), added.begin(), added.end());
  return host_of;
}

std::vector<std::uint16_t> LpPlacement::by_block() const {
  const auto ranks = static_cast<std::size_t>(options_.ranks);
  std::vector<std::uint16_t> host_of(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    host_of[rank] = static_cast<std::uint16_t>(rank * static_cast<std::size_t>(hosts_) / ranks);
  return extend(std::move(host_of));
}

std::vector<std::uint16_t> LpPlacement::by_round_robin() const {
  std::vector<std::uint16_t> host_of(static_cast<std::size_t>(options_.ranks));
  for (std::size_t rank = 0; rank < host_of.size(); ++rank)
    host_of[rank] = static_cast<std::uint16_t>(rank % static_cast<std::size_t>(hosts_));
  return extend(std::move(host_of));
}

void LpPlacement::check_profile(const kernel::LoadProfile& profile, std::size_t lps) const {
  const auto ranks = static_cast<std::uint64_t>(options_.ranks);
  const auto refuse = [this](const std::string& what) {
    throw kernel::WrongProfile(fmt::format(
        "{} {}; record one of this program and machine with --profile FILE", options_.profile_file, what));
  };
  if (profile.processes != ranks)
    refuse(fmt::format("is of a run with {} ranks, but this one has {}", profile.processes, ranks));
  if (profile.lps() != lps)
    refuse(
        fmt::format("is of a machine whose file system has {} logical processes (server, nodes and disks), "
                    "but this one has {}",
                    profile.lps() - ranks, lps - ranks));
}

// Number of the group of each LP: the LPs that must share a host process.
std::vector<std::uint32_t> LpPlacement::groups(std::size_t lps, std::size_t& count) const {
  std::vector<kernel::LpId> with(lps);
  std::iota(with.begin(), with.end(), 0U);
  if (options_.extension) {
    if (options_.extension->keeps_nodes_together()) {
      const std::vector<kernel::LpId> first = first_ranks(options_);
      std::copy(first.begin(), first.end(), with.begin());
    }
    const auto ranks = static_cast<kernel::LpId>(options_.ranks);
    const std::vector<kernel::LpId> added = options_.extension->companions(options_, ranks);
    std::copy(added.begin(), added.end(), with.begin() + ranks);
  }
  std::vector<std::uint32_t> group(lps);
  count = 0;
  for (std::size_t lp = 0; lp < lps; ++lp)
    group[lp] = with[lp] == lp ? static_cast<std::uint32_t>(count++) : group[with[lp]];
  return group;
}

std::vector<std::uint16_t> LpPlacement::by_graph(const kernel::LoadProfile& profile) const {
  std::size_t count = 0;
  const std::vector<std::uint32_t> group = groups(host_of_lp_.size(), count);
  const kernel::LoadGraph graph = kernel::make_load_graph(profile, group, count);
  std::vector<std::vector<std::uint16_t>> proposals;
  for (const Hosts* host_of : {&block_, &round_robin_}) {
    Hosts& part = proposals.emplace_back(count);
    for (std::size_t lp = 0; lp < host_of->size(); ++lp) part[group[lp]] = (*host_of)[lp];
  }
  const std::vector<std::uint16_t> part = kernel::partition_graph(graph, hosts_, options_.metis, proposals);
  std::vector<std::uint16_t> host_of(group.size());
  for (std::size_t lp = 0; lp < group.size(); ++lp) host_of[lp] = part[group[lp]];
  return host_of;
}

PlacementQuality LpPlacement::quality(const kernel::LoadProfile& profile) const {
  return {kernel::quality_of(profile, host_of_lp_, hosts_), kernel::quality_of(profile, block_, hosts_),
          kernel::quality_of(profile, round_robin_, hosts_)};
}

}  // namespace mpisim::mpi
