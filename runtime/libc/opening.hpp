#pragma once
// Opening files for a rank.
#include <sys/types.h>

namespace mpisim::runtime {

/// openat() of the current rank, which pays for it: a number of the rank, or -1 with errno. AT_FDCWD is the
/// rank's working directory. Outside of ranks the C library's own.
int open_number(int directory, const char* path, int flags, mode_t mode);

}  // namespace mpisim::runtime
