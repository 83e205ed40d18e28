#pragma once
// How a collective access divides the range of the file that it touches.
#include <algorithm>
#include <cstdint>

namespace mpisim::pio {

/// Equal parts of the range, one for each aggregator, which are accessed in rounds of `buffer` bytes each.
class Domains {
 public:
  /// [low, high): the range, not empty. `buffer` 0: one round.
  Domains(std::uint64_t low, std::uint64_t high, std::uint64_t aggregators, int ranks, std::uint64_t buffer)
      : low_(low),
        length_((high - low) / aggregators + ((high - low) % aggregators != 0)),
        buffer_(buffer == 0 ? length_ : std::min(buffer, length_)),
        aggregators_(aggregators),
        ranks_(static_cast<std::uint64_t>(ranks)) {}

  std::uint64_t count() const { return aggregators_; }
  std::uint64_t rounds() const { return length_ / buffer_ + (length_ % buffer_ != 0); }
  std::uint64_t of(std::uint64_t offset) const { return (offset - low_) / length_; }
  std::uint64_t round_of(std::uint64_t offset) const { return (offset - low_) % length_ / buffer_; }
  /// Where the domain or the round of `offset` ends, whichever is first.
  std::uint64_t end(std::uint64_t offset) const {
    const std::uint64_t inside = (round_of(offset) + 1) * buffer_;
    return low_ + of(offset) * length_ + std::min(inside, length_);
  }
  /// Aggregators are spread over the ranks.
  int rank_of(std::uint64_t domain) const { return static_cast<int>(domain * ranks_ / aggregators_); }

 private:
  std::uint64_t low_;
  std::uint64_t length_;
  std::uint64_t buffer_;
  std::uint64_t aggregators_;
  std::uint64_t ranks_;
};

}  // namespace mpisim::pio
