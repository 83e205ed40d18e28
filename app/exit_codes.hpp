#pragma once
// Exit statuses of `mpisim run` other than the target's own.
namespace mpisim::app {

enum ExitCode : int {
  kSuccess = 0,
  kBadInput = 2,     ///< command line, machine file, program file
  kDeadlock = 3,     ///< or livelock
  kCrash = 4,        ///< of the target
  kMisuse = 5,       ///< of MPI by the target
  kHostFailure = 6,  ///< a host process failed
};

}  // namespace mpisim::app
