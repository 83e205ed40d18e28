#include "tests/unit/mpisim_local/rank_checks.hpp"

#include <catch2/catch.hpp>

#include "mpisim/include/mpi.h"
#include "tests/support/mpi_harness.hpp"

namespace mpisim::test {

int run(int ranks, std::function<int(int)> inner, int hosts) {
  HarnessOptions options;
  options.hosts = hosts;
  const auto result = run_ranks(
      ranks,
      [inner = std::move(inner)](int rank) {
        MPI_Init(nullptr, nullptr);
        const int status = inner(rank);
        MPI_Finalize();
        return status;
      },
      options);
  INFO(result.report);
  CHECK(result.end == mpi::End::finished);
  return result.exit_code;
}

}  // namespace mpisim::test
