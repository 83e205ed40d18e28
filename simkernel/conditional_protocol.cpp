#include "simkernel/conditional_protocol.hpp"

namespace mpisim::kernel {

// What is safe stays safe: events that LPs send to other hosts from then on lie at or beyond A + lookahead,
// so that a host process goes on below it by itself, like a sequential simulation of its own LPs (a rank that
// polls makes many decisions per round, a file system's client serves its ranks).
bool ConditionalProtocol::advance(Engine& engine) {
  return engine.advance_below(min(safe_below_, engine.local_bound()));
}

void ConditionalProtocol::on_minimum(Engine& engine, SimTime action) {
  count_round(engine);
  engine.set_safe_time(action);
  safe_below_ = max(safe_below_, action + engine.options().lookahead);
}

}  // namespace mpisim::kernel
