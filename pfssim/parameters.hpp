#pragma once
// What PFS-SIM needs to know of the target machine, as plain values.
#include <cstdint>
#include <memory>
#include <optional>

#include "disk_models/analytic.hpp"
#include "disk_models/array.hpp"
#include "disk_models/queue_discipline.hpp"
#include "network_models/network_model.hpp"
#include "pfssim/caching.hpp"
#include "pfssim/layout.hpp"
#include "pfssim/object_parameters.hpp"
#include "simkernel/quantities.hpp"

namespace mpisim::pfs {

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

  /// In place of each disk.
  disk::ArrayParameters raid;

  disk::Space cell_space() const { return disk::Array(raid, disk()->space()).space(); }
  std::uint32_t cells() const { return io_nodes * disks_per_node; }
};

}  // namespace mpisim::pfs
