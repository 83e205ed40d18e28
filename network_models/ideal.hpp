#pragma once
// Ideal network: every message takes the same time, whatever else happens.
//
// Equations: envelope = start + latency, arrival = envelope + size / bandwidth (infinite by default).
//            Ports are never busy: any number of messages leaves and enters a node at once.
// Source:    definition; the PRAM-like reference that other networks are compared with.
// Valid:     as a bound, not as a prediction of a machine.
// Cost:      one multiplication per message.
#include "network_models/ports.hpp"

namespace mpisim::network {

struct IdealParameters {
  kernel::SimTime latency = kernel::SimTime::picoseconds(1'000'000);  ///< at least 1 ps
  kernel::ByteTime per_byte;                                          ///< 0 = infinite bandwidth
};

class Ideal final : public PortModel {
 public:
  explicit Ideal(const IdealParameters& parameters);
  std::string_view name() const override { return "ideal"; }
  Flight flight(NodeId from, NodeId to, kernel::Bytes size) const override;
  Intake intake(kernel::Bytes size) const override;
  /// What PortModel makes of flight(), in fewer steps.
  Transit transit(NodeId from, NodeId to, kernel::Bytes size, kernel::SimTime ready,
                  Adapter& sender) const override;
  /// What PortModel makes of an intake that takes no time, whatever came before.
  kernel::SimTime take_from(NodeId /*from*/, NodeId /*at*/, kernel::Bytes /*size*/, kernel::SimTime arrival,
                            Adapter& /*receiver*/) const override {
    return arrival;
  }
  kernel::SimTime min_latency() const override { return parameters_.latency; }
  kernel::SimTime min_latency(NodeId /*from*/, NodeId /*to*/) const override { return parameters_.latency; }
  std::uint64_t capacity() const override { return 0; }
  std::string describe() const override;

 private:
  IdealParameters parameters_;
};

}  // namespace mpisim::network
