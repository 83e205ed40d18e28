#pragma once
// Indexed 4-ary heap of the LPs of a host that have a finite horizon, smallest action first (ties by LP id).
#include <cstdint>
#include <vector>

#include "simkernel/logical_process.hpp"

namespace mpisim::kernel {

class HorizonHeap {
 public:
  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  SimTime smallest_action() const {
    return heap_.empty() ? SimTime::infinity() : heap_.front()->current_.action;
  }
  /// All of them, the first with the smallest action, the others in no order.
  const std::vector<LogicalProcess*>& lps() const { return heap_; }
  /// Inserts, moves or (infinite horizon) removes `lp`.
  void update(LogicalProcess& lp, Horizon horizon);
  /// Removes every LP with action < eit and question < eit and appends it to `out`, in (action, id) order.
  void take_below(SimTime eit, std::vector<LogicalProcess*>& out);

 private:
  static bool before(const LogicalProcess* a, const LogicalProcess* b);
  void sift_up(std::size_t position);
  void sift_down(std::size_t position);
  void remove(LogicalProcess& lp);
  std::vector<LogicalProcess*> heap_;
};

}  // namespace mpisim::kernel
