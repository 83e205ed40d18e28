#pragma once
// The file system of a machine: which LPs there are, where, and how they find each other. The same on every
// host process.
//
// LPs, by id: a cnode for each compute node that runs ranks, the I/O nodes, the disks, the buses that those
// share, the metadata servers that have nodes of their own. What they do and what it costs: compute_node.hpp,
// io_node.hpp, disk_unit.hpp, disk_bus.hpp, metadata_server.hpp; with caches caching_client.hpp,
// caching_io_node.hpp; with object servers object_client.hpp, object_server.hpp. With burst buffers
// (burst_buffer.hpp) those clients are on the buffers' nodes; then follow the cnodes (burst_client.hpp) and
// the buffers.
#include <cstdint>
#include <memory>
#include <vector>

#include "pfssim/cache_policy.hpp"
#include "pfssim/parameters.hpp"
#include "pfssim/shapes.hpp"
#include "pfssim/statistics.hpp"
#include "pfssim/transaction.hpp"
#include "simkernel/division.hpp"
#include "simkernel/engine.hpp"

namespace mpisim::pfs {

class FileSystem {
 public:
  /// `compute_nodes`: those that run ranks, ascending. `first`: id of the first LP.
  FileSystem(const Parameters& parameters, const network::NetworkModel& network,
             std::vector<network::NodeId> compute_nodes, kernel::LpId first);

  const Parameters& parameters() const { return parameters_; }
  const network::NetworkModel& network() const { return network_; }
  /// Sets `ranges` to a range for each part of bytes [offset, offset + bytes) of a file that is one range of
  /// a disk, in the order of their first bytes; `cell` is the number of the disk, `offset` counts from where
  /// the file begins there.
  void divide(const Shape& shape, std::uint64_t offset, std::uint64_t bytes,
              std::vector<CellRange>& ranges) const;
  /// How many of these bytes are one piece: as many as give no disk more than the request limit.
  std::uint64_t piece(const Shape& shape, std::uint64_t offset, std::uint64_t bytes) const;
  /// Largest file of this shape that the disks have room for.
  std::uint64_t largest_file(const Shape& shape) const {
    return parameters_.layout->largest_file(shape, room_of_cell(shape));
  }
  /// Largest part of a file that a disk has room for.
  std::uint64_t largest_cell() const { return largest_cell_; }

  const CachePolicy& policy() const { return *policy_; }
  /// Places of each compute node's cache that the homes manage: the same number for each home.
  std::uint32_t managed_blocks() const { return managed_blocks_; }
  /// Clients of the file system: the cnodes, or, with burst buffers, one for each of those.
  std::uint32_t cnodes() const { return first_io_node_ - first_cnode_; }
  kernel::LpId first_cnode() const { return first_cnode_; }
  NodeKind client_kind() const { return parameters_.burst.any() ? NodeKind::stager : NodeKind::cnode; }

  /// What the ranks of a node send their requests to.
  kernel::LpId cnode(network::NodeId compute_node) const;
  kernel::LpId first_burst_client() const { return first_burst_client_; }
  std::uint32_t burst_buffers() const { return cnodes(); }
  kernel::LpId burst_buffer(std::uint32_t number) const;
  /// The client of the file system on the node of a burst buffer.
  kernel::LpId client_of(kernel::LpId burst_buffer_lp) const {
    return first_cnode_ + (burst_buffer_lp - burst_buffer(0));
  }
  kernel::LpId io_node(std::uint32_t number) const { return first_io_node_ + number; }
  kernel::LpId io_node_of_cell(std::uint32_t cell) const {
    return io_node(kernel::remainder(cell, parameters_.io_nodes));
  }
  kernel::LpId disk(std::uint32_t cell) const { return first_disk_ + cell; }
  kernel::LpId first_disk_bus() const { return first_disk_bus_; }
  /// What an I/O node sends the requests for a disk to: the bus, or the disk itself.
  kernel::LpId way_to_disk(std::uint32_t cell) const {
    return disk_buses() == 0 ? disk(cell) : first_disk_bus_ + cell % parameters_.io_nodes;
  }
  bool is_io_node(kernel::LpId lp) const { return lp >= first_io_node_ && lp < first_disk_; }
  kernel::LpId first_metadata_server() const { return first_metadata_; }
  /// Who does a call about files: the LP of a metadata server, or the first I/O node.
  kernel::LpId metadata_of(const TransactionData& call) const;
  /// Of a cnode, an I/O node or a metadata server.
  network::NodeId node_of(kernel::LpId lp) const;

  /// Host process of each LP: a cnode is with the ranks of its node (host_of_node, in the order of
  /// compute_nodes), I/O nodes are spread, disks and buses are with theirs.
  std::vector<std::uint16_t> place(const std::vector<std::uint16_t>& host_of_node, int hosts) const;
  static constexpr std::uint16_t host_of_first_io_node() { return 0; }

  /// For each LP one with a lower id that it must share a host process with: a cnode with a rank of its node
  /// (rank_of_node, in the order of compute_nodes), a disk or a bus with its I/O node; an I/O node only with
  /// itself.
  std::vector<kernel::LpId> companions(const std::vector<kernel::LpId>& rank_of_node) const;

  /// Makes the LPs of the engine's host process.
  std::vector<std::unique_ptr<kernel::LogicalProcess>> make(kernel::Engine& engine) const;

 private:
  std::uint64_t room_of_cell(const Shape& shape) const;
  std::uint32_t clients() const;
  std::uint32_t disk_buses() const {
    return parameters_.disk_bus == kernel::ByteTime() ? 0 : parameters_.io_nodes;
  }

  Parameters parameters_;
  const network::NetworkModel& network_;
  std::vector<network::NodeId> compute_nodes_;
  std::unique_ptr<CachePolicy> policy_;
  std::uint32_t managed_blocks_;
  std::uint64_t largest_cell_;
  kernel::LpId first_cnode_;
  kernel::LpId first_io_node_;
  kernel::LpId first_disk_;
  kernel::LpId first_disk_bus_;
  kernel::LpId first_metadata_;
  kernel::LpId first_burst_client_;
};

}  // namespace mpisim::pfs
