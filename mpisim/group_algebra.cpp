#include "mpisim/group_algebra.hpp"

#include "mpisim/include/mpi.h"

namespace mpisim::mpi {

int compare_groups(const Group& first, const Group& second) {
  if (&first == &second) return MPI_IDENT;  // equal groups are one object
  if (first.size() != second.size()) return MPI_UNEQUAL;
  bool identical = true;
  for (int i = 0; i < first.size(); ++i) {
    const int world_rank = first.world_rank(i);
    if (second.world_rank(i) == world_rank) continue;
    identical = false;
    if (second.rank_of(world_rank) < 0) return MPI_UNEQUAL;
  }
  return identical ? MPI_IDENT : MPI_SIMILAR;
}

std::vector<int> world_ranks(const Group& group) {
  std::vector<int> ranks(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); ++i) ranks[static_cast<std::size_t>(i)] = group.world_rank(i);
  return ranks;
}

GroupPointer group_union(const GroupPointer& first, const GroupPointer& second) {
  if (first == second || second->size() == 0) return first;
  std::vector<int> ranks = world_ranks(*first);
  for (int i = 0; i < second->size(); ++i)
    if (first->rank_of(second->world_rank(i)) < 0) ranks.push_back(second->world_rank(i));
  return make_group(std::move(ranks));
}

GroupPointer group_intersection(const GroupPointer& first, const GroupPointer& second) {
  if (first == second) return first;
  std::vector<int> ranks;
  for (int i = 0; i < first->size(); ++i)
    if (second->rank_of(first->world_rank(i)) >= 0) ranks.push_back(first->world_rank(i));
  return make_group(std::move(ranks));
}

GroupPointer group_difference(const GroupPointer& first, const GroupPointer& second) {
  std::vector<int> ranks;
  for (int i = 0; i < first->size(); ++i)
    if (second->rank_of(first->world_rank(i)) < 0) ranks.push_back(first->world_rank(i));
  return make_group(std::move(ranks));
}

GroupPointer group_include(const GroupPointer& group, std::span<const int> ranks) {
  std::vector<int> chosen;
  chosen.reserve(ranks.size());
  for (const int rank : ranks) chosen.push_back(group->world_rank(rank));
  return make_group(std::move(chosen));
}

GroupPointer group_exclude(const GroupPointer& group, std::span<const int> ranks) {
  std::vector<bool> excluded(static_cast<std::size_t>(group->size()));
  for (const int rank : ranks) excluded[static_cast<std::size_t>(rank)] = true;
  std::vector<int> chosen;
  for (int i = 0; i < group->size(); ++i)
    if (!excluded[static_cast<std::size_t>(i)]) chosen.push_back(group->world_rank(i));
  return make_group(std::move(chosen));
}

}  // namespace mpisim::mpi
