#include "pfssim/metadata_server.hpp"

#include <algorithm>

#include "pfssim/delays.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

MetadataServer::MetadataServer(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id),
      system_(system),
      node_(system.node_of(id)),
      service_(system.parameters(), id - system.first_metadata_server(),
               system.parameters().metadata.servers) {
  make_immediate();
  statistics_.kind = NodeKind::metadata;
  statistics_.number = id - system.first_metadata_server();
  statistics_.threads = system.parameters().metadata.threads;
}

NodeStatistics MetadataServer::statistics() const {
  NodeStatistics statistics = statistics_;
  statistics.metadata = service_.counts();
  statistics.busy = service_.busy();
  statistics.last_end = service_.last_end();
  return statistics;
}

void MetadataServer::handle(kernel::Event* event) {
  auto* call = static_cast<Transaction*>(event);
  if (static_cast<EventKind>(event->kind) != EventKind::part) {
    answer(call);
    return;
  }
  statistics_.most_waiting = std::max(statistics_.most_waiting, ++waiting_);
  const SimTime taken = system_.network().take_from(system_.node_of(call->client), node_,
                                                    request_size(system_.parameters(), *call), now(), port_);
  const SimTime done = service_.serve(*call, taken);
  call->kind = static_cast<std::uint16_t>(EventKind::served);
  send(id(), until(done, now()), call);
}

void MetadataServer::answer(Transaction* call) {
  --waiting_;
  const network::Transit transit = system_.network().transit(
      node_, system_.node_of(call->client), answer_size(system_.parameters(), *call), now(), port_);
  call->kind = static_cast<std::uint16_t>(EventKind::answer);
  send(call->client, transit.arrival - now(), call);
}

}  // namespace mpisim::pfs
