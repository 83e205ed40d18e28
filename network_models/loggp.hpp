#pragma once
// LogGP: latency L, gap g between messages, gap G per byte. The overhead o is MPI's: mpi.send_overhead and
// mpi.receive_overhead.
//
// Equations: with k = max(size, 1): envelope = start + L, arrival = start + L + (k - 1) G,
//            sent = start + (k - 1) G; the next message may enter at start + (k - 1) G + g. At the receiver
//            the last bytes come in during (k - 1) G, and g must pass before the next message.
//            A ping of k bytes between idle nodes takes o + (k - 1) G + L + o.
// Source:    A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, "LogGP: incorporating long messages into
// the
//            LogP model", SPAA 1995.
// Valid:     networks with full bisection; the capacity constraint of LogP (at most L/g messages in flight to
//            one node) is met only as far as the receiver's gap meets it.
// Cost:      two multiplications per message.
#include "network_models/ports.hpp"

namespace mpisim::network {

struct LogGPParameters {
  kernel::SimTime latency;        ///< L, at least 1 ps
  kernel::SimTime gap;            ///< g
  kernel::ByteTime gap_per_byte;  ///< G, the reciprocal of the bandwidth of long messages
};

class LogGP final : public PortModel {
 public:
  explicit LogGP(const LogGPParameters& parameters);
  std::string_view name() const override { return "loggp"; }
  Flight flight(NodeId from, NodeId to, kernel::Bytes size) const override;
  Intake intake(kernel::Bytes size) const override;
  kernel::SimTime min_latency() const override { return parameters_.latency; }
  kernel::SimTime min_latency(NodeId /*from*/, NodeId /*to*/) const override { return parameters_.latency; }
  std::uint64_t capacity() const override { return 0; }
  std::string describe() const override;

 private:
  LogGPParameters parameters_;
};

}  // namespace mpisim::network
