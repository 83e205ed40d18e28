#pragma once
// Hints of MPI_File_open (MPI-3.1 section 13.2.8) that take effect. All others are accepted and ignored, as
// are values that are none, and hints that come after the file was opened.
//
// - mpisim_collective: barrier, grouping, two-phase, list, disk-directed; instead of io.collective
// - collective_buffering: false: no two-phase operations, but those of `barrier`, unless
//   romio_no_indep_rw is true
// - cb_nodes: aggregators of two-phase operations; instead of io.aggregators
// - cb_buffer_size: bytes of their rounds; instead of io.collective_buffer
//
// Those of ROMIO, the MPI-IO library that most others come from (Thakur, Ross, Lusk, Gropp, Latham: Users
// Guide for ROMIO, ANL/MCS-TM-234, section on hints), of rank 0 like the ones above:
//
// - romio_cb_read, romio_cb_write: disable: no two-phase operations in that direction, but those of
//   `barrier`; enable: two-phase ones, whatever the machine has; automatic: as the machine has it
// - romio_no_indep_rw: true: both enabled
// - romio_ds_read, romio_ds_write: disable: no holes are sieved in two-phase operations of that direction;
//   enable: all holes inside a round; automatic: as io.sieve_hole says
// - ind_rd_buffer_size, ind_wr_buffer_size: for data sieving of a rank's own accesses, which there is none
//   of; told back
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

/// How a file's ranks access it: agreed on when it is opened.
struct Hints {
  enum class Use : std::uint8_t { automatic, enable, disable };
  /// By direction.
  struct Uses {
    Use reads = Use::automatic;
    Use writes = Use::automatic;
    Use of(bool write) const { return write ? writes : reads; }
  };

  Collective reads = Collective::two_phase;
  Collective writes = Collective::two_phase;
  std::uint32_t aggregators = 0;        ///< of two-phase operations; 0: all ranks
  std::uint64_t collective_buffer = 0;  ///< bytes of each of their rounds; 0: one round
  Uses buffering;                       ///< by two-phase operations, as asked for
  Uses sieving;                         ///< of holes in them

  Collective collective_of(bool write) const { return write ? writes : reads; }
  /// Holes up to so many bytes are accessed with what is around them.
  std::uint64_t sieved_hole(bool write, std::uint64_t machines) const {
    if (sieving.of(write) == Use::automatic) return machines;
    return sieving.of(write) == Use::enable ? ~std::uint64_t{0} : 0;
  }

  /// What `info` (may be null) asks for, else what the machine has.
  static Hints of(const mpi::Info* info, const Config& machine);

  // In two numbers, for messages: the first of so many bits, and the buffer with what is left.
  static constexpr unsigned packed_bits = 36;
  static constexpr unsigned buffer_bits = 52;
  static constexpr std::uint64_t largest_buffer = (std::uint64_t{1} << buffer_bits) - 1;
  std::uint64_t packed() const { return static_cast<std::uint64_t>(reads) << 32 | aggregators; }
  std::uint64_t packed_buffer() const;
  static Hints unpacked(std::uint64_t number, std::uint64_t buffer);
};

/// What a file that was opened with `asked` does, as hints: the ones above, and cb_config_list.
void tell_hints(mpi::Info& info, const Hints& hints, const mpi::Info& asked, std::uint64_t ranks);

/// What `info` (may be null) asks for the layout of a new file.
pfs::ShapeHints shape_hints(const mpi::Info* info, const Config& machine);

/// The layout of a file as hints.
void tell_shape(mpi::Info& info, const pfs::Shape& shape, const Config& machine);

/// As in machine files: "two-phase".
const char* word_of(Collective collective);

}  // namespace mpisim::pio
