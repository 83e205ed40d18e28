#pragma once
// From a plan to a report: builds machine, kernel and ranks of this host process and runs them.
#include <stdexcept>

#include "app/run_plan.hpp"
#include "app/run_report.hpp"
#include "runtime/target_abi.h"

namespace mpisim::app {

class ControlClient;

/// What the simulation needs of the process it runs in.
struct HostProcess {
  int argc;
  char** argv;
  char** environment;
  mpisim_user_main_function user_main;
  const ControlClient* control;  ///< null with one host process
};

/// Input that only the program's process can find wrong: exit status 2.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs the program as the plan says; returns at host 0 with the report, on other hosts with one of which
/// only exit_code counts. Ends by deadlock, crash or misuse come back in the report too; their explanation
/// has been written to stderr.
RunReport simulate(const RunPlan& plan, const HostProcess& process);

}  // namespace mpisim::app
