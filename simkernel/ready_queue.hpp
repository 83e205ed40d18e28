#pragma once
// Which of the processes that can go on runs next.
//
// Nothing that is predicted depends on this order, but the host's caches do: a process that was just made
// ready has its message, its stack and its partner's data in them. So the newest goes first, and processes
// that have never run wait until no other can go on: exchanges between neighbours finish before more stacks
// are touched. The oldest goes first from time to time, so that none falls behind for ever while messages
// pile up for it.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace mpisim::kernel {

class ProcessLp;

class ReadyQueue {
 public:
  bool empty() const { return begin_ == end_ && next_start_ == starts_.size() && last_.empty(); }
  /// One that has never run; they start in the order in which they were added.
  void add_start(ProcessLp& process) { starts_.push_back(&process); }
  void push(ProcessLp& process) {
    if (end_ - begin_ == ring_.size()) grow();
    ring_[end_++ & (ring_.size() - 1)] = &process;
  }
  /// One that lets all others go first.
  void push_last(ProcessLp& process) { last_.push_back(&process); }
  /// Takes the process if no other is ready.
  bool take_only(const ProcessLp& process) {
    if (end_ - begin_ != 1 || next_start_ != starts_.size() || !last_.empty()) return false;
    if (ring_[begin_ & (ring_.size() - 1)] != &process) return false;
    ++begin_;
    return true;
  }
  /// Not of an empty queue.
  ProcessLp& pop() {
    const bool old_one = ++pops_ % patience == 0;
    if (next_start_ != starts_.size() && (old_one || begin_ == end_)) return pop_start();
    if (begin_ == end_ || (old_one && !last_.empty() && pops_ / patience % 2 == 0)) return pop_last();
    return *(old_one ? ring_[begin_++ & (ring_.size() - 1)] : ring_[--end_ & (ring_.size() - 1)]);
  }

 private:
  static constexpr std::uint64_t patience = 16;
  /// As many stacks at once as stay in the caches until their processes start.
  static constexpr std::size_t starts_at_once = 64;
  /// A process is fetched into the caches while so many others start.
  static constexpr std::size_t fetched_ahead = 2;
  void grow();
  ProcessLp& pop_start();
  ProcessLp& pop_last();
  void touch_starts();

  std::deque<ProcessLp*> last_;
  std::vector<ProcessLp*> starts_;
  std::size_t next_start_ = 0;
  std::size_t touched_ = 0;       ///< so many of them have the first page of their stack
  bool touches_ahead_ = true;     ///< the system may do that; asked no more when it has refused
  std::vector<ProcessLp*> ring_;  ///< a power of two, entries [begin_, end_) modulo its size
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t pops_ = 0;
};

}  // namespace mpisim::kernel
