#pragma once
// Answers to questions from outside: where the ranks are (Ctrl-C, --time-limit, SIGUSR1), and whether a call
// of the program keeps the whole host process waiting. On standard error.
#include <functional>

#include "app/questions.hpp"
#include "app/run_plan.hpp"
#include "mpisim/world.hpp"

namespace mpisim::app {

/// Answers questions while it lives; one at a time. Of the thread that runs the ranks.
class Whereabouts {
 public:
  struct Actions {
    /// Brings out what the program has printed, and takes away the progress line.
    std::function<void()> flush_output;
    /// After `interrupt` and `time_limit`: must end the process.
    std::function<void(Question)> end;
  };
  Whereabouts(mpi::World& world, const RunPlan& plan, Actions actions);
  ~Whereabouts();
  Whereabouts(const Whereabouts&) = delete;
  Whereabouts& operator=(const Whereabouts&) = delete;
};

}  // namespace mpisim::app
