#include "simkernel/ready_queue.hpp"

namespace mpisim::kernel {

void ReadyQueue::grow() {
  std::vector<ProcessLp*> larger(ring_.empty() ? 64 : ring_.size() * 2);
  for (std::uint64_t i = begin_; i != end_; ++i)
    larger[i & (larger.size() - 1)] = ring_[i & (ring_.size() - 1)];
  ring_.swap(larger);
}

ProcessLp& ReadyQueue::pop_last() {
  ProcessLp& process = *last_.front();
  last_.pop_front();
  return process;
}

}  // namespace mpisim::kernel
