#pragma once
// The synchronisation protocols: who tells an LP that nothing earlier can come.
//
// All are conservative. Host processes work as long as they can; deterministic calls need no protocol. What
// is left are LPs that have to be sure of an instant (their horizon):
//
// sequential   one host process: the LP with the smallest action goes on.
// conditional  the smallest action of all host processes (Chandy and Sherman 1989).
// null         promises between pairs of host processes (Chandy and Misra 1979; Bryant 1977), made on demand.
// combined     both: what either makes safe.
// quantum      windows of fixed length with a barrier each, empty windows skipped: the baseline of papers.
// none         no synchronisation: an LP that would need it ends the run.
// ideal        the events that each LP will get are known from a recording: no synchronisation cost, the
// bound
//              that the others are measured against.
#include <memory>
#include <string_view>
#include <vector>

#include "simkernel/arrival_order.hpp"
#include "simkernel/engine.hpp"

namespace mpisim::kernel {

/// Decides when LPs may advance; one class per protocol.
class Protocol {
 public:
  virtual ~Protocol() = default;
  virtual std::string_view name() const = 0;
  /// Runs the simulation to its end; the same outcome on every host process.
  virtual Outcome run(Engine& engine) = 0;
};

struct ProtocolOptions {
  /// quantum: length of a window. At most the lookahead, or results are not exact; zero: the lookahead.
  SimTime quantum = SimTime::zero();
  /// ideal: what was recorded; must outlive the run.
  const ArrivalOrder* order = nullptr;
};

/// In the order of the documentation.
const std::vector<std::string_view>& protocol_names();

/// Throws std::invalid_argument if there is no such protocol, or not for so many host processes, or ideal
/// lacks its order.
std::unique_ptr<Protocol> make_protocol(std::string_view name, int hosts,
                                        const ProtocolOptions& options = {});

}  // namespace mpisim::kernel
