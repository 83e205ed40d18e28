// The heap as ranks see it. All ranks of a host process share one, so what a program finds in fresh memory
// could be another rank's data: it would depend on who else is simulated here.
#include <malloc.h>
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "runtime/export.hpp"
#include "runtime/rank_environment.hpp"

namespace mpisim::runtime {
namespace {

Heap heap = Heap::native;

// No number as float or double, a large integer, and as an address one that no process has.
constexpr std::uint64_t pattern_word = 0x7ff5a5a57ff5a5a5;

// Blocks that the kernel has made for this one request are zero, and touching them would cost their pages.
// The C library marks them in the word in front (malloc.c of glibc: IS_MMAPPED).
bool fresh_from_kernel(const void* block) {
  constexpr std::uint64_t mapped = 2;
  std::uint64_t head = 0;
  std::memcpy(&head, static_cast<const char*>(block) - sizeof head, sizeof head);
  return (head & mapped) != 0;
}

void fill(void* block, std::size_t from) {
  const std::size_t size = malloc_usable_size(block);
  char* const bytes = static_cast<char*>(block);
  if (from >= size) return;
  if (heap == Heap::zero) {
    if (!fresh_from_kernel(block)) std::memset(bytes + from, 0, size - from);
    return;
  }
  for (std::size_t at = from; at < size; at += sizeof pattern_word)
    std::memcpy(bytes + at, &pattern_word, std::min(sizeof pattern_word, size - at));
}

void* filled(void* block) {
  if (block != nullptr && heap != Heap::native) fill(block, 0);
  return block;
}

// The program may only have used what it asked for, so what lies behind is as it was filled.
void* grown(void* block, std::size_t size) {
  if (heap == Heap::native) return realloc(block, size);
  const std::size_t before = block == nullptr ? 0 : malloc_usable_size(block);
  void* const moved = realloc(block, size);
  if (moved != nullptr) fill(moved, before);
  return moved;
}

}  // namespace

void set_heap(Heap chosen) {
  heap = chosen;
}

}  // namespace mpisim::runtime

using namespace mpisim::runtime;

// calloc knows what is zero already.
MPISIM_EXPORT void* __wrap_malloc(size_t size) {
  return heap == Heap::zero ? calloc(1, size) : filled(malloc(size));
}

MPISIM_EXPORT void* __wrap_realloc(void* block, size_t size) {
  return grown(block, size);
}

MPISIM_EXPORT void* __wrap_reallocarray(void* block, size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  return grown(block, bytes);
}

MPISIM_EXPORT void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return filled(aligned_alloc(alignment, size));
}

MPISIM_EXPORT void* __wrap_memalign(size_t alignment, size_t size) {
  return filled(memalign(alignment, size));
}

MPISIM_EXPORT int __wrap_posix_memalign(void** block, size_t alignment, size_t size) {
  const int error = posix_memalign(block, alignment, size);
  if (error == 0) filled(*block);
  return error;
}

MPISIM_EXPORT void* __wrap_valloc(size_t size) {
  return filled(valloc(size));
}

MPISIM_EXPORT void* __wrap_pvalloc(size_t size) {
  return filled(pvalloc(size));
}
