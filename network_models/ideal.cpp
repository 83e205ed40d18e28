#include "network_models/ideal.hpp"

#include <fmt/format.h>

#include "network_models/registry.hpp"

namespace mpisim::network {

using kernel::Bytes;
using kernel::SimTime;

Ideal::Ideal(const IdealParameters& parameters) : parameters_(parameters) {
  parameters_.latency = at_least_1ps(parameters_.latency);
}

Flight Ideal::flight(NodeId /*from*/, NodeId /*to*/, Bytes size) const {
  const SimTime transfer = parameters_.per_byte * size;
  return {SimTime::zero(), transfer, parameters_.latency, parameters_.latency + transfer};
}

Transit Ideal::transit(NodeId /*from*/, NodeId /*to*/, Bytes size, SimTime ready, Adapter& sender) const {
  const SimTime transfer = parameters_.per_byte * size;
  const SimTime start = kernel::max(ready, sender.send_free);
  sender.send_free = start;
  const SimTime envelope = start + parameters_.latency;
  return {start, start + transfer, envelope, envelope + transfer};
}

Intake Ideal::intake(Bytes /*size*/) const {
  return {};
}

std::string Ideal::describe() const {
  return fmt::format("ideal: latency {}, bandwidth {}", kernel::to_string(parameters_.latency),
                     describe_bandwidth(parameters_.per_byte));
}

ModelInfo ideal_model() {
  return {
      "ideal",
      "constant latency, ports never busy",
      {{"latency", ParameterType::time, "1 us", "time from start to envelope, the same for every pair"},
       {"bandwidth", ParameterType::bandwidth, "infinite", "of each message alone", true}},
      [](const Parameters& given) {
        return std::make_unique<Ideal>(IdealParameters{given.time("latency"), given.per_byte("bandwidth")});
      }};
}

}  // namespace mpisim::network
