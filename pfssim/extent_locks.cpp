#include "pfssim/extent_locks.hpp"

#include <algorithm>

namespace mpisim::pfs {

namespace {

/// Whether the kinds and owners of two requests exclude each other where they overlap.
bool excludes(const ExtentLocks::Request& a, const ExtentLocks::Request& b) {
  return a.client != b.client && (a.write || b.write);
}

bool conflict(const ExtentLocks::Request& a, const ExtentLocks::Request& b) {
  return excludes(a, b) && a.extent.overlaps(b.extent);
}

}  // namespace

void ExtentLocks::ask(const Request& request, Decisions& decisions) {
  waiting_.push_back(request);
  grant_what_may_be(decisions);
}

void ExtentLocks::release(std::uint64_t number, Decisions& decisions) {
  std::erase_if(granted_, [number](const Lock& lock) { return lock.number == number; });
  grant_what_may_be(decisions);
}

/// In the order in which they were asked for, each that neither a lock nor an earlier request is in the way
/// of.
void ExtentLocks::grant_what_may_be(Decisions& decisions) {
  for (std::size_t i = 0; i < waiting_.size();) {
    const Request request = waiting_[i];
    const auto in_the_way = [&request](const Request& other) { return conflict(request, other); };
    bool blocked =
        std::any_of(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(i), in_the_way);
    for (Lock& lock : granted_) {
      if (!in_the_way(lock.request)) continue;
      blocked = true;
      if (lock.called) continue;
      lock.called = true;
      decisions.called.push_back(lock);
    }
    if (blocked) {
      ++i;
      continue;
    }
    waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(i));
    Lock lock{next_++, request, false};
    lock.request.extent = grown(request);
    granted_.push_back(lock);
    decisions.granted.push_back(lock);
  }
}

Interval ExtentLocks::grown(const Request& request) const {
  Interval extent{0, no_end};
  std::uint32_t excluding = 0;
  const auto shrink = [&](const Interval& other) {
    if (other.end <= request.extent.begin)
      extent.begin = std::max(extent.begin, other.end);
    else
      extent.end = std::min(extent.end, other.begin);
  };
  for (const Lock& lock : granted_) {
    if (!excludes(request, lock.request)) continue;
    ++excluding;
    shrink(lock.request.extent);
  }
  for (const Request& other : waiting_) {
    if (!excludes(request, other)) continue;
    if (other.extent.overlaps(request.extent)) return request.extent;
    shrink(other.extent);
  }
  if (excluding > rules_.backward) extent.begin = request.extent.begin;
  if (excluding > rules_.contended && request.write)
    extent.end = std::max(request.extent.end, std::min(extent.end, request.extent.begin + rules_.growth));
  return extent;
}

}  // namespace mpisim::pfs
