#pragma once
// Runs the host processes of a plan and tells how they ended.
#include <optional>
#include <string>
#include <vector>

#include "app/run_plan.hpp"

namespace mpisim::app {

struct HostSettings {
  std::string hostfile;                   ///< for mpirun; empty = this machine
  std::vector<std::string> mpirun_words;  ///< more arguments for mpirun
};

struct RunEnd {
  int exit_code = 0;
  /// Set if the host processes could not tell themselves what went wrong: then no JSON was written either.
  std::string host_failure;
  /// Nobody reads the output any more, which has ended a process by SIGPIPE; host_failure then says so, too.
  bool output_closed = false;
};

/// What the user's own mpirun says to a process that it has started.
struct Launched {
  int rank = 0;
  int processes = 1;
};
/// Nothing if this process was not started by mpirun.
std::optional<Launched> launched_by_mpirun();

/// Starts the program with the plan (directly with one host process, by mpirun with several) and waits.
/// `words`: the program and its arguments. Under a user's own mpirun this process becomes one of the host
/// processes and the call does not return. Throws std::runtime_error if nothing could be started.
RunEnd run_host_processes(RunPlan plan, const std::vector<std::string>& words, const HostSettings& settings);

}  // namespace mpisim::app
