#pragma once
// Data accesses below the entry points: from a range of a view's stream to pieces of the file, to real data
// and to simulated time.
#include <cstddef>
#include <cstdint>

#include "piosim/file.hpp"

namespace mpisim::pio {

/// A range of the stream of a file's view and its data as consecutive bytes.
struct Access {
  File& file;
  std::uint64_t position = 0;  ///< in the stream, bytes
  std::byte* data = nullptr;   ///< read or written
  std::uint64_t bytes = 0;
  bool write = false;
};

struct Outcome {
  /// Moved: less than asked for after a failure, and for reads that meet the end of the file, which fill the
  /// first bytes only.
  std::uint64_t bytes = 0;
  Failure failure;  ///< text empty: it happened on another rank
};

/// The rank's own access, piece by piece.
Outcome access_alone(const Access& access);

/// All ranks of the file together, as the machine's io.collective says.
Outcome access_together(const Access& access);

/// Two-phase: see two_phase.cpp.
Outcome access_in_two_phases(const Access& access);

/// Charges the current rank for one contiguous access, and counts it.
void account(FileOnStorage& file, const FilePiece& piece, bool write);

/// One contiguous access of the current rank: moves the data, charges and counts it. The number of bytes
/// moved; less than the piece has after a failure, or for reads at the end of the file.
std::uint64_t move(File& file, const FilePiece& piece, std::byte* data, bool write, Failure& failure);

}  // namespace mpisim::pio
