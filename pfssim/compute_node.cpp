#include "pfssim/compute_node.hpp"

#include <utility>

#include "pfssim/delays.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

ComputeNode::ComputeNode(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id),
      system_(system),
      node_(system.node_of(id)),
      ledger_(id - system.first_cnode()),
      shapes_(system.parameters()) {
  make_immediate();
}

void ComputeNode::handle(kernel::Event* event) {
  auto* transaction = static_cast<Transaction*>(event);
  if (static_cast<EventKind>(event->kind) == EventKind::answer) {
    collect(transaction);
    return;
  }
  submit(*transaction);
  dispose(transaction);
}

// A cache of the node would answer here what it holds, and pass on the rest.
void ComputeNode::submit(Transaction& request) {
  const std::uint32_t ticket = pending_.take();
  pending_[ticket] = {request.key.source, request.file, moves_data(request.operation), 0, now(), {}};
  ledger_.begin(request);
  TransactionData part = request;
  part.client = id();
  part.ticket = ticket;
  if (!moves_data(request.operation)) {
    send_part(part, system_.metadata_of(part));
    return;
  }
  if (!request.list.empty() || request.members > 0) {
    submit_lists(request, part);
    return;
  }
  system_.divide(shapes_.of(request.file), request.offset, request.bytes, ranges_);
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
  pending.done = kernel::max(pending.done, taken);
  pending.tally.add(answer->tally);
  if (answer->operation == Operation::open) shapes_.learn(answer->file, unpack_shape<Shape>(*answer));
  if (--pending.parts > 0) {
    dispose(answer);
    return;
  }
  pending_.release(answer->ticket);
  if (pending.moves_data) ledger_.end(pending.file, pending.tally);
  answer->tally = pending.tally;
  answer->kind = static_cast<std::uint16_t>(EventKind::reply);
  send(pending.rank, until(pending.done, now()), answer);
}

}  // namespace mpisim::pfs
