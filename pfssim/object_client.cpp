// Requests of ranks and the answers of servers.
#include "pfssim/object_client.hpp"

#include <algorithm>
#include <utility>

#include "pfssim/delays.hpp"
#include "pfssim/flushing.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

ObjectClient::ObjectClient(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id),
      system_(system),
      objects_(system.parameters().objects),
      node_(system.node_of(id)),
      cache_(objects_.cache / objects_.page, 0, system.parameters().cells(),
             system.parameters().caching.versions),
      targets_(system.parameters().cells()),
      ledger_(id - system.first_cnode(), system.client_kind()),
      shapes_(system.parameters()) {
  cache_.set_age_step(age_step(objects_.flush_interval));
  make_immediate();
}

ObjectClient::~ObjectClient() {
  // Requests of a run that was stopped.
  for (std::uint32_t ticket = 0; ticket < pending_.size(); ++ticket) dispose(pending_[ticket].request);
}

NodeStatistics ObjectClient::statistics() const {
  NodeStatistics statistics = ledger_.total();
  statistics.left_dirty = cache_.dirty_blocks();
  return statistics;
}

void ObjectClient::handle(kernel::Event* event) {
  auto* transaction = static_cast<Transaction*>(event);
  switch (static_cast<EventKind>(event->kind)) {
    case EventKind::request:
      submit(transaction);
      return;
    case EventKind::timer:
      dispose(transaction);
      timer_set_ = false;
      flush();
      return;
    case EventKind::work:
      collect(transaction);
      return;
    default:
      receive(transaction);
  }
}

void ObjectClient::submit(Transaction* request) {
  const std::uint32_t ticket = pending_.take();
  pending_[ticket] = {request, 1, now(), {}, 0};
  ledger_.begin(*request);
  if (request->operation == Operation::sync) {
    submit_sync(ticket);
  } else if (!moves_data(request->operation)) {
    ++pending_[ticket].waits;
    TransactionData part = *request;
    part.client = id();
    part.ticket = ticket;
    send_part(part, system_.metadata_of(part), now());
  } else {
    divide(ticket);
  }
  settle(ticket);
}

/// Pieces begin in the order of cells of a list, in the order of the file of a single range.
void ObjectClient::divide(std::uint32_t ticket) {
  const Transaction& request = *pending_[ticket].request;
  const Shape& shape = shapes_.of(request.file);
  std::vector<CellRange> parts;
  if (request.list.empty()) {
    system_.divide(shape, request.offset, request.bytes, parts);
    for (const CellRange& part : parts) begin(ticket, part.cell, {{part.offset, part.bytes}});
    return;
  }
  std::map<std::uint32_t, std::vector<Range>> lists;
  for (const Range& range : request.list) {
    system_.divide(shape, range.offset, range.bytes, parts);
    for (const CellRange& part : parts) lists[part.cell].push_back({part.offset, part.bytes});
  }
  for (auto& [cell, list] : lists) begin(ticket, cell, std::move(list));
}

void ObjectClient::begin(std::uint32_t ticket, std::uint32_t cell, std::vector<Range> ranges) {
  const Transaction& request = *pending_[ticket].request;
  ++pending_[ticket].waits;
  const std::uint32_t number = pieces_.take();
  Piece& piece = pieces_[number];
  piece = {};
  piece.ticket = ticket;
  piece.write = request.operation == Operation::write;
  piece.object = {request.file, cell};
  piece.ranges = std::move(ranges);
  want_lock(number);
}

/// All that this node has written to the file; done when the last RPC has been answered.
void ObjectClient::submit_sync(std::uint32_t ticket) {
  const std::uint32_t file = pending_[ticket].request->file;
  for (auto entry = all_.lower_bound({file, 0}); entry != all_.end() && entry->first.file == file; ++entry) {
    make_ready(entry->first, {0, no_end}, false);
    for (const std::uint32_t rpc : entry->second.writes) {
      rpcs_[rpc].syncs.push_back(ticket);
      ++pending_[ticket].waits;
    }
  }
}

