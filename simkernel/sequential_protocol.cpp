// One host process: the LP with the earliest action may always proceed, and with it all that lie within the
// lookahead.
#include "simkernel/engine.hpp"

namespace mpisim::kernel {

namespace {

class SequentialProtocol final : public Protocol {
 public:
  std::string_view name() const override { return "sequential"; }

  Outcome run(Engine& engine) override {
    while (engine.run_ready()) {
      const SimTime action = engine.earliest_action();
      if (action.is_infinite()) return engine.live_processes() == 0 ? Outcome::finished : Outcome::deadlock;
      engine.set_safe_time(action);
      engine.advance_below(engine.local_bound());
    }
    return Outcome::stopped;
  }
};

}  // namespace

std::unique_ptr<Protocol> make_sequential_protocol() {
  return std::make_unique<SequentialProtocol>();
}

}  // namespace mpisim::kernel
