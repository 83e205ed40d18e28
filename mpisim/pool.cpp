#include "mpisim/pool.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace mpisim::mpi {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
constexpr std::size_t largest_piece = 4 * huge_page;

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

LargeMemory::LargeMemory(std::size_t bytes) {
  const bool huge = bytes >= huge_page;
  bytes = round_up(bytes, huge ? huge_page : cache_line);
  data_ = static_cast<std::byte*>(std::aligned_alloc(huge ? huge_page : cache_line, bytes));
  if (data_ == nullptr) throw std::bad_alloc();
  if (huge) madvise(data_, bytes, MADV_HUGEPAGE);
}

LargeMemory::~LargeMemory() {
  std::free(data_);
}

void* Slab::take(std::size_t bytes) {
  if (static_cast<std::size_t>(end_ - next_) < bytes) {
    next_ = end_ = nullptr;
    next_ = LargeMemory(piece_bytes_).release();
    end_ = next_ + piece_bytes_;
    if (piece_bytes_ < largest_piece) piece_bytes_ *= 2;
  }
  std::byte* taken = next_;
  next_ += bytes;
  return taken;
}

std::byte* BytePool::take_large(std::uint64_t bytes) {
  void* memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

}  // namespace mpisim::mpi
