#include "mpisim/exchange.hpp"

#include <fmt/format.h>

#include <set>

#include "mpisim/core.hpp"
#include "mpisim/errors.hpp"
#include "mpisim/rank.hpp"

namespace mpisim::mpi {

namespace {
constexpr std::uint16_t constructor_operation = 255;
}  // namespace

ExchangeTable::ExchangeTable(World& world, kernel::LpId id)
    : LogicalProcess(world.engine(), id), world_(world) {}

ExchangeTable::~ExchangeTable() = default;

void ExchangeTable::store(Entry& entry, int member, const void* data) {
  std::memcpy(entry.exchanged->data.data() + static_cast<std::size_t>(member) * entry.size, data, entry.size);
  if (++entry.present < entry.members) return;
  for (Rank* rank : entry.waiting) rank->resume_after_exchange();
  entry.waiting.clear();
}

void ExchangeTable::contribute(Rank& rank, const Communicator& comm, std::uint32_t sequence, const void* data,
                               std::size_t size) {
  Entry& entry = entries_[{comm.context(), sequence}];
  if (entry.members == 0) {
    entry.members = static_cast<std::uint32_t>(comm.size());
    if (entry.size == 0) entry.size = size;
    entry.exchanged->data.resize(entry.members * size);
  }
  entry.size = size;
  if (entry.exchanged->data.size() < entry.members * size) entry.exchanged->data.resize(entry.members * size);
  ++entry.local;
  if (engine().hosts() > 1) {
    if (entry.local == 1) {
      std::set<int> others;
      for (int member = 0; member < comm.size(); ++member) {
        others.insert(engine().host_of(static_cast<kernel::LpId>(comm.shared().local->world_rank(member))));
      }
      others.erase(engine().host());
      entry.other_hosts.assign(others.begin(), others.end());
    }
    for (const int host : entry.other_hosts) {
      Message* message = Message::make(MessageKind::exchange);
      message->key =
          rank.next_key(rank.now() + world_.send_delays().longest() + engine().options().lookahead);
      message->destination = world_.exchange_lp(host);
      message->context = comm.context();
      message->tag = static_cast<std::int32_t>(sequence);
      message->source = comm.rank();
      message->root = comm.size();
      message->bytes = size;
      message->payload = static_cast<const std::byte*>(data);
      engine().send(message);
    }
  }
  store(entry, comm.rank(), data);
}

void ExchangeTable::deliver(kernel::Event* event) {
  auto* message = static_cast<Message*>(event);
  Entry& entry = entries_[{message->context, static_cast<std::uint32_t>(message->tag)}];
  entry.members = static_cast<std::uint32_t>(message->root);
  entry.size = message->bytes;
  entry.exchanged->data.resize(entry.members * entry.size);
  store(entry, message->source, message->payload);
  Message::dispose(message);
}

std::shared_ptr<core::Exchanged> ExchangeTable::collect(Rank& rank, const Communicator& comm,
                                                        std::uint32_t sequence) {
  const auto found = entries_.find({comm.context(), sequence});
  Entry& entry = found->second;
  if (entry.present < entry.members) {
    entry.waiting.push_back(&rank);
    rank.block_for_exchange();
  }
  std::shared_ptr<core::Exchanged> exchanged = entry.exchanged;
  // Every local member has contributed by now, so `local` is final.
  if (++entry.collected == entry.local) entries_.erase(found);
  return exchanged;
}

namespace core {

std::shared_ptr<Exchanged> exchange(Communicator& comm, std::uint32_t sequence, const void* contribution,
                                    std::size_t size) {
  Rank& rank = current_rank();
  ExchangeTable& table = rank.world().exchanges();
  table.contribute(rank, comm, sequence, contribution, size);
  enter_collective("a communicator constructor", constructor_operation, 0);
  // Bruck's all-gather: in round k a rank passes on all it has, up to 2^k contributions.
  const int ranks = comm.size();
  const int me = comm.rank();
  const int tag = static_cast<int>(sequence & 0x7fffffffU);
  for (int distance = 1; distance < ranks; distance *= 2) {
    const auto bytes = static_cast<std::uint64_t>(std::min(distance, ranks - distance)) * size;
    Request* const requests[] = {isend_size_only(comm, bytes, (me - distance + ranks) % ranks, tag),
                                 irecv_size_only(comm, bytes, (me + distance) % ranks, tag)};
    wait_all(requests);
  }
  return table.collect(rank, comm, sequence);
}

}  // namespace core
}  // namespace mpisim::mpi
