// Inter-communicators (MPI-3.1 section 6.6): the leaders of both sides talk to each other, then tell their
// sides.
#include <algorithm>
#include <cstring>
#include <vector>

#include "mpisim/construction.hpp"
#include "mpisim/core.hpp"
#include "mpisim/exchange.hpp"
#include "mpisim/group_algebra.hpp"
#include "mpisim/include/mpi.h"

namespace mpisim::mpi {
namespace {

/// A communicator for the constructor's own messages, which nothing else can meet.
class PrivateSpace {
 public:
  PrivateSpace(const Communicator& of, std::uint64_t distinction) {
    auto shared = std::make_shared<CommunicatorShared>(of.shared());
    shared->context = derive_context(derive_context(of.context(), 0x1e7e2c0dULL), distinction);
    communicator_ = new Communicator(std::move(shared), of.rank());
    communicator_->inherit(of);
  }
  ~PrivateSpace() { communicator_->release(); }
  PrivateSpace(const PrivateSpace&) = delete;
  PrivateSpace& operator=(const PrivateSpace&) = delete;
  Communicator& operator*() const { return *communicator_; }

 private:
  Communicator* communicator_;
};

/// What a leader tells the other about its side.
struct SideFacts {
  ContextId context;
  std::int64_t size;
};

template <class T>
void swap_with(Communicator& space, int peer, const T* own, std::size_t own_count, T* other,
               std::size_t other_count) {
  core::send_recv(space, core::Plane::user, own, own_count * sizeof(T), byte_type(), peer, other,
                  other_count * sizeof(T), byte_type(), peer, 0);
}

/// Binomial tree from `root` over an intra-communicator.
void broadcast(Communicator& space, int root, void* data, std::size_t bytes) {
  const int size = space.size();
  const int place = (space.rank() - root + size) % size;
  int bit = 1;
  while (bit < size && !(place & bit)) bit *= 2;
  if (place != 0)
    core::recv(space, core::Plane::user, data, bytes, byte_type(), (place - bit + root) % size, 1);
  for (bit /= 2; bit > 0; bit /= 2)
    if (place + bit < size)
      core::send(space, core::Plane::user, data, bytes, byte_type(), (place + bit + root) % size, 1);
}

void enter(Communicator& communicator) {
  const std::uint32_t nothing = 0;
  core::exchange(communicator, communicator.next_collective(), &nothing, sizeof nothing);
}

/// After all members of this side have entered, gives `value` to the other side and returns the other's.
/// `side`: an unused space of the local group.
std::uint32_t swap_sides(Communicator& inter, std::shared_ptr<const CommunicatorShared> side,
                         std::uint64_t distinction, std::uint32_t value) {
  auto* space = new Communicator(std::move(side), inter.rank());
  space->inherit(inter);
  enter(*space);
  std::uint32_t other = 0;
  if (inter.rank() == 0) {
    PrivateSpace bridge(inter, distinction);
    swap_with(*bridge, 0, &value, 1, &other, 1);
  }
  broadcast(*space, 0, &other, sizeof other);
  space->release();
  return other;
}

/// What all members of one side have in common; null if the groups overlap.
struct InterShared {
  std::shared_ptr<const CommunicatorShared> shared;
};

std::shared_ptr<InterShared> make_inter(GroupPointer group, const SideFacts& own, const SideFacts& other,
                                        const std::vector<std::byte>& ranks) {
  auto result = std::make_shared<InterShared>();
  std::vector<int> other_ranks(ranks.size() / sizeof(int));
  std::memcpy(other_ranks.data(), ranks.data(), ranks.size());
  for (const int rank : other_ranks)
    if (group->rank_of(rank) >= 0) return result;
  auto shared = std::make_shared<CommunicatorShared>();
  shared->context =
      derive_context(std::min(own.context, other.context), std::max(own.context, other.context));
  shared->local = std::move(group);
  shared->remote = make_group(std::move(other_ranks));
  auto local_side = std::make_shared<CommunicatorShared>();
  local_side->context = derive_context(shared->context, own.context);
  local_side->local = shared->local;
  shared->local_side = std::move(local_side);
  result->shared = std::move(shared);
  return result;
}

}  // namespace

Communicator* create_inter(Communicator& local, int local_leader, Communicator* peer, int remote_leader,
                           int tag) {
  const std::uint32_t child = local.next_child();
  PrivateSpace side(local, child);
  enter(*side);
  const SideFacts own{derive_context(local.context(), child), local.size()};
  SideFacts other{};
  std::vector<int> other_ranks;
  if (local.rank() == local_leader) {
    PrivateSpace bridge(*peer, static_cast<std::uint32_t>(tag) + (std::uint64_t{1} << 40));
    const std::vector<int> own_ranks = world_ranks(*local.shared().local);
    swap_with(*bridge, remote_leader, &own, 1, &other, 1);
    other_ranks.resize(static_cast<std::size_t>(other.size));
    swap_with(*bridge, remote_leader, own_ranks.data(), own_ranks.size(), other_ranks.data(),
              other_ranks.size());
  }
  broadcast(*side, local_leader, &other, sizeof other);
  const std::uint64_t bytes = static_cast<std::uint64_t>(other.size) * sizeof(int);
  const auto told = core::exchange_varying(
      *side, (*side).next_collective(), other_ranks.data(), other_ranks.size() * sizeof(int),
      [&](int first, int members) {
        return (local_leader - first + local.size()) % local.size() < members ? bytes : 0;
      });
  const auto made_once = core::once_per_host<InterShared>(*told, [&] {
    return make_inter(local.shared().local, own, other, told->of[static_cast<std::size_t>(local_leader)]);
  });
  if (!made_once->shared) return nullptr;
  auto* made = new Communicator(made_once->shared, local.rank());
  made->inherit(local);
  return made;
}

Communicator* duplicate_inter(Communicator& inter, ContextId context) {
  auto side = std::make_shared<CommunicatorShared>(*inter.shared().local_side);
  side->context = derive_context(side->context, context);
  swap_sides(inter, side, context, 0);
  auto shared = std::make_shared<CommunicatorShared>(inter.shared());
  shared->context = context;
  shared->local_side = std::move(side);
  auto* made = new Communicator(std::move(shared), inter.rank());
  made->inherit(inter);
  return made;
}

Communicator* split_inter(Communicator& inter, int color, int key) {
  struct Wish {
    int color, key;
  };
  const ContextId context = derive_context(inter.context(), inter.next_child());
  const Group& local = *inter.shared().local;
  const Group& remote = *inter.shared().remote;
  auto side = std::make_shared<CommunicatorShared>(*inter.shared().local_side);
  side->context = derive_context(side->context, context);
  auto* space = new Communicator(side, inter.rank());
  space->inherit(inter);
  const Wish own{color, key};
  std::vector<Wish> locals(static_cast<std::size_t>(local.size()));
  std::vector<Wish> remotes(static_cast<std::size_t>(remote.size()));
  const auto all = core::exchange(*space, space->next_collective(), &own, sizeof own);
  std::memcpy(locals.data(), all->data.data(), all->data.size());
  if (inter.rank() == 0) {
    PrivateSpace bridge(inter, context);
    swap_with(*bridge, 0, locals.data(), locals.size(), remotes.data(), remotes.size());
  }
  broadcast(*space, 0, remotes.data(), remotes.size() * sizeof(Wish));
  space->release();
  if (color == MPI_UNDEFINED) return nullptr;

  const auto chosen = [color](const std::vector<Wish>& wishes, const Group& group) {
    std::vector<int> ranks;
    for (std::size_t i = 0; i < wishes.size(); ++i)
      if (wishes[i].color == color) ranks.push_back(static_cast<int>(i));
    std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
      return wishes[static_cast<std::size_t>(a)].key < wishes[static_cast<std::size_t>(b)].key;
    });
    for (int& rank : ranks) rank = group.world_rank(rank);
    return make_group(std::move(ranks));
  };
  auto shared = std::make_shared<CommunicatorShared>();
  shared->context = derive_context(context, static_cast<std::uint32_t>(color));
  shared->local = chosen(locals, local);
  shared->remote = chosen(remotes, remote);
  if (shared->remote->size() == 0) return nullptr;
  auto local_side = std::make_shared<CommunicatorShared>();
  local_side->context = derive_context(side->context, shared->context);
  local_side->local = shared->local;
  shared->local_side = std::move(local_side);
  const int rank = shared->local->rank_of(local.world_rank(inter.rank()));
  auto* made = new Communicator(std::move(shared), rank);
  made->inherit(inter);
  return made;
}

Communicator* merge_inter(Communicator& inter, bool high) {
  const std::uint32_t child = inter.next_child();
  auto side = std::make_shared<CommunicatorShared>(*inter.shared().local_side);
  side->context = derive_context(side->context, child);
  const std::uint32_t own_high = high;
  const std::uint32_t other_high = swap_sides(inter, side, child, own_high);

  const Group& local = *inter.shared().local;
  const Group& remote = *inter.shared().remote;
  const bool local_first = own_high != other_high ? !high : local.world_rank(0) < remote.world_rank(0);
  std::vector<int> members = world_ranks(local_first ? local : remote);
  const std::vector<int> rest = world_ranks(local_first ? remote : local);
  members.insert(members.end(), rest.begin(), rest.end());
  auto shared = std::make_shared<CommunicatorShared>();
  shared->context = derive_context(derive_context(inter.context(), 0x6d657267ULL), child);
  shared->local = make_group(std::move(members));
  auto* made = new Communicator(std::move(shared), inter.rank() + (local_first ? 0 : remote.size()));
  made->inherit(inter);
  enter(*made);
  return made;
}

}  // namespace mpisim::mpi
