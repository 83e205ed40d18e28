#include "pfssim/io_node.hpp"

#include <algorithm>

#include "pfssim/delays.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

IoNode::IoNode(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id),
      system_(system),
      node_(system.node_of(id)),
      metadata_(system.parameters(), 0, 1) {
  make_immediate();
  statistics_.kind = NodeKind::ionode;
  statistics_.number = id - system.io_node(0);
}

NodeStatistics IoNode::statistics() const {
  NodeStatistics statistics = statistics_;
  statistics.metadata = metadata_.counts();
  return statistics;
}

IoNode::~IoNode() {
  // Of a run that was stopped.
  for (Transaction* part : to_buffer_) dispose(part);
}

void IoNode::handle(kernel::Event* event) {
  auto* transaction = static_cast<Transaction*>(event);
  switch (static_cast<EventKind>(event->kind)) {
    case EventKind::part:
      break;
    case EventKind::work:
      buffer(transaction);
      return;
    default:
      if (transaction->client == id())
        written(transaction);
      else
        answer(transaction);
      return;
  }
  const SimTime at = accept(*transaction);
  if (goes_through_buffer(*transaction)) {
    transaction->kind = static_cast<std::uint16_t>(EventKind::work);
    send(id(), until(at, now()), transaction);
    return;
  }
  if (!moves_data(transaction->operation)) {
    serve_metadata(transaction, at);
    return;
  }
  transaction->kind = static_cast<std::uint16_t>(EventKind::access);
  send(system_.way_to_disk(transaction->cell), until(at, now()), transaction);
}

bool IoNode::goes_through_buffer(const Transaction& part) const {
  const WriteBuffer& buffer = system_.parameters().write_buffer;
  if (!system_.parameters().buffers_writes()) return false;
  if (part.operation == Operation::sync) return true;
  return part.operation == Operation::write && part.list.empty() && part.members == 0 &&
         part.bytes <= std::min(buffer.up_to, buffer.size) && part.offset % buffer.unit == 0 &&
         part.bytes % buffer.unit == 0;
}

void IoNode::buffer(Transaction* part) {
  to_buffer_.push_back(part);
  fill_buffer();
}

void IoNode::fill_buffer() {
  while (!to_buffer_.empty()) {
    Transaction* part = to_buffer_.front();
    if (part->operation == Operation::sync) {
      if (buffered_ > 0) return;
    } else {
      if (buffered_ + part->bytes > system_.parameters().write_buffer.size) return;
      buffered_ += part->bytes;
      TransactionData data = *part;
      data.client = id();
      Transaction* access = make_transaction(data);
      access->kind = static_cast<std::uint16_t>(EventKind::access);
      send(system_.way_to_disk(data.cell), until(now(), now()), access);
    }
    to_buffer_.pop_front();
    answer(part);
  }
}

void IoNode::written(Transaction* access) {
  buffered_ -= access->bytes;
  statistics_.background.add(access->tally);
  dispose(access);
  fill_buffer();
}

SimTime IoNode::accept(const Transaction& part) {
  const Parameters& parameters = system_.parameters();
  const SimTime taken = system_.network().take_from(system_.node_of(part.client), node_,
                                                    part_size(parameters, part), now(), port_);
  processor_free_ = kernel::max(taken, processor_free_) + parameters.server_overhead;
  statistics_.busy += parameters.server_overhead;
  statistics_.last_end = processor_free_;
  statistics_.most_waiting = std::max(statistics_.most_waiting, ++waiting_);
  if (moves_data(part.operation)) statistics_.requests.count(part.bytes, part.operation == Operation::write);
  return processor_free_;
}

void IoNode::count_answer(const Transaction& answer) {
  --waiting_;
  if (moves_data(answer.operation)) statistics_.served.add(answer.tally);
}

void IoNode::serve_metadata(Transaction* part, SimTime at) {
  const SimTime done = metadata_.serve(*part, at);
  part->kind = static_cast<std::uint16_t>(EventKind::served);
  send(id(), until(done, now()), part);
}

void IoNode::answer(Transaction* part) {
  count_answer(*part);
  const network::Transit transit = system_.network().transit(
      node_, system_.node_of(part->client), answer_size(system_.parameters(), *part), now(), port_);
  part->kind = static_cast<std::uint16_t>(EventKind::answer);
  send(part->client, transit.arrival - now(), part);
}

}  // namespace mpisim::pfs
