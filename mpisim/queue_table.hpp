#pragma once
// The match queues of one rank, by context.
#include <array>
#include <memory>
#include <vector>

#include "mpisim/matching.hpp"

namespace mpisim::mpi {

class QueueTable {
 public:
  /// Those of MPI_COMM_WORLD are always there. `promises`: the program may promise things about tags.
  QueueTable(ContextId world_user, ContextId world_collective, bool promises)
      : world_{MatchQueue(world_user), MatchQueue(world_collective)}, promises_(promises) {
    if (promises_) world_.front().keep_promises();
  }

  /// Made if it is new. The reference is valid until the rank blocks or another is asked for.
  MatchQueue& operator[](ContextId context) {
    for (MatchQueue& queue : world_) {
      if (queue.context() == context) return queue;
    }
    if (last_ != nullptr && last_->context() == context) return *last_;
    return find_or_make(context);
  }

  /// Those of the world, then the others by context: the same order on every host.
  template <typename Visitor>
  void for_each(Visitor visit) const {
    for (const MatchQueue& queue : world_) visit(queue);
    for (const auto& queue : others_) visit(static_cast<const MatchQueue&>(*queue));
  }
  template <typename Visitor>
  void for_each(Visitor visit) {
    for (MatchQueue& queue : world_) visit(queue);
    for (const auto& queue : others_) visit(*queue);
  }

 private:
  MatchQueue& find_or_make(ContextId context);

  std::array<MatchQueue, 2> world_;
  bool promises_;
  MatchQueue* last_ = nullptr;                       ///< the one of `others_` that was asked for last
  std::vector<std::unique_ptr<MatchQueue>> others_;  ///< by context
  std::size_t tidy_at_ = 16;                         ///< when there are so many, idle ones are dropped
};

}  // namespace mpisim::mpi
