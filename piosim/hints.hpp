#pragma once
// Hints of MPI_File_open (MPI-3.1 section 13.2.8) that take effect. All others are accepted and ignored, as
// are values that are none, and hints that come after the file was opened.
//
// - mpisim_collective: barrier, grouping, two-phase, list, disk-directed; instead of io.collective
// - collective_buffering: false: no two-phase operations, but those of `barrier`
// - cb_nodes: aggregators of two-phase operations; instead of io.aggregators
// - cb_buffer_size: bytes of their rounds; instead of io.collective_buffer
//
// And for the file that the open creates, with a parallel file system (pfssim/layout.hpp), those of rank 0:
//
// - striping_factor: disks that it is on; instead of io.stripe_factor
// - striping_unit: bytes that go to one of them before the next; instead of io.stripe_unit
// - start_iodevice: number of the disk that its first byte is on, from 0; instead of io.start_disk
// - those of its layout: Layout::own_hints()
#include <cstdint>
#include <string>

#include "mpisim/info.hpp"
#include "piosim/config.hpp"

namespace mpisim::pio {

struct Hints {
  Collective collective = Collective::two_phase;
  std::uint32_t aggregators = 0;        ///< 0: all ranks
  std::uint64_t collective_buffer = 0;  ///< 0: one round

  /// What `info` (may be null) asks for, else what the machine has.
  static Hints of(const mpi::Info* info, const Config& machine);

  // In two numbers, for messages: the first of so many bits, and the buffer.
  static constexpr unsigned packed_bits = 36;
  std::uint64_t packed() const { return static_cast<std::uint64_t>(collective) << 32 | aggregators; }
  static Hints unpacked(std::uint64_t number, std::uint64_t buffer) {
    return {static_cast<Collective>(number >> 32 & 0xf), static_cast<std::uint32_t>(number), buffer};
  }
};

/// What `info` (may be null) asks for the layout of a new file.
pfs::ShapeHints shape_hints(const mpi::Info* info, const Config& machine);

/// The layout of a file as hints.
void tell_shape(mpi::Info& info, const pfs::Shape& shape, const Config& machine);

/// As in machine files: "two-phase".
const char* word_of(Collective collective);

}  // namespace mpisim::pio
