#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "simkernel/fiber.hpp"

namespace mpisim::kernel {

namespace {

// Since Linux 6.13: makes pages fault without splitting the mapping; not yet in Debian 12's headers.
constexpr int madv_guard_install = 102;

// Generated code probes every page of a large frame (-fstack-clash-protection), so that one page would do; a
// few more catch library code that does not.
constexpr std::size_t guard_bytes = std::size_t{64} << 10;

// Each guard by mprotect costs two maps of the 65,530 that a process may have by default.
constexpr std::size_t most_mprotect_guards = 28'000;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

StackArena::StackArena(std::size_t count, std::size_t stack_size) : count_(count) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  stack_size_ = round_up(stack_size < 2 * guard_bytes ? 2 * guard_bytes : stack_size, page);
  void* base = mmap(nullptr, count_ * stack_size_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    throw std::runtime_error(fmt::format(
        "cannot reserve {} stacks of {} KiB each: {}; use a smaller --stack-size, or more --hosts", count_,
        stack_size_ >> 10, std::strerror(errno)));
  }
  // Huge pages would make every touched stack cost 2 MiB.
  madvise(base, count_ * stack_size_, MADV_NOHUGEPAGE);
  base_ = static_cast<std::byte*>(base);
}

StackArena::~StackArena() {
  munmap(base_, count_ * stack_size_);
}

Stack StackArena::stack(std::size_t index) {
  std::byte* low = base_ + index * stack_size_;
  if (madvise(low, guard_bytes, madv_guard_install) != 0) {
    guarded_ = count_ <= most_mprotect_guards && mprotect(low, guard_bytes, PROT_NONE) == 0;
  }
  // Tops that differ by a multiple of the way size would all map to the same cache sets.
  const std::size_t colour = index % 16 * 128;
  return Stack{low, guard_bytes, low + stack_size_ - colour};
}

void StackArena::release(std::size_t index) {
  madvise(base_ + index * stack_size_ + guard_bytes, stack_size_ - guard_bytes, MADV_DONTNEED);
}

}  // namespace mpisim::kernel
