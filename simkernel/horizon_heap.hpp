#pragma once
// The LPs of a host that have a finite horizon: which may act first, and which have something to decide below
// an EIT.
#include <cstdint>
#include <vector>

#include "simkernel/logical_process.hpp"

namespace mpisim::kernel {

/// Two indexed 4-ary heaps, one by action of all LPs, one by question of those whose question is earlier than
/// their action (components' never is); ties by LP id.
class HorizonHeap {
 public:
  bool empty() const { return by_action_.empty(); }
  std::size_t size() const { return by_action_.size(); }
  SimTime smallest_action() const {
    return by_action_.empty() ? SimTime::infinity() : by_action_.front()->current_.action;
  }
  SimTime smallest_question() const {
    return min(by_question_.empty() ? SimTime::infinity() : by_question_.front()->current_.question,
               smallest_action());
  }
  /// All of them, the first with the smallest action, the others in no order.
  const std::vector<LogicalProcess*>& lps() const { return by_action_; }
  /// Inserts, moves or (infinite horizon) removes `lp`.
  void update(LogicalProcess& lp, Horizon horizon);
  /// Removes every LP with question < eit and appends it to `out`, in (question, id) order.
  void take_below(SimTime eit, std::vector<LogicalProcess*>& out);

 private:
  enum Order : std::uint8_t { action, question };
  template <Order order>
  static bool before(const LogicalProcess* a, const LogicalProcess* b);
  template <Order order>
  std::vector<LogicalProcess*>& heap() {
    return order == action ? by_action_ : by_question_;
  }
  template <Order order>
  void set(LogicalProcess& lp, bool in);
  template <Order order>
  void insert(LogicalProcess& lp);
  template <Order order>
  void move(LogicalProcess& lp);
  template <Order order>
  void remove(LogicalProcess& lp);
  template <Order order>
  void sift_up(std::size_t position);
  template <Order order>
  void sift_down(std::size_t position);

  std::vector<LogicalProcess*> by_action_;
  std::vector<LogicalProcess*> by_question_;
};

}  // namespace mpisim::kernel
