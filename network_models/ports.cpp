#include "network_models/ports.hpp"

namespace mpisim::network {

using kernel::Bytes;
using kernel::SimTime;

namespace {

Transit at(SimTime start, const Flight& flight) {
  return {start, start + flight.sent, start + flight.envelope, start + flight.arrival};
}

}  // namespace

Transit PortModel::transit(NodeId from, NodeId to, Bytes size, SimTime ready, Adapter& sender) const {
  const Flight message = flight(from, to, size);
  const SimTime start = kernel::max(ready, sender.send_free);
  sender.send_free = start + message.occupancy;
  return at(start, message);
}

SimTime PortModel::reserve(NodeId from, NodeId to, Bytes size, SimTime ready, Adapter& sender) const {
  const SimTime start = kernel::max(ready, sender.send_free);
  sender.send_free = start + flight(from, to, size).occupancy;
  return start;
}

Transit PortModel::bulk(NodeId from, NodeId to, Bytes size, SimTime reserved, SimTime ready) const {
  return at(kernel::max(reserved, ready), flight(from, to, size));
}

SimTime PortModel::take(NodeId /*at*/, Bytes size, SimTime arrival, Adapter& receiver) const {
  const Intake message = intake(size);
  if (arrival + message.gap <= receiver.receive_busy) return arrival;
  const SimTime window = arrival - message.duration;
  const SimTime begin = kernel::max(window, receiver.receive_free);
  const SimTime handed = begin + message.duration;
  if (begin > receiver.receive_free) receiver.receive_busy = begin;
  receiver.receive_free = handed + message.gap;
  return handed;
}

SimTime PortModel::take_from(NodeId /*from*/, NodeId to, Bytes size, SimTime arrival,
                             Adapter& receiver) const {
  return take(to, size, arrival, receiver);
}

}  // namespace mpisim::network
