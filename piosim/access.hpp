#pragma once
// Data accesses below the entry points: from a range of a view's stream to pieces of the file, to real data
// and to simulated time.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mpisim/core.hpp"
#include "piosim/file.hpp"

namespace mpisim::pio {

/// A range of the stream of a file's view and its data as consecutive bytes.
struct Access {
  File& file;
  std::uint64_t position = 0;  ///< in the stream, bytes
  std::byte* data = nullptr;   ///< read or written
  std::uint64_t bytes = 0;
  bool write = false;
  /// Of collective accesses: who takes part, with a numbering of its messages that no other access disturbs.
  mpi::Communicator* comm = nullptr;
  std::uint32_t turn = 0;               ///< of collective accesses: numbers those of the file
  FileOnStorage* on_storage = nullptr;  ///< null: the file's
  const View* view = nullptr;           ///< null: the file's
  bool atomic = file.atomic;            ///< the mode when the access began (MPI-3.1 section 13.6.1)

  mpi::Communicator& members() const { return comm != nullptr ? *comm : file.comm(); }
  FileOnStorage& place() const { return on_storage != nullptr ? *on_storage : file.on_storage; }
  const View& shown() const { return view != nullptr ? *view : file.view; }
};

struct Outcome {
  /// Moved: less than asked for after a failure, and for reads that meet the end of the file, which fill the
  /// first bytes only.
  std::uint64_t bytes = 0;
  Failure failure;  ///< text empty: it happened on another rank
};

/// The rank's own access, piece by piece.
Outcome access_alone(const Access& access);

/// The same without waiting: the data has moved when this returns, the request is for the time. Not for files
/// in atomic mode, whose locks are held by blocking accesses only.
mpi::Request* start_alone(const Access& access, Outcome& outcome);

/// All ranks of the file together, as file.hints say (collective.cpp).
Outcome access_together(const Access& access);

/// Two-phase: see two_phase.cpp.
Outcome access_two_phase(const Access& access);

/// What serves it.
Storage& storage_of(const FileOnStorage& file);

/// Counts one contiguous access of the current rank, but for what the disks do.
void count_request(FileOnStorage& file, const FilePiece& piece, bool write);

/// What the current rank's node has written to the file is on disk afterwards.
void sync(FileOnStorage& file);

/// What the close of a file costs. What its node has written is on disk afterwards, unless the file system's
/// clients keep it (MPI-3.1 section 13.2.2 has a close synchronize the file, which libraries leave to the
/// file system: ROMIO's ADIO_Close() closes the descriptor, and no more).
void close(FileOnStorage& file);

/// Charges the current rank for one contiguous access, and counts it.
void account(FileOnStorage& file, const FilePiece& piece, bool write);

/// Moves the data of one contiguous access, without any time.
std::uint64_t move_data(File& file, const FilePiece& piece, std::byte* data, bool write, Failure& failure);

/// The same for all pieces of an access, which are told in `moved` as far as they were moved.
Outcome move_all_data(const Access& access, std::vector<FilePiece>& moved);

/// One contiguous access of the current rank: moves the data, charges and counts it. The number of bytes
/// moved; less than the piece has after a failure, or for reads at the end of the file.
std::uint64_t move(const Access& access, const FilePiece& piece, std::byte* data, Failure& failure);

}  // namespace mpisim::pio
