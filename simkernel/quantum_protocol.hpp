#pragma once
#include "simkernel/distributed_protocol.hpp"

namespace mpisim::kernel {

/// Windows [k Q, (k + 1) Q) with a barrier after each: within a window LPs decide on what is there. A window
/// in which nobody has anything to do is skipped. Exact if Q is at most the lookahead; with a larger one
/// events of other hosts are handed over at barriers and may be late.
class QuantumProtocol final : public DistributedProtocol {
 public:
  explicit QuantumProtocol(SimTime quantum) : quantum_(quantum) {}
  std::string_view name() const override { return "quantum"; }

 protected:
  void prepare(Engine& engine) override;
  bool advance(Engine& engine) override;
  SimTime earliest_action(Engine& engine) override;
  void on_minimum(Engine& engine, SimTime action) override;

 private:
  SimTime quantum_;
  SimTime window_end_;
};

}  // namespace mpisim::kernel
