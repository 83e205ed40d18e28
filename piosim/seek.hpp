#pragma once
// Where a seek leads.
#include <cstdint>

#include "piosim/file.hpp"

namespace mpisim::pio {

struct SeekTarget {
  std::uint64_t position = 0;  ///< in etypes of the view
  Failure failure;
};

/// `current`: the position that MPI_SEEK_CUR counts from.
SeekTarget seek_target(const File& file, std::uint64_t current, MPI_Offset offset, int whence);

}  // namespace mpisim::pio
