#include "mpisim/topology.hpp"

#include <catch2/catch.hpp>

#include "mpisim/include/mpi.h"

using namespace mpisim::mpi;

TEST_CASE("dimensions as balanced as can be, in decreasing order") {
  const auto dims = [](int nodes, std::vector<int> given) {
    CHECK(create_dimensions(nodes, given));
    return given;
  };
  CHECK(dims(6, {0, 0}) == std::vector<int>{3, 2});
  CHECK(dims(7, {0, 0}) == std::vector<int>{7, 1});
  CHECK(dims(6, {0, 3, 0}) == std::vector<int>{2, 3, 1});
  CHECK(dims(64, {0, 0, 0}) == std::vector<int>{4, 4, 4});
  CHECK(dims(12, {0, 0, 0}) == std::vector<int>{3, 2, 2});
  CHECK(dims(36, {0, 0}) == std::vector<int>{6, 6});
  CHECK(dims(1, {0, 0}) == std::vector<int>{1, 1});
  CHECK(dims(65536, {0, 0, 0}) == std::vector<int>{64, 32, 32});
  CHECK(dims(999983, {0, 0}) == std::vector<int>{999983, 1});
  // The difference between the largest and the smallest is least, and then the smallest is large.
  CHECK(dims(144, {0, 0, 0}) == std::vector<int>{6, 6, 4});
  CHECK(dims(7488, {0, 0, 0}) == std::vector<int>{26, 18, 16});
  CHECK(dims(5040, {0, 0, 0}) == std::vector<int>{21, 16, 15});
  std::vector<int> wrong{0, 3};
  CHECK(!create_dimensions(7, wrong));
}

TEST_CASE("coordinates and shifts of a grid") {
  Topology grid;
  grid.dimensions = {3, 4};
  grid.periodic = {0, 1};
  for (int rank = 0; rank < 12; ++rank) {
    int at[2];
    grid.coordinates_of(rank, at);
    CHECK(at[0] == rank / 4);
    CHECK(at[1] == rank % 4);
    CHECK(grid.rank_of(at) == rank);
  }
  const int wrapped[] = {1, -1}, outside[] = {3, 0};
  CHECK(grid.rank_of(wrapped) == 7);
  CHECK(grid.rank_of(outside) == -1);
  int source, destination;
  grid.shift(0, 0, 1, source, destination);
  CHECK(source == MPI_PROC_NULL);
  CHECK(destination == 4);
  grid.shift(0, 1, -3, source, destination);
  CHECK(source == 3);
  CHECK(destination == 1);
}
