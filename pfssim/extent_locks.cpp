#include "pfssim/extent_locks.hpp"

#include <algorithm>
#include <utility>

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

// What waits already waits on: nothing that is in its way has gone.
void ExtentLocks::ask(const Request& request, Decisions& decisions) {
  waiting_.push_back({request});
  grant_if_free(waiting_.size() - 1, decisions);
}

void ExtentLocks::release(std::uint64_t number, Decisions& decisions) {
  const auto lock = std::find_if(granted_.begin(), granted_.end(),
                                 [number](const Lock& each) { return each.number == number; });
  if (lock == granted_.end()) return;
  const Request gone = lock->request;
  granted_.erase(lock);
  affect(gone, 0);
  for (std::size_t i = 0; i < waiting_.size();) {
    if (std::exchange(waiting_[i].affected, false) && grant_if_free(i, decisions))
      affect(granted_.back().request, i);
    else
      ++i;
  }
}

/// Requests from number `first` on that the lock was or is in the way of are looked at again.
void ExtentLocks::affect(const Request& changed, std::size_t first) {
  for (std::size_t i = first; i < waiting_.size(); ++i)
    waiting_[i].affected = waiting_[i].affected || conflict(changed, waiting_[i].request);
}

/// Grants what neither a lock nor an earlier request is in the way of; calls the locks that are.
bool ExtentLocks::grant_if_free(std::size_t place, Decisions& decisions) {
  const Request request = waiting_[place].request;
  const auto here = waiting_.begin() + static_cast<std::ptrdiff_t>(place);
  bool blocked = std::any_of(waiting_.begin(), here, [&request](const Waiting& earlier) {
    return conflict(request, earlier.request);
  });
  for (Lock& lock : granted_) {
    if (!conflict(request, lock.request)) continue;
    blocked = true;
    if (lock.called) continue;
    lock.called = true;
    decisions.called.push_back(lock);
  }
  if (blocked) return false;
  waiting_.erase(here);
  Lock lock{next_++, request, false};
  lock.request.extent = grown(request);
  granted_.push_back(lock);
  decisions.granted.push_back(lock);
  return true;
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
  for (const auto& [other, affected] : waiting_) {
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
