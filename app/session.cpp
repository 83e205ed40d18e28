// The entry into libmpisim.so: `main` of a program's start object calls mpisim_start.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <optional>

#include "app/control_channel.hpp"
#include "app/descriptors.hpp"
#include "app/exit_codes.hpp"
#include "app/json_file.hpp"
#include "app/run_plan.hpp"
#include "app/simulation.hpp"
#include "runtime/target_abi.h"

namespace mpisim::app {

namespace {

void say(const std::string& text) {
  write_all(STDERR_FILENO, text.data(), text.size());
}

int fail(int exit_code, const char* reason, const std::string& message, const ControlClient* control) {
  say("mpisim run: " + message + "\n");
  if (control != nullptr) control->report(exit_code, reason);
  return exit_code;
}

// The report leaves the process: JSON, summary, and how it ended to `mpisim run`.
int finish(const RunPlan& plan, const RunReport& report, const ControlClient* control) {
  if (!plan.json_file.empty()) write_atomically(plan.json_file, to_json(plan, report));
  if (!plan.quiet) say(summary(plan, report));
  if (control != nullptr) control->report(report.exit_code, report.exit_reason.c_str());
  return report.exit_code;
}

int run_planned(RunPlan plan, HostProcess process) {
  // The parent is `mpisim run` or mpirun: without it nobody would wait for this process.
  if (!plan.native) prctl(PR_SET_PDEATHSIG, SIGKILL);
  unsetenv(kPlanVariable);  // the target and what it starts see the user's environment
  std::optional<ControlClient> channel;
  if (!plan.control.empty()) channel.emplace(plan.control);
  const ControlClient* control = channel ? &*channel : nullptr;
  process.control = control;
  try {
    return finish(plan, simulate(plan, process), control);
  } catch (const BadInput& error) {
    return fail(kBadInput, "bad-input", error.what(), control);
  } catch (const std::exception& error) {
    return fail(kHostFailure, "host-failure", std::string("internal error: ") + error.what(), control);
  }
}

// A program that is started directly behaves as one rank (autoconf does that): the same simulation with one
// rank, no summary, its compute time measured, on a machine whose messages cost almost nothing.
RunPlan native_plan(char** argv) {
  RunPlan plan;
  plan.program = argv[0] == nullptr ? "" : argv[0];
  plan.quiet = true;
  plan.native = true;
  return plan;
}

}  // namespace

}  // namespace mpisim::app

extern "C" __attribute__((visibility("default"))) int mpisim_start(int argc, char** argv, char** envp,
                                                                   mpisim_user_main_function user_main) {
  using namespace mpisim::app;
  std::optional<RunPlan> plan;
  try {
    plan = plan_from_environment();
  } catch (const std::exception& error) {
    return fail(kBadInput, "bad-input", error.what(), nullptr);
  }
  const HostProcess process{argc, argv, envp, user_main, nullptr};
  return run_planned(plan ? *plan : native_plan(argv), process);
}
