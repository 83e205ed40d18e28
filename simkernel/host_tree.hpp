#pragma once
// How host processes agree without one that hears of all others: a tree with host 0 as its root, and a number
// by which it is seen at the root whether all that was sent has been received, without a count for every
// pair.
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mpisim::kernel {

class HostTree {
 public:
  /// Children of a host. With fewer host processes than this every one is a neighbour of host 0.
  static constexpr int fan_out = 8;

  HostTree() = default;
  /// The neighbours of `host`, one of `hosts` (1 or more).
  HostTree(int host, int hosts);

  /// -1: host 0, which has none.
  int parent() const { return host_ == 0 ? -1 : (host_ - 1) / fan_out; }
  const std::vector<int>& children() const { return children_; }
  /// Which of children() `host` is; it must be one of them.
  std::size_t child_index(int host) const { return static_cast<std::size_t>(host - children_.front()); }

  /// A fingerprint of how many events this host has sent to each host, less one of how many it has received
  /// from each. Added up over all hosts (modulo 2^64) it is 0 if, for every pair, as many have been received
  /// as sent. If not, it is 0 with a probability of 2^-64: the fingerprints of the pair's two numbers are
  /// independent values of 64 bits.
  std::uint64_t balance_of(const std::vector<std::uint64_t>& sent_to,
                           const std::vector<std::uint64_t>& received_from) const;

 private:
  int host_ = 0;
  std::vector<int> children_;  // neighbours in number
};

}  // namespace mpisim::kernel
