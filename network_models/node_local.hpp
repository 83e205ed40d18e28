#pragma once
// Messages inside a node (several ranks on one node, or a rank to itself) around a network model for the
// others.
//
// Equations: from == to: envelope = start + latency, arrival = envelope + size / bandwidth; the sender is
// busy
//            for size / bandwidth (it makes the copy), the receiver's port is not used.
//            from != to: the network's times.
// Source:    the latency-bandwidth description of shared-memory transports.
// Valid:     copies do not share the memory's bandwidth; ranks of a node do not share its network adapter.
// Cost:      one comparison more per message.
#include "network_models/ports.hpp"

namespace mpisim::network {

struct NodeLocalParameters {
  kernel::SimTime latency;    ///< at least 1 ps
  kernel::ByteTime per_byte;  ///< 0 = infinite bandwidth
};

class NodeLocal final : public PortModel {
 public:
  NodeLocal(const NodeLocalParameters& parameters, std::unique_ptr<PortModel> network);
  std::string_view name() const override { return network_->name(); }
  Flight flight(NodeId from, NodeId to, kernel::Bytes size) const override;
  Intake intake(kernel::Bytes size) const override { return network_->intake(size); }
  kernel::SimTime take_from(NodeId from, NodeId at, kernel::Bytes size, kernel::SimTime arrival,
                            Adapter& receiver) const override;
  kernel::SimTime min_latency() const override;
  kernel::SimTime min_latency(NodeId from, NodeId to) const override;
  std::uint64_t capacity() const override { return network_->capacity(); }
  std::string describe() const override;

 private:
  NodeLocalParameters parameters_;
  std::unique_ptr<PortModel> network_;
};

}  // namespace mpisim::network
