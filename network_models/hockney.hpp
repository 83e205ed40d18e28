#pragma once
// Hockney's model: latency plus size over bandwidth, with other values for other ranges of size.
//
// Equations: for the piece that contains the size n: envelope = start + (smallest latency of all pieces),
//            arrival = start + latency + n / bandwidth; the sender's port is busy for n / bandwidth, the
//            receiver's as well.
// Source:    R. W. Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel
//            Computing 20 (1994) 389-398: t(n) = t0 + n / r_inf. Pieces are the usual fit of measured curves.
// Valid:     latency and bandwidth fitted by ping-pong between idle nodes; no contention inside the network.
// Cost:      a search over the pieces (a few) and one multiplication per message.
#include "network_models/ports.hpp"

namespace mpisim::network {

struct HockneyPiece {
  kernel::Bytes up_to{~0ULL};  ///< largest size of this piece, inclusive
  kernel::SimTime latency;
  kernel::ByteTime per_byte;
};

class Hockney final : public PortModel {
 public:
  /// Pieces by ascending `up_to`; the last one holds for all larger sizes, whatever its `up_to`.
  /// Throws std::invalid_argument if there are none or they do not ascend.
  explicit Hockney(std::vector<HockneyPiece> pieces);
  std::string_view name() const override { return "hockney"; }
  Flight flight(NodeId from, NodeId to, kernel::Bytes size) const override;
  Intake intake(kernel::Bytes size) const override;
  kernel::SimTime min_latency() const override { return envelope_; }
  kernel::SimTime min_latency(NodeId /*from*/, NodeId /*to*/) const override { return envelope_; }
  std::uint64_t capacity() const override { return 0; }
  std::string describe() const override;

 private:
  const HockneyPiece& piece(kernel::Bytes size) const;

  std::vector<HockneyPiece> pieces_;
  kernel::SimTime envelope_;  ///< smallest latency of all pieces
};

}  // namespace mpisim::network
