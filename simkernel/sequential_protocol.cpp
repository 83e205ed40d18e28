#include "simkernel/sequential_protocol.hpp"

namespace mpisim::kernel {

Outcome SequentialProtocol::run(Engine& engine) {
  engine.advance_where_blocked(true);
  while (engine.run_ready()) {
    if (engine.advance_only()) continue;
    const SimTime action = engine.earliest_action();
    if (action.is_infinite()) return engine.live_processes() == 0 ? Outcome::finished : Outcome::deadlock;
    engine.set_safe_time(action);
    engine.advance_below(engine.local_bound());
  }
  return Outcome::stopped;
}

}  // namespace mpisim::kernel
