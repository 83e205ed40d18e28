#pragma once
// Exit statuses of `mpisim run` other than the target's own, and of `mpisim sweep`.
namespace mpisim::app {

enum ExitCode : int {
  success = 0,
  point_failed = 1,   ///< of `mpisim sweep`: at least one point failed or could not run
  bad_input = 2,      ///< command line, machine file, program file
  deadlock = 3,       ///< or livelock
  crash = 4,          ///< of the target
  misuse = 5,         ///< of MPI by the target
  host_failure = 6,   ///< a host process failed
  time_limit = 124,   ///< --time-limit was over, as of timeout(1)
  interrupted = 130,  ///< by Ctrl-C, as a shell tells it
};

}  // namespace mpisim::app
