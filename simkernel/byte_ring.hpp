#pragma once
// A queue of bytes from one process to another through memory that both have mapped: one writer, one reader,
// no locks. Handing over costs a few cache lines, some ten times less than a message of an MPI library.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace mpisim::kernel {

/// What both sides share; zero is an empty ring. The bytes follow in memory.
struct ByteRingState {
  static constexpr std::size_t line = 64;
  alignas(line) std::atomic<std::uint64_t> written;  ///< bytes ever written
  alignas(line) std::atomic<std::uint64_t> read;     ///< bytes ever read
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  /// Memory of a ring with room for `capacity` bytes, a power of two.
  static std::size_t size_with(std::size_t capacity) { return sizeof(ByteRingState) + capacity; }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(this + 1); }
};

class ByteRingWriter {
 public:
  ByteRingWriter(ByteRingState* state, std::size_t capacity)
      : state_(state), bytes_(state->bytes()), capacity_(capacity) {}

  /// Bytes that can be put now; looks at the reader's side only if fewer than `wanted` were known to be free.
  std::size_t room(std::size_t wanted) {
    if (free() < wanted) read_ = state_->read.load(std::memory_order_acquire);
    return free();
  }
  /// At most room() bytes; the reader sees them from publish() on.
  void put(const void* data, std::size_t size) {
    if (size == 0) return;  // an empty packet has no address
    const auto* from = static_cast<const std::byte*>(data);
    const std::size_t place = static_cast<std::size_t>(written_) & (capacity_ - 1);
    const std::size_t first = std::min(size, capacity_ - place);
    std::memcpy(bytes_ + place, from, first);
    if (first < size) std::memcpy(bytes_, from + first, size - first);
    written_ += size;
  }
  /// Whether the reader has taken everything.
  bool taken() const { return state_->read.load(std::memory_order_relaxed) == written_; }
  void publish() { state_->written.store(written_, std::memory_order_release); }

 private:
  std::size_t free() const { return capacity_ - static_cast<std::size_t>(written_ - read_); }

  ByteRingState* state_;
  std::byte* bytes_;
  std::size_t capacity_;
  std::uint64_t written_ = 0;
  std::uint64_t read_ = 0;  ///< at least so much has been read
};

class ByteRingReader {
 public:
  ByteRingReader(ByteRingState* state, std::size_t capacity)
      : state_(state), bytes_(state->bytes()), capacity_(capacity) {}

  /// Bytes that can be taken now. Costs the reader nothing as long as nobody writes.
  std::size_t available() const {
    return static_cast<std::size_t>(state_->written.load(std::memory_order_acquire) - read_);
  }
  /// At most available() bytes.
  void take(void* data, std::size_t size) {
    if (size == 0) return;
    auto* to = static_cast<std::byte*>(data);
    const std::size_t place = static_cast<std::size_t>(read_) & (capacity_ - 1);
    const std::size_t first = std::min(size, capacity_ - place);
    std::memcpy(to, bytes_ + place, first);
    if (first < size) std::memcpy(to + first, bytes_, size - first);
    read_ += size;
  }
  /// The same, to the end of `data`.
  void append_to(std::vector<std::byte>& data, std::size_t size) {
    const std::size_t place = static_cast<std::size_t>(read_) & (capacity_ - 1);
    const std::size_t first = std::min(size, capacity_ - place);
    data.insert(data.end(), bytes_ + place, bytes_ + place + first);
    data.insert(data.end(), bytes_, bytes_ + (size - first));
    read_ += size;
  }
  /// Gives the room of what was taken back to the writer.
  void release() { state_->read.store(read_, std::memory_order_release); }

 private:
  ByteRingState* state_;
  const std::byte* bytes_;
  std::size_t capacity_;
  std::uint64_t read_ = 0;
};

}  // namespace mpisim::kernel
