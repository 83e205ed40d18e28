#pragma once
// Groups: ordered sets of world ranks. Immutable and shared by all ranks of a host process that hold an equal
// group.
#include <cstdint>
#include <memory>
#include <vector>

namespace mpisim::mpi {

class Group {
 public:
  virtual ~Group() = default;
  int size() const { return size_; }
  /// World rank of group rank `rank` (0 <= rank < size()).
  int world_rank(int rank) const { return list_ == nullptr ? first_ + rank * stride_ : list_[rank]; }
  /// Group rank of a world rank, or -1 (not MPI_UNDEFINED: callers translate).
  virtual int rank_of(int world_rank) const = 0;

 protected:
  Group(int first, int stride, int size) : first_(first), stride_(stride), size_(size) {}
  /// `list`: the world ranks, which live as long as the group.
  Group(const int* list, int size) : list_(list), size_(size) {}
  int first() const { return first_; }
  int stride() const { return stride_; }

 private:
  friend std::uint64_t group_hash(const Group& group);
  const int* list_ = nullptr;  ///< null: strided
  int first_ = 0;
  int stride_ = 0;
  int size_;
  mutable std::uint64_t hash_ = 0;  // once asked for
};

using GroupPointer = std::shared_ptr<const Group>;

/// 0, 1, ..., size-1: O(1) memory (MPI_COMM_WORLD).
GroupPointer make_world_group(int size);
/// first, first + stride, ...: O(1) memory.
GroupPointer make_strided_group(int first, int stride, int size);
/// Any list of distinct world ranks; compressed to a strided group when it is one; equal lists share one
/// object.
GroupPointer make_group(std::vector<int> world_ranks);
/// Depends on the members and their order alone: equal on all hosts.
std::uint64_t group_hash(const Group& group);

}  // namespace mpisim::mpi
