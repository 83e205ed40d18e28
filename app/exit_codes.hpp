#pragma once
// Exit statuses of `mpisim run` other than the target's own, and of `mpisim sweep`.
namespace mpisim::app {

enum ExitCode : int {
  kSuccess = 0,
  kPointFailed = 1,  ///< of `mpisim sweep`: at least one point failed
  kBadInput = 2,     ///< command line, machine file, program file
  kDeadlock = 3,     ///< or livelock
  kCrash = 4,        ///< of the target
  kMisuse = 5,       ///< of MPI by the target
  kHostFailure = 6,  ///< a host process failed
};

}  // namespace mpisim::app
