#include "network_models/loggp.hpp"

#include <fmt/format.h>

#include "network_models/registry.hpp"

namespace mpisim::network {

using kernel::Bytes;
using kernel::SimTime;

namespace {

/// (k - 1) G: the first byte is part of L.
SimTime rest_of(Bytes size, kernel::ByteTime gap_per_byte) {
  return gap_per_byte * Bytes(size.count() == 0 ? 0 : size.count() - 1);
}

}  // namespace

LogGP::LogGP(const LogGPParameters& parameters) : parameters_(parameters) {
  parameters_.latency = at_least_1ps(parameters_.latency);
}

Flight LogGP::flight(NodeId /*from*/, NodeId /*to*/, Bytes size) const {
  const SimTime rest = rest_of(size, parameters_.gap_per_byte);
  return {rest + parameters_.gap, rest, parameters_.latency, parameters_.latency + rest};
}

Intake LogGP::intake(Bytes size) const {
  return {rest_of(size, parameters_.gap_per_byte), parameters_.gap};
}

std::string LogGP::describe() const {
  return fmt::format("loggp: L {}, g {}, 1/G {}", kernel::to_string(parameters_.latency),
                     kernel::to_string(parameters_.gap), describe_bandwidth(parameters_.gap_per_byte));
}

ModelInfo loggp_model() {
  return {"loggp",
          "latency, gap per message and gap per byte (overhead o: mpi.send_overhead, mpi.receive_overhead)",
          {{"latency", ParameterType::time, "", "L: time of the first byte from port to port"},
           {"gap", ParameterType::time, "0 s", "g: least time between messages of one port"},
           {"bandwidth", ParameterType::bandwidth, "", "1/G: rate of long messages", true}},
          [](const Parameters& given) {
            return std::make_unique<LogGP>(
                LogGPParameters{given.time("latency"), given.time("gap"), given.per_byte("bandwidth")});
          }};
}

}  // namespace mpisim::network
