#pragma once
// From a plan to a report: builds machine, kernel and ranks of this host process and runs them.
#include <functional>

#include "app/run_plan.hpp"
#include "app/run_report.hpp"
#include "runtime/target_abi.h"

namespace mpisim::app {

/// What the simulation needs of the process it runs in.
struct HostProcess {
  int argc;
  char** argv;
  char** environment;
  mpisim_user_main_function user_main;
};

/// What is called when it is known how a run ended.
struct RunEnds {
  /// At host 0, once the whole result is there and before anything is taken down, MPI least of all: what may
  /// go wrong in libraries from then on does not touch the result. Returns the exit status.
  std::function<int(const RunReport&)> finished;
  /// After a crash of the target, or when a host process fails in the middle of the run, nothing can come
  /// back: called with what is known, on whichever host it is. Must end the process.
  std::function<void(const RunReport&)> ended;
  /// From outside, on every host process: must end it, but not before the others have had time for the same.
  std::function<void(const RunReport&)> interrupted;
  /// The same with nothing to report but exit status and reason, safe in a handler of a signal.
  std::function<void(int, const char*)> ended_damaged;
};

/// Runs the program as the plan says. Returns the exit status, success on other hosts than 0. Ends by
/// deadlock or misuse come to `finished`, too. Explanations have been written to stderr before either of
/// `ends` is called. Throws machine::InvalidMachine, kernel::WrongProfile and std::runtime_error before the
/// run begins.
int simulate(const RunPlan& plan, const HostProcess& process, const RunEnds& ends);

}  // namespace mpisim::app
