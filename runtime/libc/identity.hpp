#pragma once
// Who and where a simulated process is.
#include <sys/types.h>

#include "runtime/rank_environment.hpp"

namespace mpisim::runtime {

/// What getpid() gives: the same on every host machine and in every run.
inline pid_t simulated_process_id(RankEnvironment& rank) {
  constexpr pid_t first = 10000;
  return first + rank.services().world_rank();
}

}  // namespace mpisim::runtime
