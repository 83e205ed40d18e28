// MPI_Group_* (MPI-3.1 section 6.3). All local.
#include <cstdlib>
#include <vector>

#include "mpisim/arguments.hpp"
#include "mpisim/group_algebra.hpp"

using namespace mpisim::mpi;

namespace {

/// Empty if `ranks` are distinct ranks of `group`, else what is wrong.
std::string check_ranks(const Group& group, int n, const int* ranks) {
  std::vector<bool> seen(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < n; ++i) {
    if (ranks[i] < 0 || ranks[i] >= group.size())
      return fmt::format("ranks[{}] is {}, but the group has {} members", i, ranks[i], group.size());
    if (seen[static_cast<std::size_t>(ranks[i])])
      return fmt::format("ranks[{}]: rank {} appears twice", i, ranks[i]);
    seen[static_cast<std::size_t>(ranks[i])] = true;
  }
  return {};
}

/// Writes out (first, last, stride) triples; a message if one is wrong.
std::string expand_ranges(int n, int ranges[][3], std::vector<int>& ranks) {
  for (int i = 0; i < n; ++i) {
    const int first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
    if (stride == 0) return fmt::format("the stride of ranges[{}] is 0", i);
    for (long rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride)
      ranks.push_back(static_cast<int>(rank));
  }
  return {};
}

using Combine = GroupPointer (*)(const GroupPointer&, const GroupPointer&);

int combine(MPI_Group group1, MPI_Group group2, MPI_Group* newgroup, Combine function) {
  MPISIM_GROUP(first, group1);
  MPISIM_GROUP(second, group2);
  MPISIM_REQUIRE_POINTER(newgroup, nullptr);
  *newgroup = handles().add_group(function(first, second));
  return MPI_SUCCESS;
}

using Choose = GroupPointer (*)(const GroupPointer&, std::span<const int>);

int choose(MPI_Group group, int n, const int* ranks, MPI_Group* newgroup, Choose function) {
  MPISIM_GROUP(members, group);
  MPISIM_REQUIRE(n >= 0, nullptr, MPI_ERR_ARG, "n is {}", n);
  MPISIM_REQUIRE(n == 0 || ranks, nullptr, MPI_ERR_ARG, "ranks is a null pointer");
  MPISIM_REQUIRE_POINTER(newgroup, nullptr);
  const std::string fault = check_ranks(*members, n, ranks);
  MPISIM_REQUIRE(fault.empty(), nullptr, MPI_ERR_RANK, "{}", fault);
  *newgroup = handles().add_group(function(members, {ranks, static_cast<std::size_t>(n)}));
  return MPI_SUCCESS;
}

int choose_ranges(MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup, Choose function) {
  MPISIM_REQUIRE(n >= 0, nullptr, MPI_ERR_ARG, "n is {}", n);
  MPISIM_REQUIRE(n == 0 || ranges, nullptr, MPI_ERR_ARG, "ranges is a null pointer");
  std::vector<int> ranks;
  const std::string fault = expand_ranges(n, ranges, ranks);
  MPISIM_REQUIRE(fault.empty(), nullptr, MPI_ERR_ARG, "{}", fault);
  return choose(group, static_cast<int>(ranks.size()), ranks.data(), newgroup, function);
}

}  // namespace

MPISIM_ENTRY(int, Group_size, (MPI_Group group, int* size)) {
  MPISIM_CALL(MPI_Group_size, local);
  MPISIM_GROUP(members, group);
  MPISIM_REQUIRE_POINTER(size, nullptr);
  *size = members->size();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Group_rank, (MPI_Group group, int* rank)) {
  MPISIM_CALL(MPI_Group_rank, local);
  MPISIM_GROUP(members, group);
  MPISIM_REQUIRE_POINTER(rank, nullptr);
  const int found = members->rank_of(handles().communicator(MPI_COMM_WORLD)->rank());
  *rank = found < 0 ? MPI_UNDEFINED : found;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Group_translate_ranks,
             (MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[])) {
  MPISIM_CALL(MPI_Group_translate_ranks, local);
  MPISIM_GROUP(from, group1);
  MPISIM_GROUP(to, group2);
  MPISIM_REQUIRE(n >= 0, nullptr, MPI_ERR_ARG, "n is {}", n);
  MPISIM_REQUIRE(n == 0 || (ranks1 && ranks2), nullptr, MPI_ERR_ARG, "an array of ranks is a null pointer");
  for (int i = 0; i < n; ++i) {
    if (ranks1[i] == MPI_PROC_NULL) {
      ranks2[i] = MPI_PROC_NULL;
      continue;
    }
    MPISIM_REQUIRE(ranks1[i] >= 0 && ranks1[i] < from->size(), nullptr, MPI_ERR_RANK,
                   "ranks1[{}] is {}, but group1 has {} members", i, ranks1[i], from->size());
    const int found = to->rank_of(from->world_rank(ranks1[i]));
    ranks2[i] = found < 0 ? MPI_UNDEFINED : found;
  }
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Group_compare, (MPI_Group group1, MPI_Group group2, int* result)) {
  MPISIM_CALL(MPI_Group_compare, local);
  MPISIM_GROUP(first, group1);
  MPISIM_GROUP(second, group2);
  MPISIM_REQUIRE_POINTER(result, nullptr);
  *result = compare_groups(*first, *second);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)) {
  MPISIM_CALL(MPI_Group_union, local);
  return combine(group1, group2, newgroup, group_union);
}

MPISIM_ENTRY(int, Group_intersection, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)) {
  MPISIM_CALL(MPI_Group_intersection, local);
  return combine(group1, group2, newgroup, group_intersection);
}

MPISIM_ENTRY(int, Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)) {
  MPISIM_CALL(MPI_Group_difference, local);
  return combine(group1, group2, newgroup, group_difference);
}

MPISIM_ENTRY(int, Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup)) {
  MPISIM_CALL(MPI_Group_incl, local);
  return choose(group, n, ranks, newgroup, group_include);
}

MPISIM_ENTRY(int, Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup)) {
  MPISIM_CALL(MPI_Group_excl, local);
  return choose(group, n, ranks, newgroup, group_exclude);
}

MPISIM_ENTRY(int, Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup)) {
  MPISIM_CALL(MPI_Group_range_incl, local);
  return choose_ranges(group, n, ranges, newgroup, group_include);
}

MPISIM_ENTRY(int, Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup)) {
  MPISIM_CALL(MPI_Group_range_excl, local);
  return choose_ranges(group, n, ranges, newgroup, group_exclude);
}

MPISIM_ENTRY(int, Group_free, (MPI_Group * group)) {
  MPISIM_CALL(MPI_Group_free, local);
  MPISIM_REQUIRE_POINTER(group, nullptr);
  if (*group != MPI_GROUP_EMPTY) {
    MPISIM_OBJECT(members, group, nullptr, MPI_ERR_GROUP, group, *group);
    handles().remove_group(*group);
  }
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}
