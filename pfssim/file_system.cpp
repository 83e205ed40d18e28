#include "pfssim/file_system.hpp"

#include <algorithm>
#include <cassert>
#include <type_traits>

#include "pfssim/burst_buffer.hpp"
#include "pfssim/burst_client.hpp"
#include "pfssim/caching_client.hpp"
#include "pfssim/caching_io_node.hpp"
#include "pfssim/compute_node.hpp"
#include "pfssim/disk_bus.hpp"
#include "pfssim/disk_unit.hpp"
#include "pfssim/io_node.hpp"
#include "pfssim/metadata_server.hpp"
#include "pfssim/object_client.hpp"
#include "pfssim/object_server.hpp"

namespace mpisim::pfs {

using kernel::LpId;

namespace {

/// In whole places for each home.
std::uint32_t share_of_homes(const Parameters& parameters, const CachePolicy& policy) {
  const std::uint64_t blocks = parameters.caching.cnode.blocks;
  if (blocks == 0) return 0;
  // What is read has to be somewhere: one place at least is the node's own.
  const auto share = static_cast<std::uint32_t>(
      std::min(static_cast<double>(blocks - 1), static_cast<double>(blocks) * policy.managed_share()));
  return share / parameters.io_nodes * parameters.io_nodes;
}

}  // namespace

FileSystem::FileSystem(const Parameters& parameters, const network::NetworkModel& network,
                       std::vector<network::NodeId> compute_nodes, LpId first)
    : parameters_(parameters),
      network_(network),
      compute_nodes_(std::move(compute_nodes)),
      policy_(make_policy(parameters_.caching)),
      managed_blocks_(share_of_homes(parameters_, *policy_)),
      largest_cell_(FilePlacement(parameters_.cell_space()).room()),
      first_cnode_(first),
      first_io_node_(first_cnode_ + clients()),
      first_disk_(first_io_node_ + parameters_.io_nodes),
      first_disk_bus_(first_disk_ + parameters_.cells()),
      first_metadata_(first_disk_bus_ + disk_buses()),
      first_burst_client_(first_metadata_ + parameters_.metadata.servers) {}

std::uint32_t FileSystem::clients() const {
  if (parameters_.burst.place == BurstParameters::Place::dedicated) return parameters_.burst.nodes;
  return static_cast<std::uint32_t>(compute_nodes_.size());
}

/// Cells that share a disk have equal parts of it, one after the other.
std::uint64_t FileSystem::room_of_cell(const Shape& shape) const {
  constexpr std::uint64_t without_bounds = std::uint64_t{1} << 44;
  const std::uint32_t disks = parameters_.cells();
  if (shape.cells <= disks) return largest_cell_;
  return std::min(largest_cell_, without_bounds) / ((shape.cells + disks - 1) / disks);
}

void FileSystem::divide(const Shape& shape, std::uint64_t offset, std::uint64_t bytes,
                        std::vector<CellRange>& ranges) const {
  ranges.clear();
  parameters_.layout->divide(shape, offset, bytes, ranges);
  const std::uint32_t disks = parameters_.cells();
  if (shape.cells > disks) {
    const std::uint64_t room = room_of_cell(shape);
    for (CellRange& range : ranges) {
      range.offset += range.cell / disks * room;
      range.cell %= disks;
    }
  }
  for (CellRange& range : ranges) range.cell = kernel::remainder(shape.first + range.cell, disks);
}

std::uint64_t FileSystem::piece(const Shape& shape, std::uint64_t offset, std::uint64_t bytes) const {
  const std::uint64_t limit = parameters_.request_limit;
  if (limit == 0 || bytes <= limit) return bytes;
  std::vector<CellRange> ranges;
  std::vector<std::uint64_t> of_disk(parameters_.cells());
  const auto fits = [&](std::uint64_t some) {
    divide(shape, offset, some, ranges);
    std::fill(of_disk.begin(), of_disk.end(), 0);
    for (const CellRange& range : ranges) of_disk[range.cell] += range.bytes;
    return *std::max_element(of_disk.begin(), of_disk.end()) <= limit;
  };
  // What a disk gets grows with the bytes: bisection between what fits and what does not.
  std::uint64_t fit = limit, too_much = bytes + 1;
  while (too_much - fit > 1) {
    const std::uint64_t middle = fit + (too_much - fit) / 2;
    (fits(middle) ? fit : too_much) = middle;
  }
  return fit;
}

LpId FileSystem::cnode(network::NodeId compute_node) const {
  const auto place = std::lower_bound(compute_nodes_.begin(), compute_nodes_.end(), compute_node);
  assert(place != compute_nodes_.end() && *place == compute_node);
  const auto number = static_cast<LpId>(place - compute_nodes_.begin());
  return (parameters_.burst.any() ? first_burst_client_ : first_cnode_) + number;
}

LpId FileSystem::burst_buffer(std::uint32_t number) const {
  return first_burst_client_ + static_cast<LpId>(compute_nodes_.size()) + number;
}

network::NodeId FileSystem::node_of(LpId lp) const {
  assert(lp >= first_cnode_ && (lp < first_disk_ || lp >= first_metadata_));
  const network::NodeId first_metadata = parameters_.first_io_node + parameters_.io_nodes;
  const auto of_client = [&](LpId number) {
    return parameters_.burst.place == BurstParameters::Place::dedicated
               ? first_metadata + parameters_.metadata.servers + number
               : compute_nodes_[number];
  };
  if (lp < first_io_node_) return of_client(lp - first_cnode_);
  if (lp < first_disk_) return parameters_.first_io_node + (lp - first_io_node_);
  if (lp < first_burst_client_) return first_metadata + (lp - first_metadata_);
  if (lp < burst_buffer(0)) return compute_nodes_[lp - first_burst_client_];
  return of_client(lp - burst_buffer(0));
}

LpId FileSystem::metadata_of(const TransactionData& call) const {
  const std::uint32_t servers = parameters_.metadata.servers;
  if (servers == 0) return io_node(0);
  return first_metadata_ + static_cast<LpId>((is_named(call.operation) ? call.name : call.file) % servers);
}

std::vector<std::uint16_t> FileSystem::place(const std::vector<std::uint16_t>& host_of_node,
                                             int hosts) const {
  const BurstParameters& burst = parameters_.burst;
  std::vector<std::uint16_t> host_of = host_of_node;
  if (burst.place == BurstParameters::Place::dedicated) {
    host_of.clear();
    for (std::uint32_t number = 0; number < burst.nodes; ++number)
      host_of.push_back(static_cast<std::uint16_t>(std::uint64_t{number} * static_cast<std::uint64_t>(hosts) /
                                                   burst.nodes));
  }
  const std::vector<std::uint16_t> host_of_client = host_of;
  const auto host_of_io_node = [&](std::uint32_t number) {
    return static_cast<std::uint16_t>(std::uint64_t{number} * static_cast<std::uint64_t>(hosts) /
                                      parameters_.io_nodes);
  };
  for (std::uint32_t number = 0; number < parameters_.io_nodes; ++number)
    host_of.push_back(host_of_io_node(number));
  for (std::uint32_t cell = 0; cell < parameters_.cells(); ++cell)
    host_of.push_back(host_of_io_node(cell % parameters_.io_nodes));
  for (std::uint32_t bus = 0; bus < disk_buses(); ++bus) host_of.push_back(host_of_io_node(bus));
  for (std::uint32_t server = 0; server < parameters_.metadata.servers; ++server)
    host_of.push_back(host_of_io_node(server % parameters_.io_nodes));
  if (!burst.any()) return host_of;
  host_of.insert(host_of.end(), host_of_node.begin(), host_of_node.end());
  host_of.insert(host_of.end(), host_of_client.begin(), host_of_client.end());
  return host_of;
}

std::vector<LpId> FileSystem::companions(const std::vector<LpId>& rank_of_node) const {
  const BurstParameters& burst = parameters_.burst;
  std::vector<LpId> with = rank_of_node;
  if (burst.place == BurstParameters::Place::dedicated) {
    with.clear();
    for (LpId id = first_cnode_; id < first_io_node_; ++id) with.push_back(id);
  }
  for (std::uint32_t number = 0; number < parameters_.io_nodes; ++number) with.push_back(io_node(number));
  for (std::uint32_t cell = 0; cell < parameters_.cells(); ++cell) with.push_back(io_node_of_cell(cell));
  for (std::uint32_t bus = 0; bus < disk_buses(); ++bus) with.push_back(io_node(bus));
  for (std::uint32_t server = 0; server < parameters_.metadata.servers; ++server)
    with.push_back(first_metadata_ + server);
  if (!burst.any()) return with;
  with.insert(with.end(), rank_of_node.begin(), rank_of_node.end());
  for (std::uint32_t number = 0; number < clients(); ++number) with.push_back(first_cnode_ + number);
  return with;
}

std::vector<std::unique_ptr<kernel::LogicalProcess>> FileSystem::make(kernel::Engine& engine) const {
  for (auto kind = static_cast<std::uint16_t>(EventKind::request);
       kind < static_cast<std::uint16_t>(EventKind::end); ++kind)
    engine.register_codec(kind, std::make_unique<TransactionCodec>());
  std::vector<std::unique_ptr<kernel::LogicalProcess>> lps;
  const auto here = [&engine](LpId id) { return engine.host_of(id) == engine.host(); };
  const auto add = [&]<class Lp>(std::type_identity<Lp>, LpId id) {
    if (here(id)) lps.push_back(std::make_unique<Lp>(engine, id, *this));
  };
  const CachingParameters& caching = parameters_.caching;
  const bool objects = parameters_.objects.on;
  for (LpId id = first_cnode_; id < first_io_node_; ++id) {
    if (objects)
      add(std::type_identity<ObjectClient>{}, id);
    else if (caching.cnode.blocks > 0)
      add(std::type_identity<CachingClient>{}, id);
    else
      add(std::type_identity<ComputeNode>{}, id);
  }
  for (LpId id = first_io_node_; id < first_disk_; ++id) {
    if (objects)
      add(std::type_identity<ObjectServer>{}, id);
    else if (caching.any())
      add(std::type_identity<CachingIoNode>{}, id);
    else
      add(std::type_identity<IoNode>{}, id);
  }
  for (LpId id = first_disk_; id < first_disk_bus_; ++id) add(std::type_identity<DiskUnit>{}, id);
  for (LpId id = first_disk_bus_; id < first_metadata_; ++id) add(std::type_identity<DiskBus>{}, id);
  for (LpId id = first_metadata_; id < first_burst_client_; ++id)
    add(std::type_identity<MetadataServer>{}, id);
  if (!parameters_.burst.any()) return lps;
  for (LpId id = first_burst_client_; id < burst_buffer(0); ++id) add(std::type_identity<BurstClient>{}, id);
  for (LpId id = burst_buffer(0); id < burst_buffer(clients()); ++id)
    add(std::type_identity<BurstBuffer>{}, id);
  return lps;
}

}  // namespace mpisim::pfs
