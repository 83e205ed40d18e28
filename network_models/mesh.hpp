#pragma once
// Mesh or torus of any number of dimensions without contention, wormhole or store-and-forward.
//
// Node i has the coordinates of i in row-major order of `shape` (the last dimension varies fastest). A
// message is routed dimension by dimension; hops = sum over dimensions of the distance, the shorter way round
// where the dimension wraps. A message to the node itself counts one hop (through its own router), so that
// the least latency does not collapse; see node_local.hpp for times inside a node.
//
// Equations: n = size, B = link bandwidth, E = min(B, port bandwidth), P = min(n, packet size)
//   wormhole:          envelope = start + latency + hops * hop_latency, arrival = envelope + n / E
//   store-and-forward: envelope = start + latency + hops * hop_latency,
//                      arrival = envelope + (hops - 1) * P / B + n / E
//   The ports of sender and receiver are busy for n / E. Without a packet size, P = n: the whole message is
//   stored in every node on its way.
// Source:    W. J. Dally, C. L. Seitz, "Deadlock-free message routing in multiprocessor interconnection
//            networks", IEEE Trans. Computers 36 (1987); L. M. Ni, P. K. McKinley, "A survey of wormhole
//            routing techniques in direct networks", IEEE Computer 26 (1993).
// Valid:     lightly loaded networks: messages do not meet on links. Envelopes of store-and-forward networks
//            are taken to travel as packets of their own, ahead of the data.
// Cost:      one division per dimension and two multiplications per message.
#include "network_models/ports.hpp"

namespace mpisim::network {

enum class Switching { wormhole, store_and_forward };

struct MeshParameters {
  std::vector<std::uint64_t> shape;  ///< nodes per dimension, each at least 1
  std::vector<bool> wrap;            ///< per dimension; empty = none, one value = all dimensions
  kernel::SimTime latency;           ///< of injection and ejection together
  kernel::SimTime hop_latency;       ///< per router
  kernel::ByteTime per_byte;         ///< reciprocal of the link bandwidth
  kernel::ByteTime port_per_byte;    ///< reciprocal of the bandwidth of a node's interface; 0 = as the links
  kernel::Bytes packet_size{~0ULL};  ///< store-and-forward only
};

class Mesh final : public PortModel {
 public:
  /// Throws std::invalid_argument, naming the parameter, if shape is empty, has a zero, has more than 2^32
  /// nodes, or `wrap` does not fit it.
  Mesh(Switching switching, MeshParameters parameters);

  std::string_view name() const override;
  Flight flight(NodeId from, NodeId to, kernel::Bytes size) const override;
  Intake intake(kernel::Bytes size) const override;
  kernel::SimTime min_latency() const override;
  kernel::SimTime min_latency(NodeId from, NodeId to) const override;
  std::uint64_t capacity() const override { return capacity_; }
  std::string describe() const override;

  /// Links between two nodes on the dimension-order route; 1 from a node to itself.
  std::uint64_t hops(NodeId from, NodeId to) const;

 private:
  kernel::SimTime header(std::uint64_t hops) const;
  kernel::SimTime transfer(kernel::Bytes size) const;

  Switching switching_;
  MeshParameters parameters_;
  std::uint64_t capacity_ = 1;
};

}  // namespace mpisim::network
