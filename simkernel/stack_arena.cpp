#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "simkernel/fiber.hpp"
#include "simkernel/memory_advice.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace mpisim::kernel {

namespace {

// Since Linux 6.13: makes pages fault without splitting the mapping; not yet in Debian 12's headers.
constexpr int madv_guard_install = 102;
// Since Linux 5.14.
constexpr int madv_populate_write = 23;

// Generated code probes every page of a large frame (-fstack-clash-protection), so that one page would do; a
// few more catch library code that does not.
constexpr std::size_t guard_bytes = std::size_t{64} << 10;

// Each guard by mprotect costs two maps of the 65,530 that a process may have by default.
constexpr std::size_t most_mprotect_guards = 28'000;

// A fiber that ended was not unwound: AddressSanitizer still holds the red zones of its frames.
void allow_all([[maybe_unused]] const std::byte* low, [[maybe_unused]] std::size_t size) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(low, size);
#endif
}

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

StackArena::StackArena(std::size_t count, std::size_t stack_size) : count_(count) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  stack_size_ = round_up(stack_size < 2 * guard_bytes ? 2 * guard_bytes : stack_size, page);
  // An odd number of pages, or the tops of all stacks would compete for a few sets of the translation
  // buffers, and their page table entries for a few sets of the caches.
  if (stack_size_ / page % 2 == 0) stack_size_ += page;
  if (count_ == 0) return;  // a host process without processes of the simulation
  std::size_t total = 0;
  if (__builtin_mul_overflow(count_, stack_size_, &total)) total = SIZE_MAX - page;  // mmap says no
  void* base =
      mmap(nullptr, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    throw std::runtime_error(fmt::format(
        "cannot reserve {} stacks of {} KiB each: {}; use a smaller --stack-size, or more --hosts", count_,
        stack_size_ >> 10, std::strerror(errno)));
  }
  // Huge pages would make every touched stack cost 2 MiB.
  madvise(base, total, MADV_NOHUGEPAGE);
  base_ = static_cast<std::byte*>(base);
}

StackArena::~StackArena() {
  if (base_ == nullptr) return;
  allow_all(base_, count_ * stack_size_);
  munmap(base_, count_ * stack_size_);
}

// Of the next stacks, too: a call of the system for each costs more than the guard.
void StackArena::install_guards(std::size_t index) {
  while (guarded_ && guards_ <= index) {  // when one is missing the others promise nothing
    std::array<iovec, most_ranges_at_once> guards;
    const std::size_t ahead = std::min(count_ - guards_, guards.size());
    for (std::size_t i = 0; i < ahead; ++i) guards[i] = {base_ + (guards_ + i) * stack_size_, guard_bytes};
    std::size_t done = advisable_ ? advise_ranges(std::span(guards).first(ahead), madv_guard_install) : 0;
    if (done == 0) {  // kernels before 6.13
      advisable_ = false;
      done = 1;
      guarded_ =
          count_ <= most_mprotect_guards && mprotect(guards.front().iov_base, guard_bytes, PROT_NONE) == 0;
    }
    guards_ += done;
  }
}

Stack StackArena::stack(std::size_t index) {
  install_guards(index);
  std::byte* low = base_ + index * stack_size_;
  // Tops that differ by a multiple of the way size would all map to the same cache sets.
  const std::size_t colour = index % 16 * 128;
  return Stack{low, guard_bytes, low + stack_size_ - colour};
}

bool touch_tops(std::span<const Stack* const> stacks) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  std::vector<iovec> tops;
  tops.reserve(stacks.size());
  for (const Stack* stack : stacks) {
    const auto last = reinterpret_cast<std::uintptr_t>(stack->top) - 1;
    tops.push_back({reinterpret_cast<void*>(last / page * page), page});
  }
  return advise_ranges(tops, madv_populate_write) == tops.size();
}

void StackArena::release(std::size_t index) {
  std::byte* usable = base_ + index * stack_size_ + guard_bytes;
  allow_all(usable, stack_size_ - guard_bytes);
  madvise(usable, stack_size_ - guard_bytes, MADV_DONTNEED);
}

}  // namespace mpisim::kernel
