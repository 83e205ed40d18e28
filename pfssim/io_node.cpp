#include "pfssim/io_node.hpp"

#include "pfssim/delays.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

IoNode::IoNode(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id), system_(system), node_(system.node_of(id)) {
  make_immediate();
}

void IoNode::handle(kernel::Event* event) {
  auto* transaction = static_cast<Transaction*>(event);
  if (static_cast<EventKind>(event->kind) == EventKind::part)
    receive(transaction);
  else
    answer(transaction);
}

void IoNode::receive(Transaction* part) {
  const Parameters& parameters = system_.parameters();
  const SimTime taken = system_.network().take_from(system_.node_of(part->client), node_,
                                                    request_size(parameters, *part), now(), port_);
  processor_free_ = kernel::max(taken, processor_free_) + parameters.server_overhead;
  if (moves_data(part->operation)) {
    // A cache of the node would answer here what it holds, and pass on the rest.
    part->kind = static_cast<std::uint16_t>(EventKind::access);
    send(system_.disk(part->cell), until(processor_free_, now()), part);
    return;
  }
  look_up(*part);
  metadata_free_ = kernel::max(processor_free_, metadata_free_) +
                   (part->operation == Operation::open ? parameters.open_cost : parameters.metadata_cost);
  part->kind = static_cast<std::uint16_t>(EventKind::served);
  send(id(), until(metadata_free_, now()), part);
}

void IoNode::look_up(Transaction& part) {
  if (part.operation == Operation::remove) numbers_.erase(part.name);
  if (part.operation != Operation::open) return;
  const auto [entry, fresh] = numbers_.try_emplace(part.name, next_number_);
  if (fresh) ++next_number_;
  part.file = entry->second;
}

void IoNode::answer(Transaction* part) {
  const network::Transit transit = system_.network().transit(
      node_, system_.node_of(part->client), answer_size(system_.parameters(), *part), now(), port_);
  part->kind = static_cast<std::uint16_t>(EventKind::answer);
  send(part->client, transit.arrival - now(), part);
}

}  // namespace mpisim::pfs
