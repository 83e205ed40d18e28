// What must hold for every model, with random messages.
#include <catch2/catch.hpp>
#include <random>

#include "network_models/hockney.hpp"
#include "network_models/ideal.hpp"
#include "network_models/loggp.hpp"
#include "network_models/mesh.hpp"
#include "network_models/node_local.hpp"

using namespace mpisim::network;
using namespace mpisim::kernel::literals;
using mpisim::kernel::Bytes;
using mpisim::kernel::ByteTime;
using mpisim::kernel::SimTime;

namespace {

std::vector<std::unique_ptr<PortModel>> every_model() {
  std::vector<std::unique_ptr<PortModel>> models;
  models.push_back(std::make_unique<Ideal>(IdealParameters{1_us, ByteTime::from_bandwidth(3e9)}));
  models.push_back(std::make_unique<Hockney>(
      std::vector<HockneyPiece>{{Bytes(500), 7_us, ByteTime::from_bandwidth(30e6)},
                                {Bytes(9000), 5_us, ByteTime::from_bandwidth(77e6)},
                                {Bytes(~0ULL), 40_us, ByteTime::from_bandwidth(175e6)}}));
  models.push_back(std::make_unique<LogGP>(LogGPParameters{5_us, 2_us, ByteTime::from_bandwidth(85e6)}));
  for (const Switching switching : {Switching::wormhole, Switching::store_and_forward}) {
    MeshParameters mesh;
    mesh.shape = {4, 4, 4};
    mesh.wrap = {true, false, true};
    mesh.hop_latency = 40_ns;
    mesh.per_byte = ByteTime::from_bandwidth(175e6);
    mesh.packet_size = Bytes(256);
    models.push_back(std::make_unique<Mesh>(switching, mesh));
    models.push_back(std::make_unique<NodeLocal>(NodeLocalParameters{15_ns, ByteTime::from_bandwidth(1e9)},
                                                 std::make_unique<Mesh>(switching, mesh)));
  }
  return models;
}

struct Message {
  NodeId from;
  NodeId to;
  Bytes size;
  SimTime ready;
};

constexpr unsigned seed = 20260512;

std::vector<Message> random_messages() {
  std::mt19937 random(seed);
  std::vector<Message> messages;
  for (int i = 0; i < 2000; ++i) {
    const auto from = static_cast<NodeId>(random() % 64);
    const auto to = static_cast<NodeId>(random() % 64);
    const Bytes size(random() % (i % 2 == 0 ? 100 : 100'000));
    messages.push_back(
        {from, to, size, SimTime::picoseconds(static_cast<std::int64_t>(random() % 1'000'000'000))});
  }
  return messages;
}

}  // namespace

TEST_CASE("min_latency is a lower bound, and times of a message are in order") {
  INFO("seed " << seed);
  for (const auto& model : every_model()) {
    INFO(model->describe());
    std::vector<Adapter> ports(64);
    for (const Message& message : random_messages()) {
      const Transit transit =
          model->transit(message.from, message.to, message.size, message.ready, ports[message.from]);
      REQUIRE(transit.start >= message.ready);
      REQUIRE(transit.sent >= transit.start);
      REQUIRE(transit.envelope - transit.start >= model->min_latency(message.from, message.to));
      REQUIRE(model->min_latency(message.from, message.to) >= model->min_latency());
      REQUIRE(model->min_latency() >= 1_ps);
      REQUIRE(transit.arrival >= transit.envelope);
    }
  }
}

TEST_CASE("some pair reaches min_latency: the bound is tight") {
  for (const auto& model : every_model()) {
    INFO(model->describe());
    SimTime least = SimTime::infinity();
    for (NodeId to = 0; to < 64; ++to)
      least = mpisim::kernel::min(least, model->flight(0, to, Bytes(0)).envelope);
    CHECK(least == model->min_latency());
  }
}

TEST_CASE("envelopes of a pair keep the order in which messages were sent") {
  INFO("seed " << seed);
  for (const auto& model : every_model()) {
    INFO(model->describe());
    Adapter port;
    SimTime ready;
    SimTime last;
    for (const Message& message : random_messages()) {
      ready += SimTime::picoseconds(message.ready.ps() % 1'000'000);
      const SimTime envelope = model->transit(3, 20, message.size, ready, port).envelope;
      REQUIRE(envelope >= last);
      last = envelope;
    }
  }
}

TEST_CASE("order-free: what one sender's messages take does not depend on other senders") {
  INFO("seed " << seed);
  for (const auto& model : every_model()) {
    INFO(model->describe());
    REQUIRE(model->order_free());
    std::vector<Adapter> together(64);
    std::vector<std::vector<SimTime>> mixed(64);
    for (const Message& m : random_messages())
      mixed[m.from].push_back(model->transit(m.from, m.to, m.size, m.ready, together[m.from]).arrival);
    for (NodeId sender = 0; sender < 64; ++sender) {
      Adapter alone;
      std::vector<SimTime> arrivals;
      for (const Message& m : random_messages()) {
        if (m.from == sender)
          arrivals.push_back(model->transit(sender, m.to, m.size, m.ready, alone).arrival);
      }
      REQUIRE(arrivals == mixed[sender]);
    }
  }
}

TEST_CASE("nothing is handed over before it has arrived, and a port's rate is never exceeded") {
  INFO("seed " << seed);
  for (const auto& model : every_model()) {
    INFO(model->describe());
    Adapter receiver;
    SimTime busy;
    SimTime first = SimTime::infinity();
    SimTime last;
    for (const Message& message : random_messages()) {
      const SimTime arrival = 1_ms + message.ready;
      const SimTime handed = model->take(0, message.size, arrival, receiver);
      REQUIRE(handed >= arrival);
      if (handed == arrival) continue;
      // A message that had to wait comes right behind the one before it.
      REQUIRE(handed <= receiver.receive_free);
    }
    // Messages that all arrive at once need the sum of their times.
    Adapter port;
    for (const Message& message : random_messages()) {
      const Intake intake = model->intake(message.size);
      busy += intake.duration + intake.gap;
      const SimTime handed = model->take(0, message.size, 1_s, port);
      first = mpisim::kernel::min(first, handed);
      last = mpisim::kernel::max(last, handed + intake.gap);
    }
    CHECK(first == 1_s);
    CHECK(last <= 1_s + busy);
    CHECK(last >= 1_s + busy - model->intake(Bytes(100'000)).duration - model->intake(Bytes(0)).gap);
  }
}
