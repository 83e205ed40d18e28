#pragma once
#include "simkernel/distributed_protocol.hpp"

namespace mpisim::kernel {

/// No synchronisation: determinism alone. The first LP that would need some, in simulated time, is shown to
/// Engine::on_undetermined, which ends the run (or says that it does no harm: the end of the run itself).
class NoProtocol final : public DistributedProtocol {
 public:
  std::string_view name() const override { return "none"; }

 protected:
  bool advance(Engine&) override { return false; }
  void on_minimum(Engine& engine, SimTime action) override;
};

}  // namespace mpisim::kernel
