#include "network_models/mesh.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "network_models/registry.hpp"

namespace mpisim::network {

using kernel::Bytes;
using kernel::SimTime;

Mesh::Mesh(Switching switching, MeshParameters parameters)
    : switching_(switching), parameters_(std::move(parameters)) {
  if (parameters_.shape.empty()) throw std::invalid_argument("shape: needs at least one dimension");
  for (const std::uint64_t length : parameters_.shape) {
    if (length == 0) throw std::invalid_argument("shape: every dimension needs at least one node");
    if (__builtin_mul_overflow(capacity_, length, &capacity_) ||
        capacity_ > std::numeric_limits<NodeId>::max())
      throw std::invalid_argument("shape: more nodes than can be numbered (2^32)");
  }
  if (parameters_.wrap.empty()) parameters_.wrap = {false};
  if (parameters_.wrap.size() == 1)
    parameters_.wrap.assign(parameters_.shape.size(), parameters_.wrap.front());
  if (parameters_.wrap.size() != parameters_.shape.size())
    throw std::invalid_argument(fmt::format(
        "wrap: needs one value, or one for each of the {} dimensions of shape", parameters_.shape.size()));
  if (parameters_.packet_size.count() == 0) throw std::invalid_argument("packet_size: needs at least 1 B");
}

std::string_view Mesh::name() const {
  return switching_ == Switching::wormhole ? "mesh-wormhole" : "mesh-store-and-forward";
}

std::uint64_t Mesh::hops(NodeId from, NodeId to) const {
  std::uint64_t a = from;
  std::uint64_t b = to;
  std::uint64_t sum = 0;
  for (std::size_t d = parameters_.shape.size(); d-- > 0;) {
    const std::uint64_t length = parameters_.shape[d];
    const std::uint64_t x = a % length;
    const std::uint64_t y = b % length;
    const std::uint64_t distance = x > y ? x - y : y - x;
    sum += parameters_.wrap[d] ? std::min(distance, length - distance) : distance;
    a /= length;
    b /= length;
  }
  return std::max<std::uint64_t>(sum, 1);
}

SimTime Mesh::header(std::uint64_t hops) const {
  return at_least_1ps(parameters_.latency + parameters_.hop_latency * static_cast<std::int64_t>(hops));
}

SimTime Mesh::transfer(Bytes size) const {
  return std::max(parameters_.per_byte, parameters_.port_per_byte) * size;
}

Flight Mesh::flight(NodeId from, NodeId to, Bytes size) const {
  const std::uint64_t distance = hops(from, to);
  const SimTime whole = transfer(size);
  const SimTime envelope = header(distance);
  SimTime stored;
  if (switching_ == Switching::store_and_forward) {
    const SimTime packet = parameters_.per_byte * std::min(size, parameters_.packet_size);
    stored = packet * static_cast<std::int64_t>(distance - 1);
  }
  return {whole, whole, envelope, envelope + stored + whole};
}

Intake Mesh::intake(Bytes size) const {
  return {transfer(size), SimTime::zero()};
}

SimTime Mesh::min_latency() const {
  return header(1);
}

SimTime Mesh::min_latency(NodeId from, NodeId to) const {
  return header(hops(from, to));
}

std::string Mesh::describe() const {
  const bool torus =
      std::find(parameters_.wrap.begin(), parameters_.wrap.end(), true) != parameters_.wrap.end();
  std::string text =
      fmt::format("{}: {} {}, latency {} + {} per hop, links {}, ports {}", name(), torus ? "torus" : "mesh",
                  fmt::join(parameters_.shape, " x "), kernel::to_string(parameters_.latency),
                  kernel::to_string(parameters_.hop_latency), describe_bandwidth(parameters_.per_byte),
                  describe_bandwidth(std::max(parameters_.per_byte, parameters_.port_per_byte)));
  if (switching_ == Switching::store_and_forward && parameters_.packet_size != Bytes(~0ULL))
    text += fmt::format(", packets of {} B", parameters_.packet_size.count());
  return text;
}

namespace {

std::vector<Parameter> common_parameters() {
  return {{"shape", ParameterType::integers, "", "nodes per dimension, any number of dimensions"},
          {"wrap", ParameterType::flags, "false", "true: a torus; a list: per dimension"},
          {"latency", ParameterType::time, "0 s", "of injection and ejection together, without hops"},
          {"hop_latency", ParameterType::time, "", "per router on the way"},
          {"link_bandwidth", ParameterType::bandwidth, "", "of a link, each direction", true},
          {"port_bandwidth", ParameterType::bandwidth, "infinite",
           "of a node's interface as software drives it", true}};
}

MeshParameters read(const Parameters& given) {
  MeshParameters mesh;
  mesh.shape = given.integers("shape");
  mesh.wrap = given.flags("wrap");
  mesh.latency = given.time("latency");
  mesh.hop_latency = given.time("hop_latency");
  mesh.per_byte = given.per_byte("link_bandwidth");
  mesh.port_per_byte = given.per_byte("port_bandwidth");
  return mesh;
}

}  // namespace

ModelInfo wormhole_model() {
  return {"mesh-wormhole", "mesh or torus, dimension-order wormhole routing, no contention",
          common_parameters(),
          [](const Parameters& given) { return std::make_unique<Mesh>(Switching::wormhole, read(given)); }};
}

ModelInfo store_and_forward_model() {
  std::vector<Parameter> parameters = common_parameters();
  parameters.push_back({"packet_size", ParameterType::bytes, "infinite",
                        "messages are cut into packets of this size; infinite: stored whole in every node",
                        true});
  return {"mesh-store-and-forward", "mesh or torus whose nodes store and forward packets, no contention",
          std::move(parameters), [](const Parameters& given) {
            MeshParameters mesh = read(given);
            mesh.packet_size = given.bytes("packet_size");
            return std::make_unique<Mesh>(Switching::store_and_forward, std::move(mesh));
          }};
}

}  // namespace mpisim::network
