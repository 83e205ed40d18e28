#pragma once
// A rank that crashes ends the run: what it was, where, and how to mend it.
#include <functional>

#include "app/run_plan.hpp"
#include "mpisim/world.hpp"
#include "runtime/crash_report.hpp"

namespace mpisim::app {

/// How a crash ends the run.
struct CrashActions {
  std::function<void()> flush_output;
  /// Ends the process, after it has told all that is known at this simulated time.
  std::function<void(kernel::SimTime)> end;
  /// The same if that did not come to its end, because the target has destroyed what it needs: ends the
  /// process with system calls alone.
  std::function<void()> end_damaged;
};

/// From now on, a crash of a rank of this process prints what the ranks wrote so far, explains itself on
/// stderr, and ends the run. A fault of the simulator itself is reported with what can be known of it.
void explain_crashes(mpi::World& world, const RunPlan& plan, CrashActions actions);

}  // namespace mpisim::app
