#pragma once
// Reading, writing and closing what a rank's descriptors stand for (descriptor_table.hpp).
#include <sys/types.h>

#include <cstddef>

#include "runtime/libc/descriptor_table.hpp"

namespace mpisim::runtime {

/// read(), write() and close() of a rank; what they do to files costs time. Return -1 with errno on error.
ssize_t rank_read(RankEnvironment& rank, int descriptor, void* data, std::size_t size);
ssize_t rank_write(RankEnvironment& rank, int descriptor, const void* data, std::size_t size);
int rank_close(RankEnvironment& rank, int descriptor);

/// give_number() for both ends of a pipe or the like: 0, or -1 with errno, and both are closed.
int give_pair(const int (&real)[2], int ends[2], bool close_on_exec);

}  // namespace mpisim::runtime
