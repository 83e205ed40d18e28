#include "pfssim/compute_node.hpp"

#include <utility>

#include "pfssim/delays.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

ComputeNode::ComputeNode(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id),
      system_(system),
      node_(system.node_of(id)),
      ledger_(id - system.first_cnode(), system.client_kind()),
      shapes_(system.parameters()) {
  make_immediate();
}

void ComputeNode::handle(kernel::Event* event) {
  auto* transaction = static_cast<Transaction*>(event);
  if (static_cast<EventKind>(event->kind) == EventKind::answer) {
    collect(transaction);
    return;
  }
  if (static_cast<EventKind>(event->kind) == EventKind::work) {
    submit_prepared(*transaction);
    dispose(transaction);
    return;
  }
  submit(transaction);
}

SimTime ComputeNode::copied(std::uint64_t bytes, SimTime from) {
  const SimTime time = system_.parameters().client_copy * kernel::Bytes(bytes);
  if (time.ps() == 0) return from;
  copier_free_ = kernel::max(from, copier_free_) + time;
  return copier_free_;
}

// A cache of the node would answer here what it holds, and pass on the rest.
void ComputeNode::submit(Transaction* request) {
  const bool moves = moves_data(request->operation);
  const bool contiguous = moves && request->list.empty() && request->members == 0;
  const std::uint32_t ticket = pending_.take();
  pending_[ticket] = {request->key.source, request->file, moves, 0, now(), {}};
  pending_[ticket].next = request->offset;
  pending_[ticket].end = request->offset + (contiguous ? request->bytes : 0);
  ledger_.begin(*request);
  request->client = id();
  request->ticket = ticket;
  std::uint64_t bytes = request->bytes;
  if (contiguous && system_.parameters().lock_step)
    bytes = system_.piece(shapes_.of(request->file), request->offset, bytes);
  prepare(request, bytes);
}

/// So many bytes are copied before the first message leaves, if they are to be written.
void ComputeNode::prepare(Transaction* request, std::uint64_t bytes) {
  const SimTime ready = request->operation == Operation::write ? copied(bytes, now()) : now();
  if (ready > now()) {
    request->kind = static_cast<std::uint16_t>(EventKind::work);
    send(id(), ready - now(), request);
    return;
  }
  submit_prepared(*request);
  dispose(request);
}

void ComputeNode::submit_prepared(const Transaction& request) {
  Pending& pending = pending_[request.ticket];
  if (request.operation == Operation::sync) {
    for (std::uint32_t number = 0; number < system_.parameters().io_nodes; ++number)
      send_part(request, system_.io_node(number));
  } else if (!pending.moves_data) {
    send_part(request, system_.metadata_of(request));
  } else if (!request.list.empty() || request.members > 0) {
    submit_lists(request, request);
  } else {
    do {
      submit_piece(request);
    } while (pending.next < pending.end && !system_.parameters().lock_step);
  }
}

void ComputeNode::submit_piece(TransactionData part) {
  Pending& pending = pending_[part.ticket];
  const Shape& shape = shapes_.of(part.file);
  const std::uint64_t bytes = system_.piece(shape, pending.next, pending.end - pending.next);
  system_.divide(shape, pending.next, bytes, ranges_);
  pending.next += bytes;
  for (const CellRange& range : ranges_) {
    part.cell = range.cell;
    part.offset = range.offset;
    part.bytes = range.bytes;
    send_part(part, system_.io_node_of_cell(range.cell));
  }
}

// Parts leave in the order of cells.
void ComputeNode::submit_lists(const Transaction& request, const TransactionData& like) {
  std::vector<std::vector<Range>> lists(system_.parameters().cells());
  for (const Range& range : request.list) {
    system_.divide(shapes_.of(request.file), range.offset, range.bytes, ranges_);
    for (const CellRange& touched : ranges_) lists[touched.cell].push_back({touched.offset, touched.bytes});
  }
  TransactionData part = like;
  for (part.cell = 0; part.cell < lists.size(); ++part.cell) {
    std::vector<Range>& list = lists[part.cell];
    if (list.empty() && request.members == 0) continue;
    part.offset = list.empty() ? 0 : list.front().offset;
    part.bytes = 0;
    for (const Range& range : list) part.bytes += range.bytes;
    send_part(part, system_.io_node_of_cell(part.cell), std::move(list));
  }
}

void ComputeNode::send_part(const TransactionData& part, kernel::LpId io_node, std::vector<Range> list) {
  ++pending_[part.ticket].parts;
  Transaction* transaction = make_transaction(part, std::move(list));
  transaction->kind = static_cast<std::uint16_t>(EventKind::part);
  const network::Transit transit = system_.network().transit(
      node_, system_.node_of(io_node), request_size(system_.parameters(), *transaction), now(), port_);
  send(io_node, transit.arrival - now(), transaction);
}

void ComputeNode::collect(Transaction* answer) {
  Pending& pending = pending_[answer->ticket];
  const SimTime taken = system_.network().take_from(system_.node_of(answer->key.source), node_,
                                                    answer_size(system_.parameters(), *answer), now(), port_);
  const bool brings = answer->operation == Operation::read;
  pending.done = kernel::max(pending.done, brings ? copied(answer->bytes, taken) : taken);
  pending.tally.add(answer->tally);
  if (answer->operation == Operation::open) shapes_.learn(answer->file, unpack_shape<Shape>(*answer));
  if (--pending.parts > 0) {
    dispose(answer);
    return;
  }
  if (pending.next < pending.end) {
    const SimTime from = pending.done + system_.parameters().client_overhead;
    const std::uint64_t left = pending.end - pending.next;
    SimTime ready = from;
    if (!brings) ready = copied(system_.piece(shapes_.of(answer->file), pending.next, left), from);
    answer->tally = {};
    answer->kind = static_cast<std::uint16_t>(EventKind::work);
    send(id(), until(ready, now()), answer);
    return;
  }
  pending_.release(answer->ticket);
  if (pending.moves_data) ledger_.end(pending.file, pending.tally);
  answer->tally = pending.tally;
  answer->kind = static_cast<std::uint16_t>(EventKind::reply);
  send(pending.rank, until(pending.done, now()), answer);
}

}  // namespace mpisim::pfs
