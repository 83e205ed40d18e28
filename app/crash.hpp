#pragma once
// A rank that crashes ends the run: what it was, where, and how to mend it.
#include <functional>
#include <string>

#include "app/run_plan.hpp"
#include "mpisim/world.hpp"
#include "runtime/crash_report.hpp"

namespace mpisim::app {

/// From now on, a crash of a rank of this process prints what the ranks wrote so far, explains itself on
/// stderr, and calls `end` with the simulated time; `end` must end the process. A fault of the simulator
/// itself is reported with what can be known of it.
void explain_crashes(mpi::World& world, const RunPlan& plan, std::function<void()> flush_output,
                     std::function<void(kernel::SimTime)> end);

/// The text of the explanation for the rank that runs on this thread.
std::string describe_crash(const runtime::Crash& crash, const RunPlan& plan);

}  // namespace mpisim::app
