#pragma once
// Numbered places for things that come and go; a number is used again when its thing has gone. References
// stay valid while others come.
#include <cstdint>
#include <deque>
#include <vector>

namespace mpisim::pfs {

template <class Thing>
class Pool {
 public:
  std::uint32_t take() {
    if (free_.empty()) {
      things_.emplace_back();
      return static_cast<std::uint32_t>(things_.size() - 1);
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }
  void release(std::uint32_t number) { free_.push_back(number); }
  Thing& operator[](std::uint32_t number) { return things_[number]; }
  /// Places that there have been at the same time.
  std::uint32_t size() const { return static_cast<std::uint32_t>(things_.size()); }
  std::size_t in_use() const { return things_.size() - free_.size(); }

 private:
  std::deque<Thing> things_;
  std::vector<std::uint32_t> free_;
};

}  // namespace mpisim::pfs
