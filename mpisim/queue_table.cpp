#include "mpisim/queue_table.hpp"

#include <algorithm>

#include "mpisim/core.hpp"

namespace mpisim::mpi {

MatchQueue& QueueTable::find_or_make(ContextId context) {
  const auto find = [this, context] {
    return std::lower_bound(
        others_.begin(), others_.end(), context,
        [](const std::unique_ptr<MatchQueue>& queue, ContextId wanted) { return queue->context() < wanted; });
  };
  auto place = find();
  if (place == others_.end() || (*place)->context() != context) {
    if (others_.size() >= tidy_at_) {
      // Communicators that are gone leave theirs behind.
      std::erase_if(others_, [](const std::unique_ptr<MatchQueue>& queue) { return queue->idle(); });
      tidy_at_ = std::max<std::size_t>(16, 2 * others_.size());
      place = find();
    }
    place = others_.insert(place, std::make_unique<MatchQueue>(context));
    const bool user = (context & 1U) == static_cast<ContextId>(core::Plane::user);
    if (user && promises_) (*place)->keep_promises();
  }
  last_ = place->get();
  return *last_;
}

}  // namespace mpisim::mpi
