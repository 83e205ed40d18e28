#pragma once
// Operations on groups (MPI-3.1 section 6.3). Groups that are intervals with a stride stay so where they can.
#include <span>
#include <vector>

#include "mpisim/group.hpp"

namespace mpisim::mpi {

/// MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
int compare_groups(const Group& first, const Group& second);

std::vector<int> world_ranks(const Group& group);

GroupPointer group_union(const GroupPointer& first, const GroupPointer& second);
GroupPointer group_intersection(const GroupPointer& first, const GroupPointer& second);
GroupPointer group_difference(const GroupPointer& first, const GroupPointer& second);
/// `ranks`: distinct valid ranks of `group`.
GroupPointer group_include(const GroupPointer& group, std::span<const int> ranks);
GroupPointer group_exclude(const GroupPointer& group, std::span<const int> ranks);

}  // namespace mpisim::mpi
