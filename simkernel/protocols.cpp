#include "simkernel/protocols.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "simkernel/conditional_protocol.hpp"
#include "simkernel/ideal_protocol.hpp"
#include "simkernel/no_protocol.hpp"
#include "simkernel/null_protocol.hpp"
#include "simkernel/quantum_protocol.hpp"
#include "simkernel/sequential_protocol.hpp"

namespace mpisim::kernel {

const std::vector<std::string_view>& protocol_names() {
  static const std::vector<std::string_view> names{"sequential", "null",  "conditional", "combined",
                                                   "quantum",    "ideal", "none"};
  return names;
}

std::unique_ptr<Protocol> make_protocol(std::string_view name, int hosts, const ProtocolOptions& options) {
  if (name == "sequential") {
    if (hosts == 1) return std::make_unique<SequentialProtocol>();
    throw std::invalid_argument(fmt::format("the protocol sequential has one host process, not {}", hosts));
  }
  if (name == "null") return std::make_unique<NullProtocol>();
  if (name == "conditional") return std::make_unique<ConditionalProtocol>();
  if (name == "combined") return std::make_unique<CombinedProtocol>();
  if (name == "quantum") return std::make_unique<QuantumProtocol>(options.quantum);
  if (name == "none") return std::make_unique<NoProtocol>();
  if (name == "ideal") {
    if (options.order != nullptr) return std::make_unique<IdealProtocol>(*options.order);
    throw std::invalid_argument("the protocol ideal needs a recorded order");
  }
  throw std::invalid_argument(fmt::format("there is no protocol `{}`", name));
}

}  // namespace mpisim::kernel