void ObjectClient::finish(std::uint32_t number) {
  Piece& piece = pieces_[number];
  const std::uint32_t ticket = piece.ticket;
  if (!piece.write) {
    std::uint64_t bytes = 0;
    for (const Range& range : piece.ranges) bytes += range.bytes;
    copy(ticket, bytes);
    if (system_.parameters().caching.versions) follow_version(piece);
  }
  const std::uint32_t lock = piece.lock;
  piece = {};
  pieces_.release(number);
  release(lock);
  settle(ticket);
}

/// Of the latest page that is read.
void ObjectClient::follow_version(const Piece& piece) {
  std::uint64_t& version = pending_[piece.ticket].version;
  for (const Range& range : piece.ranges)
    for_each_block(range.offset, range.bytes, page(), [&](std::uint64_t index, const Extent&) {
      const Slot slot = cache_.find({index, piece.object.file, piece.object.cell});
      if (slot != BlockCache::none) version = std::max(version, cache_.version_of(slot));
    });
}

/// One of the things that a request waits for is done.
void ObjectClient::settle(std::uint32_t ticket) {
  Pending& pending = pending_[ticket];
  if (--pending.waits > 0) return;
  Transaction* reply = std::exchange(pending.request, nullptr);
  if (moves_data(reply->operation)) ledger_.end(reply->file, pending.tally);
  turn_into_reply(*reply, pending.tally, pending.version);
  const SimTime done = pending.done;
  pending_.release(ticket);
  send(reply->key.source, until(done, now()), reply);
}

/// Between the cache and the program.
void ObjectClient::copy(std::uint32_t ticket, std::uint64_t bytes) {
  memory_free_ = kernel::max(now(), memory_free_) + system_.parameters().caching.copy * kernel::Bytes(bytes);
  Pending& pending = pending_[ticket];
  pending.done = kernel::max(pending.done, memory_free_);
}

void ObjectClient::send_part(const TransactionData& part, kernel::LpId to, SimTime ready,
                             std::vector<Range> list, std::vector<std::uint64_t> versions) {
  Transaction* message = make_transaction(part, std::move(list));
  message->versions = std::move(versions);
  message->kind = static_cast<std::uint16_t>(EventKind::part);
  const network::Transit transit = system_.network().transit(
      node_, system_.node_of(to), request_size(system_.parameters(), *message), ready, port_);
  send(to, until(channels_.arrival(to - system_.first_cnode(), transit.arrival), now()), message);
}

/// What comes is taken through the port, one after the other; a call for a lock costs the processor.
void ObjectClient::receive(Transaction* message) {
  const Parameters& parameters = system_.parameters();
  SimTime at = system_.network().take_from(system_.node_of(message->key.source), node_,
                                           answer_size(parameters, *message), now(), port_);
  if (message->operation == Operation::revoke)
    at = processor_free_ = kernel::max(at, processor_free_) + parameters.client_overhead;
  message->kind = static_cast<std::uint16_t>(EventKind::work);
  if (at > now())
    send(id(), at - now(), message);
  else
    collect(message);
}

void ObjectClient::collect(Transaction* message) {
  switch (message->operation) {
    case Operation::read:
    case Operation::write:
      answered(message);
      return;
    case Operation::lock:
      granted(*message);
      break;
    case Operation::revoke:
      called(*message);
      break;
    default: {
      Pending& pending = pending_[message->ticket];
      if (message->operation == Operation::open) {
        const auto shape = unpack_shape<Shape>(*message);
        shapes_.learn(message->file, shape);
        learn_contents(message->file, shape, message->bytes);
        pack_shape(*pending.request, shape);
        pending.version = message->version;
      }
      pending.request->file = message->file;
      settle(message->ticket);
    }
  }
  dispose(message);
}

}  // namespace mpisim::pfs
