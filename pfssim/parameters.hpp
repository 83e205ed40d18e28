#pragma once
// What PFS-SIM needs to know of the target machine, as plain values.
#include <cstdint>
#include <memory>
#include <optional>

#include "disk_models/analytic.hpp"
#include "disk_models/array.hpp"
#include "disk_models/queue_discipline.hpp"
#include "disk_models/slowed.hpp"
#include "network_models/network_model.hpp"
#include "pfssim/burst_parameters.hpp"
#include "pfssim/caching.hpp"
#include "pfssim/layout.hpp"
#include "pfssim/object_parameters.hpp"
#include "simkernel/quantities.hpp"

namespace mpisim::pfs {

/// Of an I/O node: writes of whole units are answered when they are in it, and go to the disk in the
/// background.
struct WriteBuffer {
  std::uint64_t size = 0;  ///< bytes; 0: there is none
  std::uint64_t unit = std::uint64_t{64} << 10;
  std::uint64_t up_to = std::uint64_t{256} << 10;  ///< largest write that goes through it, bytes of one disk
};

/// A fault: all disks of one I/O node take so many times as long.
struct SlowDisk {
  std::optional<std::uint32_t> io_node{};  ///< none: all are as they should be
  double reads = 1;
  double writes = 1;
};

/// The defaults are those of a machine file (a test compares them with the schema).
struct Parameters {
  std::uint32_t io_nodes = 1;
  std::uint32_t disks_per_node = 1;
  network::NodeId first_io_node = 0;  ///< the others follow
  /// Of files whose creators do not ask for another shape.
  std::shared_ptr<const Layout> layout = plain_striping();
  std::uint64_t stripe_unit = std::uint64_t{64} << 10;
  std::uint32_t stripe_factor = 0;            ///< cells of a file; 0: one on each disk
  std::optional<std::uint32_t> start_disk{};  ///< of cell 0; none: file number n begins on disk n mod disks
  /// Processor time of the compute node before a request leaves it, and of the I/O node for a request that
  /// reaches it, one after the other there.
  kernel::SimTime client_overhead = kernel::SimTime::picoseconds(10'000'000);
  kernel::SimTime server_overhead = kernel::SimTime::picoseconds(10'000'000);
  /// Time per byte that the compute node's processor copies between a program and messages, one after the
  /// other; a write is copied before its first message leaves.
  kernel::ByteTime client_copy;
  /// Most that a disk gets of one contiguous read or write at a time; 0: no limit. What is more goes in
  /// pieces, each client_overhead after all answers to the one before (lock_step), or all at once.
  std::uint64_t request_limit = 0;
  bool lock_step = true;
  WriteBuffer write_buffer;
  SlowDisk slow_disk;
  /// Of the bus that the disks of an I/O node share (disk_bus.hpp); 0: they do not wait for each other.
  kernel::ByteTime disk_bus;
  /// Size in the network of a request or an answer, besides the data.
  kernel::Bytes header{128};
  /// Time of a thread of the metadata server.
  kernel::SimTime open_cost;
  kernel::SimTime metadata_cost;
  /// How the requests that wait for a disk are served; not in order only with disks that have a head.
  disk::Discipline queue = disk::fcfs_discipline();
  disk::Factory disk = disk::factory<disk::Analytic>(disk::AnalyticParameters{});
  CachingParameters caching;
  ObjectParameters objects;
  MetadataParameters metadata;
  BurstParameters burst;

  /// In place of each disk.
  disk::ArrayParameters raid;

  /// Of an I/O node.
  disk::Factory disk_of(std::uint32_t io_node) const {
    return slow_disk.io_node == io_node ? disk::slowed_factory(disk, slow_disk.reads, slow_disk.writes)
                                        : disk;
  }
  disk::Space cell_space() const { return disk::Array(raid, disk()->space()).space(); }
  std::uint32_t cells() const { return io_nodes * disks_per_node; }
  /// Whether I/O nodes have write buffers: those with caches, and object servers, have none.
  bool buffers_writes() const { return write_buffer.size > 0 && !caching.any() && !objects.on; }
  /// Whether the close of a file leaves what has been written where it is: burst buffers decide themselves.
  bool keeps_after_close() const { return objects.on && !objects.flush_on_close && !burst.any(); }
  /// Whether what has been written may not be on disk yet when the write is answered: a sync has something to
  /// wait for then. Without burst buffers, which are in front of this.
  bool writes_behind() const { return objects.on || caching.write_back() || buffers_writes(); }
};

}  // namespace mpisim::pfs
