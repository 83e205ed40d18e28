#include "simkernel/ready_queue.hpp"

#include <algorithm>
#include <array>

#include "simkernel/process_lp.hpp"

namespace mpisim::kernel {

void ReadyQueue::grow() {
  std::vector<ProcessLp*> larger(ring_.empty() ? 64 : ring_.size() * 2);
  for (std::uint64_t i = begin_; i != end_; ++i)
    larger[i & (larger.size() - 1)] = ring_[i & (ring_.size() - 1)];
  ring_.swap(larger);
}

void ReadyQueue::touch_starts() {
  if (!touches_ahead_) return;
  std::array<const Stack*, starts_at_once> stacks;
  const std::size_t count = std::min(starts_.size() - touched_, stacks.size());
  for (std::size_t i = 0; i < count; ++i) stacks[i] = &starts_[touched_ + i]->stack();
  touches_ahead_ = touch_tops(std::span(stacks).first(count));
  touched_ += count;
}

ProcessLp& ReadyQueue::pop_start() {
  if (next_start_ == touched_) touch_starts();
  if (next_start_ + fetched_ahead < starts_.size()) starts_[next_start_ + fetched_ahead]->prefetch_start();
  return *starts_[next_start_++];
}

ProcessLp& ReadyQueue::pop_last() {
  ProcessLp& process = *last_.front();
  last_.pop_front();
  return process;
}

}  // namespace mpisim::kernel
