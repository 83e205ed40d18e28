#include "pfssim/burst_client.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "pfssim/delays.hpp"
#include "pfssim/flushing.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

BurstClient::BurstClient(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id),
      system_(system),
      node_(system.node_of(id)),
      ledger_(id - system.first_burst_client(), NodeKind::cnode) {
  make_immediate();
}

BurstClient::~BurstClient() {
  // Requests of a run that was stopped.
  for (std::uint32_t ticket = 0; ticket < pending_.size(); ++ticket) dispose(pending_[ticket].request);
}

void BurstClient::handle(kernel::Event* event) {
  auto* transaction = static_cast<Transaction*>(event);
  if (static_cast<EventKind>(event->kind) == EventKind::answer)
    collect(transaction);
  else
    submit(transaction);
}

void BurstClient::submit(Transaction* request) {
  const std::uint32_t ticket = pending_.take();
  pending_[ticket] = {request, 0, now(), {}, 0};
  ledger_.begin(*request);
  TransactionData part = *request;
  part.client = id();
  part.ticket = ticket;
  if (moves_data(request->operation)) {
    divide(*request, part);
  } else if (request->operation != Operation::sync) {
    send_part(part, system_.metadata_of(part));
  } else if (system_.parameters().burst.place == BurstParameters::Place::local) {
    send_part(part, system_.burst_buffer(id() - system_.first_burst_client()));
  } else {
    for (std::uint32_t buffer = 0; buffer < system_.burst_buffers(); ++buffer)
      send_part(part, system_.burst_buffer(buffer));
  }
}

/// Parts, with offsets in the file, leave in the order of buffers.
void BurstClient::divide(const Transaction& request, const TransactionData& like) {
  const BurstParameters& burst = system_.parameters().burst;
  std::map<kernel::LpId, std::vector<Range>> lists;
  for_each_range(request, [&](const Range& range) {
    if (burst.place == BurstParameters::Place::local) {
      lists[system_.burst_buffer(id() - system_.first_burst_client())].push_back(range);
      return;
    }
    for_each_block(range.offset, range.bytes, burst.stripe, [&](std::uint64_t stripe, const Extent& bytes) {
      const auto buffer = static_cast<std::uint32_t>((request.file + stripe) % system_.burst_buffers());
      std::vector<Range>& list = lists[system_.burst_buffer(buffer)];
      const std::uint64_t begin = stripe * burst.stripe + bytes.begin;
      if (!list.empty() && list.back().offset + list.back().bytes == begin)
        list.back().bytes += bytes.bytes();
      else
        list.push_back({begin, bytes.bytes()});
    });
  });
  for (auto& [buffer, list] : lists) {
    TransactionData part = like;
    part.members = 0;
    part.offset = list.front().offset;
    part.bytes = 0;
    for (const Range& range : list) part.bytes += range.bytes;
    if (list.size() == 1) list.clear();
    send_part(part, buffer, std::move(list));
  }
}

void BurstClient::send_part(const TransactionData& part, kernel::LpId to, std::vector<Range> list) {
  ++pending_[part.ticket].parts;
  Transaction* message = make_transaction(part, std::move(list));
  message->kind = static_cast<std::uint16_t>(EventKind::part);
  if (on_this_node(to)) {
    send(to, until(now(), now()), message);
    return;
  }
  const network::Transit transit = system_.network().transit(
      node_, system_.node_of(to), request_size(system_.parameters(), *message), now(), port_);
  send(to, until(transit.arrival, now()), message);
}

void BurstClient::collect(Transaction* answer) {
  Pending& pending = pending_[answer->ticket];
  const kernel::LpId from = answer->key.source;
  const SimTime taken = on_this_node(from) ? now()
                                           : system_.network().take_from(
                                                 system_.node_of(from), node_,
                                                 answer_size(system_.parameters(), *answer), now(), port_);
  pending.done = kernel::max(pending.done, taken);
  pending.tally.add(answer->tally);
  pending.version = std::max(pending.version, answer->version);
  pending.request->file = answer->file;
  if (answer->operation == Operation::open) pack_shape(*pending.request, unpack_shape<Shape>(*answer));
  const std::uint32_t ticket = answer->ticket;
  dispose(answer);
  if (--pending.parts > 0) return;
  Transaction* reply = std::exchange(pending.request, nullptr);
  if (moves_data(reply->operation)) ledger_.end(reply->file, pending.tally);
  turn_into_reply(*reply, pending.tally, pending.version);
  const SimTime done = pending.done;
  pending_.release(ticket);
  send(reply->key.source, until(done, now()), reply);
}

}  // namespace mpisim::pfs
