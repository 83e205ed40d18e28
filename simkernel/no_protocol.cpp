#include "simkernel/no_protocol.hpp"

namespace mpisim::kernel {

void NoProtocol::on_minimum(Engine& engine, SimTime action) {
  while (engine.earliest_action() == action) {
    LogicalProcess& lp = engine.most_urgent();
    if (!engine.ask_undetermined(lp)) {
      engine.stop();
      return;
    }
    engine.advance_one(lp, action + SimTime::picoseconds(1));
    if (engine.stopped()) return;
  }
}

}  // namespace mpisim::kernel
