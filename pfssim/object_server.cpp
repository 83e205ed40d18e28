#include "pfssim/object_server.hpp"

#include <algorithm>

#include "pfssim/delays.hpp"
#include "pfssim/flushing.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

ObjectServer::ObjectServer(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id),
      system_(system),
      objects_(system.parameters().objects),
      node_(system.node_of(id)),
      metadata_(system.parameters(), 0, 1),
      lock_threads_(objects_.threads) {
  make_immediate();
  statistics_.kind = NodeKind::ionode;
  statistics_.number = id - system.io_node(0);
  statistics_.threads = 2 * objects_.threads;  // for data and for locks
}

ObjectServer::~ObjectServer() {
  for (Transaction* part : waiting_for_thread_) dispose(part);
}

NodeStatistics ObjectServer::statistics() const {
  NodeStatistics statistics = statistics_;
  statistics.metadata = metadata_.counts();
  return statistics;
}

void ObjectServer::handle(kernel::Event* event) {
  auto* part = static_cast<Transaction*>(event);
  switch (static_cast<EventKind>(event->kind)) {
    case EventKind::part:
      accept(part);
      return;
    case EventKind::work:
      perform(part);
      return;
    default:
      served(part);
  }
}

/// Through the port, and to the threads of its kind.
void ObjectServer::accept(Transaction* part) {
  const Parameters& parameters = system_.parameters();
  const SimTime taken = system_.network().take_from(system_.node_of(part->client), node_,
                                                    request_size(parameters, *part), now(), port_);
  if (part->operation != Operation::unlock)
    statistics_.most_waiting = std::max(statistics_.most_waiting, ++waiting_);
  part->kind = static_cast<std::uint16_t>(EventKind::work);
  switch (part->operation) {
    case Operation::read:
    case Operation::write:
      statistics_.requests.count(part->bytes, part->operation == Operation::write);
      send(id(), until(taken, now()), part);
      return;
    case Operation::lock:
    case Operation::unlock:
      statistics_.busy += objects_.lock_cost;
      statistics_.last_end = lock_threads_.serve(taken, objects_.lock_cost);
      send(id(), until(statistics_.last_end, now()), part);
      return;
    default: {
      const SimTime done = metadata_.serve(*part, taken);
      part->kind = static_cast<std::uint16_t>(EventKind::served);
      send(id(), until(done, now()), part);
    }
  }
}

void ObjectServer::perform(Transaction* part) {
  if (!moves_data(part->operation)) {
    decide(part);
    return;
  }
  if (busy_threads_ == objects_.threads)
    waiting_for_thread_.push_back(part);
  else
    begin(part);
}

void ObjectServer::begin(Transaction* rpc) {
  ++busy_threads_;
  const SimTime overhead = system_.parameters().server_overhead;
  statistics_.busy += overhead;
  statistics_.last_end = kernel::max(statistics_.last_end, now() + overhead);
  const bool write = rpc->operation == Operation::write;
  ++(write ? statistics_.objects.write_rpcs : statistics_.objects.read_rpcs);
  if (write) {
    Object& object = object_of(*rpc);
    for_each_range(*rpc, [&object](const Range& range) {
      object.size = std::max(object.size, range.offset + range.bytes);
    });
  }
  if (system_.parameters().caching.versions) follow_versions(*rpc);
  rpc->kind = static_cast<std::uint16_t>(EventKind::access);
  send(system_.way_to_disk(rpc->cell), until(now() + overhead, now()), rpc);
}

void ObjectServer::follow_versions(Transaction& rpc) {
  const bool write = rpc.operation == Operation::write;
  std::size_t next = 0;
  for_each_range(rpc, [&](const Range& range) {
    for_each_block(range.offset, range.bytes, objects_.page, [&](std::uint64_t index, const Extent&) {
      const BlockKey key{index, rpc.file, rpc.cell};
      std::uint64_t* stored = on_disk_.find(key);
      if (!write) {
        rpc.versions.push_back(stored == nullptr ? 0 : *stored);
      } else if (stored == nullptr) {
        on_disk_.insert(key, rpc.versions[next++]);
      } else {
        *stored = rpc.versions[next++];
      }
    });
  });
}

/// A disk has done an access, or the metadata service a call.
void ObjectServer::served(Transaction* part) {
  --waiting_;
  const bool data = moves_data(part->operation);
  if (data) statistics_.served.add(part->tally);
  send_to_client(part, EventKind::answer, answer_size(system_.parameters(), *part));
  if (!data) return;
  --busy_threads_;
  if (waiting_for_thread_.empty()) return;
  Transaction* next = waiting_for_thread_.front();
  waiting_for_thread_.pop_front();
  begin(next);
}

ObjectServer::Object& ObjectServer::object_of(const Transaction& part) {
  return all_.try_emplace({part.file, part.cell}, objects_.growth).first->second;
}

/// A request about a lock, and what follows from it.
void ObjectServer::decide(Transaction* part) {
  Object& object = object_of(*part);
  ExtentLocks::Decisions decisions;
  if (part->operation == Operation::lock) {
    ++statistics_.objects.lock_requests;
    object.locks.ask(
        {part->client, part->ticket, {part->offset, part->offset + part->bytes}, part->exclusive}, decisions);
  } else {
    object.locks.release(part->meeting, decisions);
  }
  for (const ExtentLocks::Lock& lock : decisions.granted) {
    --waiting_;
    ++statistics_.objects.locks_granted;
    tell(lock, *part, Operation::lock, EventKind::answer);
  }
  for (const ExtentLocks::Lock& lock : decisions.called) {
    ++statistics_.objects.revocations;
    tell(lock, *part, Operation::revoke, EventKind::command);
  }
  dispose(part);
}

void ObjectServer::tell(const ExtentLocks::Lock& lock, const Transaction& about, Operation operation,
                        EventKind kind) {
  TransactionData data{.operation = operation, .file = about.file};
  data.name = object_of(about).size;
  data.offset = lock.request.extent.begin;
  data.bytes = lock.request.extent.end - lock.request.extent.begin;
  data.cell = about.cell;
  data.client = lock.request.client;
  data.ticket = lock.request.ticket;
  data.meeting = lock.number;
  data.exclusive = lock.request.write;
  send_to_client(make_transaction(data), kind, system_.parameters().header);
}

void ObjectServer::send_to_client(Transaction* message, EventKind kind, kernel::Bytes size) {
  message->kind = static_cast<std::uint16_t>(kind);
  const network::Transit transit =
      system_.network().transit(node_, system_.node_of(message->client), size, now(), port_);
  const SimTime arrival = channels_.arrival(message->client - system_.first_cnode(), transit.arrival);
  send(message->client, until(arrival, now()), message);
}

}  // namespace mpisim::pfs
