#pragma once
// From a plan to a report: builds machine, kernel and ranks of this host process and runs them.
#include <functional>
#include <optional>

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

/// Runs the program as the plan says. Returns the report at host 0, nothing on other hosts. Ends by deadlock
/// or misuse come back in the report too; their explanation has been written to stderr. After a crash of the
/// target, or when a host process fails in the middle of the run, nothing can come back: `ended` is called
/// with what is known, on whichever host it is, and must end the process; the reason has been written to
/// stderr. Throws machine::InvalidMachine, kernel::WrongProfile and std::runtime_error before the run begins.
std::optional<RunReport> simulate(const RunPlan& plan, const HostProcess& process,
                                  const std::function<void(const RunReport&)>& ended);

}  // namespace mpisim::app
