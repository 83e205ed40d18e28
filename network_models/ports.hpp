#pragma once
// What all contention-free models share: a message is alone in the network and waits only at its two ends.
//
// Each rank has a port that sends one message at a time and one that receives one message at a time. A model
// derived from PortModel says how long a message of some size occupies the ports and how long it travels;
// this class does the waiting.
//
// Sender:   start = max(ready, send_free);              send_free = start + occupancy(size)
// Receiver: the last bytes of a message come in during the window [arrival - intake(size), arrival].
//           handed = max(arrival - intake(size), receive_free) + intake(size)
//           receive_free = handed + receive_gap
//           unless window and gap lie wholly before the port's current busy period: then handed = arrival.
// Receiving is charged in the receiving rank's program order (not in the order of arrival), which is why
// these models are order-free. The exception for early windows keeps a message that came long ago from paying
// for one that the program happened to wait for first.
//
// Valid range: any sizes and times within SimTime; overflow throws kernel::TimeOverflow.
// Cost: a few integer additions and at most four multiplications per message; no memory.
#include "network_models/network_model.hpp"

namespace mpisim::network {

/// One message's times, all counted from its start.
struct Flight {
  kernel::SimTime occupancy;  ///< when the sender's port is free for the next message
  kernel::SimTime sent;       ///< when the last byte has left the sender
  kernel::SimTime envelope;   ///< when the header is at the receiver; at least 1 ps
  kernel::SimTime arrival;    ///< when the last byte is there; at least envelope
};

/// Time that a message spends in the receiver's port.
struct Intake {
  kernel::SimTime duration;  ///< the message itself
  kernel::SimTime gap;       ///< rest of the port after it
};

class PortModel : public NetworkModel {
 public:
  Transit transit(NodeId from, NodeId to, kernel::Bytes size, kernel::SimTime ready,
                  Adapter& sender) const override;
  Transit bulk(NodeId from, NodeId to, kernel::Bytes size, kernel::SimTime reserved,
               kernel::SimTime ready) const final;
  kernel::SimTime reserve(NodeId from, NodeId to, kernel::Bytes size, kernel::SimTime ready,
                          Adapter& sender) const final;
  kernel::SimTime take(NodeId at, kernel::Bytes size, kernel::SimTime arrival, Adapter& receiver) const final;
  kernel::SimTime take_from(NodeId from, NodeId at, kernel::Bytes size, kernel::SimTime arrival,
                            Adapter& receiver) const override;
  bool order_free() const final { return true; }

  /// Times of one message that starts at 0 on idle ports. The envelope must not depend on the size, so that
  /// envelopes of one pair of ranks keep the order in which they were sent.
  virtual Flight flight(NodeId from, NodeId to, kernel::Bytes size) const = 0;

  /// What a message from another node costs the receiver's port.
  virtual Intake intake(kernel::Bytes size) const = 0;
};

/// At least 1 ps: every send between two logical processes takes time (design, section 3).
constexpr kernel::SimTime at_least_1ps(kernel::SimTime time) {
  return kernel::max(time, kernel::SimTime::picoseconds(1));
}

}  // namespace mpisim::network
