#pragma once
// Small helpers of wrappers that ask the simulation.
#include "runtime/rank_environment.hpp"

namespace mpisim::runtime {

/// Nanoseconds since the start of the simulation, as a clock call of this rank sees it.
inline std::int64_t read_nanoseconds(RankEnvironment& rank) {
  return rank.services().read_clock().ps() / 1000;
}

/// Sleeps; durations beyond the range of simulated time are cut to 100 days.
inline void sleep_nanoseconds(RankEnvironment& rank, std::int64_t nanoseconds) {
  constexpr std::int64_t longest = 100LL * 24 * 3600 * 1'000'000'000;
  if (nanoseconds > 0)
    rank.services().sleep(
        kernel::SimTime::picoseconds((nanoseconds < longest ? nanoseconds : longest) * 1000));
}

}  // namespace mpisim::runtime
