#pragma once
// From message to arrival: the interface of every network model.
//
// A model answers when the envelope (header) and the data of one message reach the destination node, given
// when it leaves the sender. Software overheads of MPI (send_overhead, receive_overhead) are charged by
// mpisim, not here. A model is immutable after construction and shared by all LPs of a host process; what
// changes per sender (when its adapter is free again) is kept by the caller in `Adapter`.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simkernel/quantities.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::network {

using NodeId = std::uint32_t;

/// What a sending or receiving rank remembers between its messages; charged in the rank's program order,
/// which keeps a model order-free.
struct Adapter {
  kernel::SimTime send_free;     ///< when the next message may enter the network
  kernel::SimTime receive_free;  ///< when the next message may be taken out
  kernel::SimTime receive_busy;  ///< when the busy period began that ends at receive_free
};

struct Transit {
  kernel::SimTime start;     ///< when the message enters the network (after earlier ones of this sender)
  kernel::SimTime sent;      ///< when its last byte has left the sender: a rendezvous sender's buffer is free
  kernel::SimTime envelope;  ///< when the header is at the receiver; > start by at least min_latency()
  kernel::SimTime arrival;   ///< when the last byte is at the receiver; >= envelope
};

class NetworkModel {
 public:
  virtual ~NetworkModel() = default;

  virtual std::string_view name() const = 0;

  /// Times of a message of `size` bytes from node `from` to node `to` (they may be equal) that is ready at
  /// `ready`. Reserves the sender's adapter: send_free is read and advanced.
  virtual Transit transit(NodeId from, NodeId to, kernel::Bytes size, kernel::SimTime ready,
                          Adapter& sender) const = 0;

  /// Times of a bulk transfer whose place on the sender's adapter was reserved at `reserved` (Transit::start
  /// of an earlier call of reserve()) and that may not begin before `ready`. Depends on nothing else, so that
  /// transfers may be answered in any order.
  virtual Transit bulk(NodeId from, NodeId to, kernel::Bytes size, kernel::SimTime reserved,
                       kernel::SimTime ready) const = 0;

  /// Reserves the sender's adapter for a bulk transfer of `size` bytes that will follow a rendezvous; returns
  /// when its turn comes at the earliest.
  virtual kernel::SimTime reserve(NodeId from, NodeId to, kernel::Bytes size, kernel::SimTime ready,
                                  Adapter& sender) const = 0;

  /// Charges the receiver's adapter in program order: returns when a message whose data arrived at `arrival`
  /// can be handed over; reads and advances receive_free.
  virtual kernel::SimTime take(NodeId at, kernel::Bytes size, kernel::SimTime arrival,
                               Adapter& receiver) const = 0;

  /// As take(), where the sender's node is known: messages inside a node need not use the network's adapter.
  virtual kernel::SimTime take_from(NodeId from, NodeId at, kernel::Bytes size, kernel::SimTime arrival,
                                    Adapter& receiver) const {
    static_cast<void>(from);
    return take(at, size, arrival, receiver);
  }

  /// Lower bound over all pairs and sizes of (envelope - start); at least 1 ps. The kernel's lookahead.
  virtual kernel::SimTime min_latency() const = 0;

  /// Lower bound for one pair; at least min_latency().
  virtual kernel::SimTime min_latency(NodeId from, NodeId to) const = 0;

  /// True if an arrival depends only on the sender's own history (and `take` on the receiver's program
  /// order): then receives that name their source need no synchronisation (design, section 3).
  virtual bool order_free() const = 0;

  /// Number of nodes that the model has room for; 0 = any.
  virtual std::uint64_t capacity() const = 0;

  /// One line for the report: the model and its parameters.
  virtual std::string describe() const = 0;
};

}  // namespace mpisim::network
