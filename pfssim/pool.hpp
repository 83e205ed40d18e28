#pragma once
// Numbered places for things that come and go; a number is used again when its thing has gone. References
// stay valid while others come.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace mpisim::pfs {

template <class Thing>
class Pool {
 public:
  std::uint32_t take() {
    if (free_.empty()) {
      if (size_ % in_chunk == 0) chunks_.push_back(std::make_unique<Thing[]>(in_chunk));
      return size_++;
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  void release(std::uint32_t number) { free_.push_back(number); }
  Thing& operator[](std::uint32_t number) { return chunks_[number / in_chunk][number % in_chunk]; }
  /// Places that there have been at the same time.
  std::uint32_t size() const { return size_; }
  std::size_t in_use() const { return size_ - free_.size(); }

 private:
  static constexpr std::uint32_t in_chunk = 16;
  std::vector<std::unique_ptr<Thing[]>> chunks_;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> free_;
};

}  // namespace mpisim::pfs
