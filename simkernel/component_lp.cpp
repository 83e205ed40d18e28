#include "simkernel/component_lp.hpp"

#include <algorithm>
#include <cassert>

#include "simkernel/engine.hpp"

namespace mpisim::kernel {

namespace {
bool later(const Event* a, const Event* b) {
  return b->key < a->key;
}
}  // namespace

ComponentLp::~ComponentLp() {
  for (Event* event : queue_) engine().discard(event);
}

void ComponentLp::deliver(Event* event) {
  assert(event->key.time >= now_ || !engine().options().exact);
  if (in_order_) {
    now_ = event->key.time;
    handle(event);
    return;
  }
  queue_.push_back(event);
  // Most have one event at a time.
  if (queue_.size() > 1) std::push_heap(queue_.begin(), queue_.end(), later);
  horizon_changed();
}

Horizon ComponentLp::horizon() const {
  if (queue_.empty()) return {};
  const SimTime next = queue_.front()->key.time;
  return {next, next};
}

void ComponentLp::advance(SimTime eit) {
  while (!queue_.empty() && queue_.front()->key.time < eit) {
    if (queue_.size() > 1) std::pop_heap(queue_.begin(), queue_.end(), later);
    Event* event = queue_.back();
    queue_.pop_back();
    now_ = max(now_, event->key.time);  // equal to the latter under exact protocols
    handle(event);
  }
}

void ComponentLp::send(LpId destination, SimTime delay, Event* event) {
  assert(delay > SimTime::zero());
  event->key = {now_ + delay, id(), next_sequence()};
  event->destination = destination;
  engine().send(event);
}

}  // namespace mpisim::kernel
