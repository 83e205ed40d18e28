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

kernel::EventKey ExchangeTable::outside_key() {
  // Where protocols are not exact, events are released in the order of time.
  const auto& options = engine().options();
  return {options.exact ? kernel::SimTime::infinity() : engine().safe_time() + options.lookahead, id(),
          next_sequence()};
}

ExchangeTable::Entry& ExchangeTable::entry_of(const Key& key, int members, std::size_t size, bool varying) {
  Entry& entry = entries_[key];
  if (entry.exchanged) return entry;
  entry.members = static_cast<std::uint32_t>(members);
  entry.size = size;
  if (varying) {
    auto contributions = std::make_shared<core::Contributions>();
    contributions->of.resize(entry.members);
    entry.varying = contributions.get();
    entry.exchanged = std::move(contributions);
  } else {
    entry.exchanged = std::make_shared<core::Exchanged>();
    entry.exchanged->data.resize(entry.members * size);
  }
  return entry;
}

void ExchangeTable::store(Entry& entry, int member, const void* data, std::size_t size) {
  const auto place = static_cast<std::size_t>(member);
  if (entry.varying != nullptr) {
    const auto* bytes = static_cast<const std::byte*>(data);
    entry.varying->of[place].assign(bytes, bytes + size);
  } else {
    std::memcpy(entry.exchanged->data.data() + place * entry.size, data, entry.size);
  }
  if (++entry.present < entry.members) return;
  for (Rank* rank : entry.waiting) rank->resume_after_exchange();
  entry.waiting.clear();
}

void ExchangeTable::contribute(Rank& rank, const Communicator& comm, std::uint32_t sequence, const void* data,
                               std::size_t size, bool varying) {
  Entry& entry = entry_of({comm.context(), sequence}, comm.size(), size, varying);
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
      message->size_only = varying;
      message->bytes = size;
      message->payload = static_cast<const std::byte*>(data);
      engine().send(message);
    }
  }
  store(entry, comm.rank(), data, size);
}

void ExchangeTable::deliver(kernel::Event* event) {
  auto* message = static_cast<Message*>(event);
  if (static_cast<MessageKind>(message->kind) == MessageKind::livelock) {
    world_.livelock().deliver(*message);
    return;
  }
  Entry& entry = entry_of({message->context, static_cast<std::uint32_t>(message->tag)}, message->root,
                          message->bytes, message->size_only);
  store(entry, message->source, message->payload, message->bytes);
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

namespace {

// Bruck's all-gather: in round k a rank passes on all it has, up to 2^k contributions.
template <class BytesOf>
std::shared_ptr<core::Exchanged> all_gather(Communicator& comm, std::uint32_t sequence, const void* own,
                                            std::size_t size, bool varying, const BytesOf& bytes_of) {
  Rank& rank = current_rank();
  ExchangeTable& table = rank.world().exchanges();
  table.contribute(rank, comm, sequence, own, size, varying);
  core::enter_collective("a communicator constructor", constructor_operation, 0);
  const int ranks = comm.size();
  const int me = comm.rank();
  const int tag = static_cast<int>(sequence & 0x7fffffffU);
  for (int distance = 1; distance < ranks; distance *= 2) {
    const int members = std::min(distance, ranks - distance);
    const int from = (me + distance) % ranks;
    Request* const requests[] = {
        core::isend_size_only(comm, bytes_of(me, members), (me - distance + ranks) % ranks, tag),
        core::irecv_size_only(comm, bytes_of(from, members), from, tag)};
    core::wait_all(requests);
  }
  return table.collect(rank, comm, sequence);
}

}  // namespace

namespace core {

std::shared_ptr<Exchanged> exchange(Communicator& comm, std::uint32_t sequence, const void* contribution,
                                    std::size_t size) {
  return all_gather(comm, sequence, contribution, size, false,
                    [size](int, int members) { return static_cast<std::uint64_t>(members) * size; });
}

std::shared_ptr<Contributions> exchange_varying(Communicator& comm, std::uint32_t sequence,
                                                const void* contribution, std::size_t size,
                                                const std::function<std::uint64_t(int, int)>& bytes_of) {
  return std::static_pointer_cast<Contributions>(
      all_gather(comm, sequence, contribution, size, true, bytes_of));
}

}  // namespace core
}  // namespace mpisim::mpi
