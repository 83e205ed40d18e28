#include "simkernel/quantum_protocol.hpp"

namespace mpisim::kernel {

void QuantumProtocol::prepare(Engine& engine) {
  if (quantum_ == SimTime::zero()) quantum_ = engine.options().lookahead;
  window_end_ = SimTime::zero();
}

bool QuantumProtocol::advance(Engine& engine) {
  return engine.advance_below(min(window_end_, engine.local_bound()));
}

SimTime QuantumProtocol::earliest_action(Engine& engine) {
  return min(engine.earliest_action(), engine.earliest_staged());
}

void QuantumProtocol::on_minimum(Engine& engine, SimTime action) {
  count_round(engine);
  engine.set_safe_time(action);
  window_end_ = SimTime::picoseconds(action.ps() / quantum_.ps() * quantum_.ps()) + quantum_;
  engine.release_staged();
}

}  // namespace mpisim::kernel
