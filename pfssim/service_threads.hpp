#pragma once
// Threads of a server that serve requests of known cost, first come, first served (a queue with c servers):
//
//   start = max(arrival, when the first thread is free);  end = start + cost
//
// n requests that come at once on c threads take ceil(n / c) * cost. Cost: O(log c) each.
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "simkernel/sim_time.hpp"

namespace mpisim::pfs {

class ServiceThreads {
 public:
  /// threads >= 1.
  explicit ServiceThreads(std::uint32_t threads) : threads_(threads) {}

  /// Returns the end of a service of `cost` that is asked for at `arrival`; arrivals do not go back.
  kernel::SimTime serve(kernel::SimTime arrival, kernel::SimTime cost) {
    kernel::SimTime start = arrival;
    if (ends_.size() == threads_) {
      start = kernel::max(start, ends_.top());
      ends_.pop();
    }
    ends_.push(start + cost);
    return start + cost;
  }

 private:
  std::uint32_t threads_;
  std::priority_queue<kernel::SimTime, std::vector<kernel::SimTime>, std::greater<>> ends_;
};

}  // namespace mpisim::pfs
