// The entry into libmpisim.so: `main` of a program's start object calls mpisim_start.
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <optional>

#include "app/control_channel.hpp"
#include "app/descriptors.hpp"
#include "app/exit_codes.hpp"
#include "app/json_file.hpp"
#include "app/questions.hpp"
#include "app/run_plan.hpp"
#include "app/simulation.hpp"
#include "machine/catalogue.hpp"
#include "machine/diagnostic.hpp"
#include "mpisim/compute_clock.hpp"
#include "runtime/counted_twins.hpp"
#include "runtime/target_abi.h"
#include "simkernel/load_profile.hpp"

namespace mpisim::app {

namespace {

/// What went wrong here; with several host processes, in which.
void complain(const RunPlan& plan, const std::string& text) {
  const char* host = std::getenv("OMPI_COMM_WORLD_RANK");
  say("mpisim run: " + (plan.hosts > 1 && host != nullptr ? "host process " + std::string(host) + ": " : "") +
      text + "\n");
}

/// Tells `mpisim run`, where there is one that listens, how the run ended; returns the exit status.
int end(const std::optional<ControlClient>& control, int exit_code, const char* reason) {
  if (control) control->report(exit_code, reason);
  return exit_code;
}

// The report leaves the process: JSON, summary, and how it ended.
int finish(const RunPlan& plan, const RunReport& report, const std::optional<ControlClient>& control) {
  try {
    try {
      if (!plan.json_file.empty()) write_atomically(plan.json_file, to_json(plan, report));
    } catch (const std::exception& error) {
      complain(plan, std::string("--json: ") + error.what());
    }
    if (plan.quiet)
      for (const std::string& warning : report.warnings) say("mpisim run: warning: " + warning + "\n");
    if (report.output_error != 0)
      complain(plan, fmt::format("cannot write to standard output: {}", std::strerror(report.output_error)));
    if (!plan.quiet && report.exit_reason != "host-failure") say(summary(plan, report));
    return end(control, report.exit_code, report.exit_reason.c_str());
  } catch (const std::exception& error) {
    complain(plan, error.what());
    return end(control, host_failure, "host-failure");
  }
}

int run(const RunPlan& plan, const HostProcess& process) {
  std::optional<ControlClient> control;
  try {
    if (!plan.control.empty()) control.emplace(plan.control);
    if (plan.compute == "counted" && !runtime::has_counters()) {
      complain(plan,
               fmt::format(
                   "--compute counted: {} has no counters; compile it with mpisimcc without -fno-counted, or "
                   "take --compute measured, recorded or off",
                   plan.program));
      return end(control, bad_input, "bad-input");
    }
    RunEnds ends;
    ends.finished = [&](const RunReport& report) { return finish(plan, report, control); };
    ends.ended = [&](const RunReport& unfinished) {
      try {
        if (!plan.json_file.empty()) write_atomically(plan.json_file, to_json(plan, unfinished));
      } catch (const std::exception& error) {
        say(std::string("mpisim run: ") + error.what() + "\n");
      }
      _exit(end(control, unfinished.exit_code, unfinished.exit_reason.c_str()));
    };
    ends.interrupted = [&](const RunReport& unfinished) {
      const char* own = std::getenv("OMPI_COMM_WORLD_RANK");
      const bool first = plan.hosts == 1 || own == nullptr || std::atoi(own) == 0;
      try {
        if (first && !plan.json_file.empty()) write_atomically(plan.json_file, to_json(plan, unfinished));
      } catch (const std::exception& error) {
        say(std::string("mpisim run: ") + error.what() + "\n");
      }
      end(control, unfinished.exit_code, unfinished.exit_reason.c_str());
      // mpirun ends all host processes when the first one goes; `mpisim run` does so when all have answered.
      while (control && control->connected()) pause();
      _exit(unfinished.exit_code);
    };
    ends.ended_damaged = [&](int exit_code, const char* reason) { _exit(end(control, exit_code, reason)); };
    return simulate(plan, process, ends);
  } catch (const machine::InvalidMachine& error) {
    say(std::string(error.what()) + "\n");
    return end(control, bad_input, "bad-input");
  } catch (const kernel::WrongProfile& error) {
    say(std::string("mpisim run: --profile: ") + error.what() + "\n");
    return end(control, bad_input, "bad-input");
  } catch (const mpi::WrongRecord& error) {
    say(std::string("mpisim run: --record: ") + error.what() + "\n");
    return end(control, bad_input, "bad-input");
  } catch (const std::exception& error) {
    complain(plan, error.what());
    return end(control, host_failure, "host-failure");
  }
}

// A program that is started directly behaves as one rank (autoconf does that): a simulation with one rank and
// no report, its compute time measured.
RunPlan native_plan(char** argv) {
  RunPlan plan;
  plan.program = argv[0] == nullptr ? "" : argv[0];
  plan.machine = machine::find_machine("ideal");
  plan.quiet = true;
  plan.epoch = std::time(nullptr);
  plan.native = true;
  return plan;
}

}  // namespace

}  // namespace mpisim::app

extern "C" __attribute__((visibility("default"))) int mpisim_start(int argc, char** argv, char** envp,
                                                                   mpisim_user_main_function user_main) {
  using namespace mpisim::app;
  const HostProcess process{argc, argv, envp, user_main};
  try {
    const auto plan = plan_from_environment();
    if (!plan) return run(native_plan(argv), process);
    // The parent is `mpisim run` or mpirun: without it nobody would wait for this process.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    ignore_questions();  // mpirun has set back what was ignored
    clear_environment();
    return run(*plan, process);
  } catch (const std::exception& error) {
    say(std::string(error.what()) + "\n");
    return bad_input;
  }
}
