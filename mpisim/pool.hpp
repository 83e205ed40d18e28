#pragma once
// Memory of what comes and goes with every message: requests, messages, kept payloads. Freed pieces are
// handed out again, the last one first, because it is still in the caches; nothing goes back to the system
// before the end. One pool per thread, so no locks.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

namespace mpisim::mpi {

/// A piece of memory for many small objects, in huge pages where it is large: its page table is then read
/// once and not with each object. Throws std::bad_alloc.
class LargeMemory {
 public:
  explicit LargeMemory(std::size_t bytes);
  ~LargeMemory();
  LargeMemory(const LargeMemory&) = delete;
  LargeMemory& operator=(const LargeMemory&) = delete;
  std::byte* data() const { return data_; }
  /// The caller keeps it for ever.
  std::byte* release() { return std::exchange(data_, nullptr); }

 private:
  std::byte* data_;
};

/// Memory that is never given back, cut from ever larger pieces. At least 64-byte aligned where `bytes` is a
/// multiple of 64. Throws std::bad_alloc.
class Slab {
 public:
  void* take(std::size_t bytes);

 private:
  std::byte* next_ = nullptr;
  std::byte* end_ = nullptr;
  std::size_t piece_bytes_ = std::size_t{64} << 10;  ///< of the next one
};

/// Plain objects that know how to be linked: `link` names the member through which free ones are chained.
template <class T, auto link>
class ObjectPool {
 public:
  /// A copy of `blank`. Copying bytes is several times cheaper than what compilers make of `= T{}`.
  T* make(const T& blank) {
    static_assert(std::is_trivially_copyable_v<T>);
    T* object = free_;
    if (object != nullptr) [[likely]] {
      free_ = static_cast<T*>(object->*link);
    } else {
      object = static_cast<T*>(slab_.take((sizeof(T) + 63) / 64 * 64));
    }
    std::memcpy(static_cast<void*>(object), &blank, sizeof blank);
    return object;
  }
  void free(T* object) {
    object->*link = free_;
    free_ = object;
  }

 private:
  T* free_ = nullptr;
  Slab slab_;
};

/// Pieces of memory of any size; the small ones are pooled by size.
class BytePool {
 public:
  /// At least one byte. Throws std::bad_alloc.
  std::byte* take(std::uint64_t bytes) {
    if (bytes > largest) return take_large(bytes);
    const std::size_t units = (bytes + unit - 1) / unit;
    Free*& first = free_[units];
    if (first == nullptr) return static_cast<std::byte*>(slab_.take(units * unit));
    auto* taken = reinterpret_cast<std::byte*>(first);
    first = first->next;
    return taken;
  }
  /// `bytes`: as when it was taken.
  void give(std::byte* piece, std::uint64_t bytes) {
    if (bytes > largest) {
      std::free(piece);
      return;
    }
    Free*& first = free_[(bytes + unit - 1) / unit];
    auto* freed = reinterpret_cast<Free*>(piece);
    freed->next = first;
    first = freed;
  }

 private:
  static constexpr std::size_t unit = 64;
  static constexpr std::size_t largest = 4096;
  struct Free {
    Free* next;
  };
  static std::byte* take_large(std::uint64_t bytes);
  std::array<Free*, largest / unit + 1> free_{};  // by size in units
  Slab slab_;
};

}  // namespace mpisim::mpi
