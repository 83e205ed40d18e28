#pragma once
// Advice to the system about many pieces of memory at once.
#include <sys/uio.h>

#include <cstddef>
#include <span>

namespace mpisim::kernel {

/// At most so many ranges are taken by one call of the system.
inline constexpr std::size_t most_ranges_at_once = 512;

/// madvise() for each range, in one call of the system where it allows that (process_madvise() of one's own
/// process, Linux 6.13). Returns for how many, from the first on, it was done; the others are as before.
std::size_t advise_ranges(std::span<const iovec> ranges, int advice);

}  // namespace mpisim::kernel
