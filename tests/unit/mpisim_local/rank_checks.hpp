#pragma once
// Programs of tests that check things inside their ranks, where Catch2's macros may not be used.
#include <functional>

/// Number of the first check that fails inside a rank, for its exit status.
#define RANK_CHECK(condition) \
  if (!(condition)) return __LINE__ % 250 + 1

namespace mpisim::test {

/// Runs `inner` between MPI_Init and MPI_Finalize on every rank; returns the exit status of the program.
int run(int ranks, std::function<int(int)> inner, int hosts = 1);

}  // namespace mpisim::test
