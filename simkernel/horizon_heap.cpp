#include "simkernel/horizon_heap.hpp"

#include <algorithm>

namespace mpisim::kernel {

namespace {
constexpr std::size_t arity = 4;
}

template <HorizonHeap::Order order>
bool HorizonHeap::before(const LogicalProcess* a, const LogicalProcess* b) {
  const SimTime mine = order == action ? a->current_.action : a->current_.question;
  const SimTime other = order == action ? b->current_.action : b->current_.question;
  if (mine != other) return mine < other;
  return a->id_ < b->id_;
}

void HorizonHeap::update(LogicalProcess& lp, Horizon horizon) {
  lp.current_ = horizon;
  set<action>(lp, !horizon.action.is_infinite());
  set<question>(lp, !horizon.action.is_infinite() && horizon.question != horizon.action);
}

/// `in`: it belongs into the heap; its place there may not be the right one any more.
template <HorizonHeap::Order order>
void HorizonHeap::set(LogicalProcess& lp, bool in) {
  const bool was_in = lp.heap_position_[order] != UINT32_MAX;
  if (in && was_in)
    move<order>(lp);
  else if (in)
    insert<order>(lp);
  else if (was_in)
    remove<order>(lp);
}

template <HorizonHeap::Order order>
void HorizonHeap::insert(LogicalProcess& lp) {
  lp.heap_position_[order] = static_cast<std::uint32_t>(heap<order>().size());
  heap<order>().push_back(&lp);
  sift_up<order>(lp.heap_position_[order]);
}

template <HorizonHeap::Order order>
void HorizonHeap::move(LogicalProcess& lp) {
  sift_up<order>(lp.heap_position_[order]);
  sift_down<order>(lp.heap_position_[order]);
}

template <HorizonHeap::Order order>
void HorizonHeap::remove(LogicalProcess& lp) {
  const std::size_t hole = lp.heap_position_[order];
  lp.heap_position_[order] = UINT32_MAX;
  LogicalProcess* last = heap<order>().back();
  heap<order>().pop_back();
  if (last == &lp) return;
  heap<order>()[hole] = last;
  last->heap_position_[order] = static_cast<std::uint32_t>(hole);
  move<order>(*last);
}

template <HorizonHeap::Order order>
void HorizonHeap::sift_up(std::size_t position) {
  std::vector<LogicalProcess*>& lps = heap<order>();
  LogicalProcess* lp = lps[position];
  while (position > 0) {
    const std::size_t parent = (position - 1) / arity;
    if (!before<order>(lp, lps[parent])) break;
    lps[position] = lps[parent];
    lps[position]->heap_position_[order] = static_cast<std::uint32_t>(position);
    position = parent;
  }
  lps[position] = lp;
  lp->heap_position_[order] = static_cast<std::uint32_t>(position);
}

template <HorizonHeap::Order order>
void HorizonHeap::sift_down(std::size_t position) {
  std::vector<LogicalProcess*>& lps = heap<order>();
  LogicalProcess* lp = lps[position];
  for (;;) {
    std::size_t best = position * arity + 1;
    if (best >= lps.size()) break;
    const std::size_t end = std::min(best + arity, lps.size());
    for (std::size_t child = best + 1; child < end; ++child) {
      if (before<order>(lps[child], lps[best])) best = child;
    }
    if (!before<order>(lps[best], lp)) break;
    lps[position] = lps[best];
    lps[position]->heap_position_[order] = static_cast<std::uint32_t>(position);
    position = best;
  }
  lps[position] = lp;
  lp->heap_position_[order] = static_cast<std::uint32_t>(position);
}

void HorizonHeap::take_below(SimTime eit, std::vector<LogicalProcess*>& out) {
  while (!by_action_.empty()) {
    // If the first by action is in the other heap, too, the first of that comes before it.
    LogicalProcess* lp = by_action_.front();
    if (!by_question_.empty() && !before<question>(lp, by_question_.front())) lp = by_question_.front();
    if (lp->current_.question >= eit) return;
    out.push_back(lp);
    remove<action>(*lp);
    set<question>(*lp, false);
  }
}

}  // namespace mpisim::kernel
