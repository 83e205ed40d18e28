#include "simkernel/horizon_heap.hpp"

#include <algorithm>

namespace mpisim::kernel {

namespace {
constexpr std::size_t arity = 4;
}

bool HorizonHeap::before(const LogicalProcess* a, const LogicalProcess* b) {
  if (a->current_.action != b->current_.action) return a->current_.action < b->current_.action;
  return a->id_ < b->id_;
}

void HorizonHeap::update(LogicalProcess& lp, Horizon horizon) {
  const bool present = lp.heap_position_ != UINT32_MAX;
  if (horizon.action.is_infinite()) {
    if (present) remove(lp);
    lp.current_ = horizon;
    return;
  }
  lp.current_ = horizon;
  if (!present) {
    lp.heap_position_ = static_cast<std::uint32_t>(heap_.size());
    heap_.push_back(&lp);
    sift_up(lp.heap_position_);
  } else {
    sift_up(lp.heap_position_);
    sift_down(lp.heap_position_);
  }
}

void HorizonHeap::remove(LogicalProcess& lp) {
  const std::size_t hole = lp.heap_position_;
  lp.heap_position_ = UINT32_MAX;
  LogicalProcess* last = heap_.back();
  heap_.pop_back();
  if (last == &lp) return;
  heap_[hole] = last;
  last->heap_position_ = static_cast<std::uint32_t>(hole);
  sift_up(hole);
  sift_down(last->heap_position_);
}

void HorizonHeap::sift_up(std::size_t position) {
  LogicalProcess* lp = heap_[position];
  while (position > 0) {
    const std::size_t parent = (position - 1) / arity;
    if (!before(lp, heap_[parent])) break;
    heap_[position] = heap_[parent];
    heap_[position]->heap_position_ = static_cast<std::uint32_t>(position);
    position = parent;
  }
  heap_[position] = lp;
  lp->heap_position_ = static_cast<std::uint32_t>(position);
}

void HorizonHeap::sift_down(std::size_t position) {
  LogicalProcess* lp = heap_[position];
  for (;;) {
    std::size_t best = position * arity + 1;
    if (best >= heap_.size()) break;
    const std::size_t end = std::min(best + arity, heap_.size());
    for (std::size_t child = best + 1; child < end; ++child) {
      if (before(heap_[child], heap_[best])) best = child;
    }
    if (!before(heap_[best], lp)) break;
    heap_[position] = heap_[best];
    heap_[position]->heap_position_ = static_cast<std::uint32_t>(position);
    position = best;
  }
  heap_[position] = lp;
  lp->heap_position_ = static_cast<std::uint32_t>(position);
}

void HorizonHeap::take_below(SimTime eit, std::vector<LogicalProcess*>& out) {
  // question <= action, so the action decides; an LP whose action is later but whose question is safe already
  // will have its turn in a later round.
  while (!heap_.empty() && heap_.front()->current_.action < eit) {
    LogicalProcess* lp = heap_.front();
    out.push_back(lp);
    remove(*lp);
  }
}

}  // namespace mpisim::kernel
