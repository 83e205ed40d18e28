#include "network_models/node_local.hpp"

#include <fmt/format.h>

#include "network_models/registry.hpp"

namespace mpisim::network {

using kernel::Bytes;
using kernel::SimTime;

NodeLocal::NodeLocal(const NodeLocalParameters& parameters, std::unique_ptr<PortModel> network)
    : parameters_(parameters), network_(std::move(network)) {
  parameters_.latency = at_least_1ps(parameters_.latency);
}

Flight NodeLocal::flight(NodeId from, NodeId to, Bytes size) const {
  if (from != to) return network_->flight(from, to, size);
  const SimTime copy = parameters_.per_byte * size;
  return {copy, copy, parameters_.latency, parameters_.latency + copy};
}

SimTime NodeLocal::take_from(NodeId from, NodeId at, Bytes size, SimTime arrival, Adapter& receiver) const {
  return from == at ? arrival : network_->take_from(from, at, size, arrival, receiver);
}

SimTime NodeLocal::min_latency() const {
  return kernel::min(parameters_.latency, network_->min_latency());
}

SimTime NodeLocal::min_latency(NodeId from, NodeId to) const {
  return from == to ? parameters_.latency : network_->min_latency(from, to);
}

std::string NodeLocal::describe() const {
  return fmt::format("{}; inside a node: latency {}, bandwidth {}", network_->describe(),
                     kernel::to_string(parameters_.latency), describe_bandwidth(parameters_.per_byte));
}

}  // namespace mpisim::network
