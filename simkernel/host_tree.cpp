#include "simkernel/host_tree.hpp"

#include <algorithm>

namespace mpisim::kernel {

namespace {

// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA
// 2014): every bit of the value changes every bit of the result in half of all cases.
std::uint64_t mixed(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

std::uint64_t fingerprint(std::uint64_t from, std::uint64_t to, std::uint64_t count) {
  return count == 0 ? 0 : mixed(mixed(from << 32 | to) ^ count);
}

}  // namespace

HostTree::HostTree(int host, int hosts) : host_(host) {
  const std::int64_t first = std::int64_t{host} * fan_out + 1;
  const std::int64_t end = std::min<std::int64_t>(first + fan_out, hosts);
  for (std::int64_t child = first; child < end; ++child) children_.push_back(static_cast<int>(child));
}

std::uint64_t HostTree::balance_of(const std::vector<std::uint64_t>& sent_to,
                                   const std::vector<std::uint64_t>& received_from) const {
  const auto here = static_cast<std::uint64_t>(host_);
  std::uint64_t balance = 0;
  for (std::size_t other = 0; other < sent_to.size(); ++other) {
    balance += fingerprint(here, other, sent_to[other]);
    balance -= fingerprint(other, here, received_from[other]);
  }
  return balance;
}

}  // namespace mpisim::kernel
