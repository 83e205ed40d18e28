#pragma once
#include "simkernel/protocols.hpp"

namespace mpisim::kernel {

/// One host process: the LP with the earliest action may always proceed, and with it all that lie within the
/// lookahead.
class SequentialProtocol final : public Protocol {
 public:
  std::string_view name() const override { return "sequential"; }
  Outcome run(Engine& engine) override;
};

}  // namespace mpisim::kernel
