#include "simkernel/memory_advice.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace mpisim::kernel {

namespace {

/// How many of the ranges, from the first on, lie in the first `bytes` bytes of all of them.
std::size_t whole_ranges(std::span<const iovec> ranges, std::size_t bytes) {
  std::size_t whole = 0;
  while (whole < ranges.size() && ranges[whole].iov_len <= bytes) bytes -= ranges[whole++].iov_len;
  return whole;
}

long advise_process(int process, std::span<const iovec> ranges, int advice) {
  return syscall(SYS_process_madvise, process, ranges.data(), ranges.size(), advice, 0);
}

std::size_t advise_together(std::span<const iovec> ranges, int advice) {
  // Since Linux 6.15: stands for a descriptor of the own process.
  constexpr int own_process = -10001;
  long done = advise_process(own_process, ranges, advice);
  if (done < 0 && errno == EBADF) {
    // Not kept open: the numbers of descriptors belong to the program.
    const auto self = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
    if (self < 0) return 0;
    done = advise_process(self, ranges, advice);
    close(self);
  }
  return done <= 0 ? 0 : whole_ranges(ranges, static_cast<std::size_t>(done));
}

}  // namespace

std::size_t advise_ranges(std::span<const iovec> ranges, int advice) {
  std::size_t done = 0;
  while (ranges.size() - done > 1) {
    const auto part = ranges.subspan(done);
    const std::size_t more =
        advise_together(part.size() > most_ranges_at_once ? part.first(most_ranges_at_once) : part, advice);
    if (more == 0) break;
    done += more;
  }
  while (done < ranges.size() && madvise(ranges[done].iov_base, ranges[done].iov_len, advice) == 0) ++done;
  return done;
}

}  // namespace mpisim::kernel
