#include "mpisim/group.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace mpisim::mpi {
namespace {

class StridedGroup final : public Group {
 public:
  StridedGroup(int first, int stride, int size) : Group(first, stride, size) {}
  int rank_of(int world_rank) const override {
    const int distance = world_rank - first();
    if (distance % stride() != 0) return -1;
    const int rank = distance / stride();
    return rank >= 0 && rank < size() ? rank : -1;
  }
  bool equals(int other_first, int other_stride, int other_size) const {
    return first() == other_first && stride() == other_stride && size() == other_size;
  }
};

class ListGroup final : public Group {
 public:
  explicit ListGroup(std::vector<int> world_ranks)
      : Group(world_ranks.data(), static_cast<int>(world_ranks.size())),
        world_ranks_(std::move(world_ranks)) {  // moving keeps data() where it is
    sorted_.resize(world_ranks_.size());
    for (std::size_t i = 0; i < sorted_.size(); ++i) sorted_[i] = static_cast<int>(i);
    std::sort(sorted_.begin(), sorted_.end(), [this](int a, int b) {
      return world_ranks_[static_cast<std::size_t>(a)] < world_ranks_[static_cast<std::size_t>(b)];
    });
  }
  int rank_of(int world_rank) const override {
    const auto found = std::lower_bound(
        sorted_.begin(), sorted_.end(), world_rank,
        [this](int rank, int wanted) { return world_ranks_[static_cast<std::size_t>(rank)] < wanted; });
    return found != sorted_.end() && world_ranks_[static_cast<std::size_t>(*found)] == world_rank ? *found
                                                                                                  : -1;
  }
  const std::vector<int>& world_ranks() const { return world_ranks_; }

 private:
  std::vector<int> world_ranks_;
  std::vector<int> sorted_;  // group ranks by world rank
};

/// Live groups by hash, so that equal groups share one object. Dead entries leave when their bucket is looked
/// at, and all of them whenever the table has doubled.
template <class G>
class Interner {
 public:
  template <class Equal, class Make>
  GroupPointer find_or_make(std::uint64_t hash, Equal&& equal, Make&& make) {
    const std::lock_guard lock(mutex_);  // kernels of one process may run on several threads
    auto [at, end] = groups_.equal_range(hash);
    while (at != end) {
      if (auto group = at->second.lock()) {
        if (equal(*group)) return group;
        ++at;
      } else {
        at = groups_.erase(at);
      }
    }
    if (groups_.size() >= sweep_at_) {
      std::erase_if(groups_, [](const auto& entry) { return entry.second.expired(); });
      sweep_at_ = std::max<std::size_t>(64, 2 * groups_.size());
    }
    auto group = make();
    groups_.emplace(hash, group);
    return group;
  }

 private:
  std::mutex mutex_;
  std::unordered_multimap<std::uint64_t, std::weak_ptr<const G>> groups_;
  std::size_t sweep_at_ = 64;
};

std::uint64_t mix(std::uint64_t hash, int value) {
  hash ^= static_cast<std::uint32_t>(value);
  hash *= 0x9e3779b97f4a7c15ULL;
  return hash ^ hash >> 29;
}

}  // namespace

GroupPointer make_world_group(int size) {
  return make_strided_group(0, 1, size);
}

GroupPointer make_strided_group(int first, int stride, int size) {
  if (size == 0) first = 0;
  if (size <= 1) stride = 1;
  static auto& interner = *new Interner<StridedGroup>;
  return interner.find_or_make(
      mix(mix(mix(1, first), stride), size),
      [&](const StridedGroup& group) { return group.equals(first, stride, size); },
      [&] { return std::make_shared<const StridedGroup>(first, stride, size); });
}

GroupPointer make_group(std::vector<int> world_ranks) {
  const int size = static_cast<int>(world_ranks.size());
  if (size == 0) return make_strided_group(0, 1, 0);
  const int stride = size > 1 ? world_ranks[1] - world_ranks[0] : 1;
  bool strided = true;
  for (std::size_t i = 1; i < world_ranks.size() && strided; ++i)
    strided = world_ranks[i] - world_ranks[i - 1] == stride;
  if (strided) return make_strided_group(world_ranks[0], stride, size);
  std::uint64_t hash = 2;
  for (const int rank : world_ranks) hash = mix(hash, rank);
  static auto& interner = *new Interner<ListGroup>;
  return interner.find_or_make(
      hash, [&](const ListGroup& group) { return group.world_ranks() == world_ranks; },
      [&] { return std::make_shared<const ListGroup>(std::move(world_ranks)); });
}

std::uint64_t group_hash(const Group& group) {
  // All members of a large communicator ask for it when they make another from it.
  if (group.hash_ == 0) {
    std::uint64_t hash = 3;
    for (int i = 0; i < group.size(); ++i) hash = mix(hash, group.world_rank(i));
    group.hash_ = hash;
  }
  return group.hash_;
}

}  // namespace mpisim::mpi
