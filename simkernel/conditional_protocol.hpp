#pragma once
#include "simkernel/distributed_protocol.hpp"

namespace mpisim::kernel {

/// Conditional events without barriers: host 0 learns the smallest action A of all idle host processes and
/// makes everything below A + lookahead safe.
class ConditionalProtocol : public DistributedProtocol {
 public:
  std::string_view name() const override { return "conditional"; }

 protected:
  void prepare(Engine&) override { safe_below_ = SimTime::zero(); }
  bool advance(Engine& engine) override;
  void on_minimum(Engine& engine, SimTime action) override;

 private:
  SimTime safe_below_;  // nothing that arrives from now on has an earlier receive time
};

}  // namespace mpisim::kernel
