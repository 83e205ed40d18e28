#include "mpisim/group.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "mpisim/group_algebra.hpp"
#include "mpisim/include/mpi.h"

using namespace mpisim::mpi;

TEST_CASE("equal groups are one object, strided ones compressed") {
  CHECK(make_group({0, 1, 2, 3}) == make_world_group(4));
  CHECK(make_group({6, 4, 2}) == make_strided_group(6, -2, 3));
  CHECK(make_group({5, 1, 9}) == make_group({5, 1, 9}));
  CHECK(make_group({5, 1, 9}) != make_group({5, 9, 1}));
  CHECK(make_group({}) == make_strided_group(0, 1, 0));
}

TEST_CASE("ranks and world ranks are inverse") {
  for (const auto& list : {std::vector<int>{3, 1, 4, 15, 9, 2, 6}, {8, 6, 4}, {7}, {0, 1, 2}}) {
    const GroupPointer group = make_group(list);
    REQUIRE(group->size() == static_cast<int>(list.size()));
    for (int i = 0; i < group->size(); ++i) {
      CHECK(group->world_rank(i) == list[static_cast<std::size_t>(i)]);
      CHECK(group->rank_of(list[static_cast<std::size_t>(i)]) == i);
    }
    CHECK(group->rank_of(100) == -1);
    CHECK(group->rank_of(5) == -1);
  }
}

TEST_CASE("set operations keep the order that MPI gives") {
  std::mt19937 random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const auto draw = [&] {
      std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
      std::shuffle(all.begin(), all.end(), random);
      all.resize(random() % 11);
      return all;
    };
    const std::vector<int> a = draw(), b = draw();
    const auto in = [](const std::vector<int>& list, int x) {
      return std::find(list.begin(), list.end(), x) != list.end();
    };
    std::vector<int> both, either = a, only;
    for (const int x : a) (in(b, x) ? both : only).push_back(x);
    for (const int x : b)
      if (!in(a, x)) either.push_back(x);
    CHECK(world_ranks(*group_intersection(make_group(a), make_group(b))) == both);
    CHECK(world_ranks(*group_union(make_group(a), make_group(b))) == either);
    CHECK(world_ranks(*group_difference(make_group(a), make_group(b))) == only);
    const bool same_members = both.size() == a.size() && a.size() == b.size();
    const int expected = a == b ? MPI_IDENT : same_members ? MPI_SIMILAR : MPI_UNEQUAL;
    CHECK(compare_groups(*make_group(a), *make_group(b)) == expected);
  }
}
