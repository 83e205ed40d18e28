#pragma once
// A file system without ranks: askers that send requests at given times and note when the replies come.
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "disk_models/analytic.hpp"
#include "network_models/hockney.hpp"
#include "pfssim/file_system.hpp"
#include "pfssim/transaction.hpp"
#include "simkernel/component_lp.hpp"
#include "simkernel/in_process_transport.hpp"
#include "simkernel/protocols.hpp"

namespace mpisim::test {

struct Ask {
  kernel::SimTime at;  ///< when the request reaches the cnode
  pfs::TransactionData what;
  std::vector<pfs::Range> list = {};
};

struct Reply {
  kernel::SimTime at;
  pfs::TransactionData what;
};

class Asker final : public kernel::ComponentLp {
 public:
  Asker(kernel::Engine& engine, kernel::LpId id, kernel::LpId cnode, std::vector<Reply>& replies)
      : ComponentLp(engine, id), cnode_(cnode), replies_(replies) {}
  void ask(const Ask& ask) {
    pfs::Transaction* request = pfs::make_transaction(ask.what, ask.list);
    request->kind = static_cast<std::uint16_t>(pfs::EventKind::request);
    send(cnode_, ask.at, request);
  }

 protected:
  void handle(kernel::Event* event) override {
    auto* reply = static_cast<pfs::Transaction*>(event);
    replies_.push_back({now(), *reply});
    pfs::dispose(reply);
  }

 private:
  kernel::LpId cnode_;
  std::vector<Reply>& replies_;
};

inline disk::Factory analytic_disk(kernel::SimTime overhead, kernel::SimTime mean_latency,
                                   double bytes_per_second) {
  return disk::factory<disk::Analytic>(
      disk::AnalyticParameters{overhead, mean_latency, kernel::ByteTime::from_bandwidth(bytes_per_second)});
}

/// What runs where: asker i is on compute node node_of_asker[i]; the I/O nodes follow those.
struct Setup {
  std::vector<network::NodeId> node_of_asker;
  std::vector<std::vector<Ask>> asks;  ///< of each asker
  pfs::Parameters parameters;
};

inline constexpr kernel::SimTime latency = kernel::SimTime::picoseconds(10'000'000);   // 10 us
inline constexpr kernel::SimTime byte_on_wire = kernel::SimTime::picoseconds(10'000);  // 10 ns
inline constexpr kernel::SimTime tick = kernel::SimTime::picoseconds(1);  // least time between LPs

/// The replies that each asker got, in order.
inline std::vector<std::vector<Reply>> replies_of(const Setup& setup, int hosts = 1, std::uint64_t seed = 1) {
  const network::Hockney network({{kernel::Bytes(~0ULL), latency, kernel::ByteTime::from_bandwidth(1e8)}});
  const auto askers = static_cast<kernel::LpId>(setup.node_of_asker.size());
  std::map<network::NodeId, std::uint16_t> host_of_node;
  for (std::size_t i = 0; i < askers; ++i)
    host_of_node.emplace(setup.node_of_asker[i],
                         static_cast<std::uint16_t>(i * static_cast<std::size_t>(hosts) / askers));
  std::vector<network::NodeId> nodes;
  std::vector<std::uint16_t> hosts_of_nodes;
  for (const auto& [node, host] : host_of_node) {
    nodes.push_back(node);
    hosts_of_nodes.push_back(host);
  }
  pfs::Parameters parameters = setup.parameters;
  parameters.first_io_node = nodes.back() + 1;
  std::vector<std::vector<Reply>> replies(askers);
  const auto run_host = [&](kernel::Transport* transport) {
    kernel::Engine engine({.lookahead = latency, .local_lookahead = tick}, transport);
    const pfs::FileSystem system(parameters, network, nodes, askers);
    std::vector<std::uint16_t> host_of;
    for (const network::NodeId node : setup.node_of_asker) host_of.push_back(host_of_node[node]);
    for (const std::uint16_t host : system.place(hosts_of_nodes, hosts)) host_of.push_back(host);
    engine.place(host_of);
    std::vector<std::unique_ptr<Asker>> local;
    for (kernel::LpId id = 0; id < askers; ++id) {
      if (host_of[id] != engine.host()) continue;
      local.push_back(
          std::make_unique<Asker>(engine, id, system.cnode(setup.node_of_asker[id]), replies[id]));
      engine.add(*local.back());
    }
    const auto lps = system.make(engine);
    for (const auto& lp : lps) engine.add(*lp);
    for (const auto& asker : local)
      for (const Ask& ask : setup.asks[asker->id()]) asker->ask(ask);
    const auto protocol = kernel::make_protocol(hosts == 1 ? "sequential" : "combined", hosts);
    engine.run(*protocol);
  };
  if (hosts == 1)
    run_host(nullptr);
  else
    kernel::run_in_process(hosts, seed, [&](kernel::Transport& transport) { run_host(&transport); });
  return replies;
}

inline pfs::TransactionData data(pfs::Operation operation, std::uint32_t file, std::uint64_t offset,
                                 std::uint64_t bytes) {
  pfs::TransactionData request;
  request.operation = operation;
  request.file = file;
  request.offset = offset;
  request.bytes = bytes;
  return request;
}

}  // namespace mpisim::test
