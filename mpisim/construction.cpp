#include "mpisim/construction.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "mpisim/core.hpp"
#include "mpisim/exchange.hpp"
#include "mpisim/group_algebra.hpp"
#include "mpisim/include/mpi.h"

namespace mpisim::mpi {
namespace {

Communicator* make_view(const Communicator& parent, SharedPointer shared, int rank) {
  auto* view = new Communicator(std::move(shared), rank);
  view->inherit(parent);
  return view;
}

/// Every member enters before any leaves; what a real library agrees on here is a context number.
std::shared_ptr<core::Exchanged> agree(Communicator& communicator) {
  const std::uint32_t context_bits = 0;
  return core::exchange(communicator, communicator.next_collective(), &context_bits, sizeof context_bits);
}

std::shared_ptr<CommunicatorShared> share(ContextId context, GroupPointer group,
                                          std::shared_ptr<const Topology> topology = nullptr) {
  auto shared = std::make_shared<CommunicatorShared>();
  shared->context = context;
  shared->local = std::move(group);
  shared->topology = std::move(topology);
  return shared;
}

struct ColorAndKey {
  int color, key;
};

/// What MPI_Comm_split gives, for all ranks of the parent.
struct SplitResult {
  std::vector<SharedPointer> groups;
  std::vector<int> group_of;  // by parent rank: index in groups, or -1
  std::vector<int> rank_of;   // by parent rank: rank in the new communicator
};

std::shared_ptr<SplitResult> compute_split(const Communicator& parent, ContextId context,
                                           std::span<const ColorAndKey> wanted,
                                           const std::shared_ptr<const Topology>& topology) {
  auto result = std::make_shared<SplitResult>();
  const std::size_t size = wanted.size();
  result->group_of.assign(size, -1);
  result->rank_of.assign(size, -1);
  std::vector<int> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    const ColorAndKey& x = wanted[static_cast<std::size_t>(a)];
    const ColorAndKey& y = wanted[static_cast<std::size_t>(b)];
    return x.color != y.color ? x.color < y.color : x.key < y.key;
  });
  for (std::size_t begin = 0, end; begin < size; begin = end) {
    const int color = wanted[static_cast<std::size_t>(order[begin])].color;
    std::vector<int> members;
    for (end = begin; end < size; ++end) {
      const auto rank = static_cast<std::size_t>(order[end]);
      if (wanted[rank].color != color) break;
      if (color == MPI_UNDEFINED) continue;
      result->group_of[rank] = static_cast<int>(result->groups.size());
      result->rank_of[rank] = static_cast<int>(members.size());
      members.push_back(parent.shared().local->world_rank(order[end]));
    }
    if (color == MPI_UNDEFINED) continue;
    result->groups.push_back(share(derive_context(context, static_cast<std::uint32_t>(color)),
                                   make_group(std::move(members)), topology));
  }
  return result;
}

}  // namespace

Communicator* duplicate(Communicator& parent) {
  const ContextId context = derive_context(parent.context(), parent.next_child());
  if (parent.is_inter()) return duplicate_inter(parent, context);
  const auto exchanged = agree(parent);
  auto shared = core::once_per_host<CommunicatorShared>(
      *exchanged, [&] { return share(context, parent.shared().local, parent.shared().topology); });
  if (parent.shared().topology && parent.shared().topology->kind == Topology::Kind::distributed_graph)
    shared = share(context, parent.shared().local, parent.shared().topology);  // each rank's own neighbours
  return make_view(parent, std::move(shared), parent.rank());
}

Communicator* split(Communicator& parent, int color, int key, std::shared_ptr<const Topology> topology) {
  const ContextId context = derive_context(parent.context(), parent.next_child());
  const ColorAndKey own{color, key};
  const auto exchanged = core::exchange(parent, parent.next_collective(), &own, sizeof own);
  const auto result = core::once_per_host<SplitResult>(*exchanged, [&] {
    const std::vector<std::byte>& all = exchanged->data;
    std::vector<ColorAndKey> wanted(all.size() / sizeof own);
    std::memcpy(wanted.data(), all.data(), all.size());
    return compute_split(parent, context, wanted, topology);
  });
  const auto me = static_cast<std::size_t>(parent.rank());
  if (result->group_of[me] < 0) return nullptr;
  return make_view(parent, result->groups[static_cast<std::size_t>(result->group_of[me])],
                   result->rank_of[me]);
}

Communicator* create(Communicator& parent, const GroupPointer& group) {
  const ContextId context = derive_context(parent.context(), parent.next_child());
  agree(parent);
  const int rank = group->rank_of(parent.shared().local->world_rank(parent.rank()));
  if (rank < 0) return nullptr;
  return make_view(parent, share(derive_context(context, group_hash(*group)), group), rank);
}

Communicator* create_in_group(Communicator& parent, const GroupPointer& group, int tag) {
  const int rank = group->rank_of(parent.shared().local->world_rank(parent.rank()));
  if (rank < 0) return nullptr;
  const std::uint64_t hash = group_hash(*group);
  ContextId context = derive_context(derive_context(parent.context(), hash), static_cast<std::uint32_t>(tag));
  context = derive_context(context, parent.next_group_child(tag, hash));
  Communicator* made = make_view(parent, share(context, group), rank);
  agree(*made);
  return made;
}

Communicator* create_with_topology(Communicator& parent, int size,
                                   const std::function<std::shared_ptr<const Topology>()>& make) {
  const ContextId context = derive_context(parent.context(), parent.next_child());
  const auto exchanged = agree(parent);
  const auto shared = core::once_per_host<CommunicatorShared>(*exchanged, [&] {
    GroupPointer group = parent.shared().local;
    if (size < group->size()) {
      std::vector<int> members = world_ranks(*group);
      members.resize(static_cast<std::size_t>(size));
      group = make_group(std::move(members));
    }
    return share(context, group, make());
  });
  return parent.rank() < size ? make_view(parent, shared, parent.rank()) : nullptr;
}

Communicator* create_distributed_graph(Communicator& parent, std::shared_ptr<const Topology> own) {
  const ContextId context = derive_context(parent.context(), parent.next_child());
  agree(parent);
  return make_view(parent, share(context, parent.shared().local, std::move(own)), parent.rank());
}

namespace {

/// The ends of edges by rank, in the order of the ranks that know them.
struct EdgeEnds {
  struct End {
    int other, weight;
  };
  std::vector<std::size_t> first;  // by rank; one more for the end
  std::vector<End> ends;
};

EdgeEnds collect_ends(int ranks, const std::vector<std::vector<std::byte>>& known, int Edge::* here,
                      int Edge::* there) {
  EdgeEnds by_rank;
  by_rank.first.assign(static_cast<std::size_t>(ranks) + 1, 0);
  const auto each_edge = [&](auto visit) {
    for (const auto& part : known) {
      for (std::size_t at = 0; at < part.size(); at += sizeof(Edge)) {
        Edge edge;
        std::memcpy(&edge, part.data() + at, sizeof edge);
        visit(edge);
      }
    }
  };
  each_edge([&](const Edge& edge) { ++by_rank.first[static_cast<std::size_t>(edge.*here) + 1]; });
  std::partial_sum(by_rank.first.begin(), by_rank.first.end(), by_rank.first.begin());
  by_rank.ends.resize(by_rank.first.back());
  std::vector<std::size_t> next = by_rank.first;
  each_edge([&](const Edge& edge) {
    by_rank.ends[next[static_cast<std::size_t>(edge.*here)]++] = {edge.*there, edge.weight};
  });
  return by_rank;
}

void take_ends(const EdgeEnds& from, int rank, std::vector<int>& others, std::vector<int>& weights) {
  const auto me = static_cast<std::size_t>(rank);
  for (std::size_t i = from.first[me]; i < from.first[me + 1]; ++i) {
    others.push_back(from.ends[i].other);
    weights.push_back(from.ends[i].weight);
  }
}

/// Bytes of the edges that the ranks before each know.
struct EdgeBytes {
  std::vector<std::uint64_t> before;
  std::uint64_t operator()(int first, int members) const {
    const std::size_t ranks = before.size() - 1;
    const auto begin = static_cast<std::size_t>(first);
    const std::size_t end = begin + static_cast<std::size_t>(members);
    if (end <= ranks) return before[end] - before[begin];
    return before[ranks] - before[begin] + before[end - ranks];
  }
};

}  // namespace

Communicator* create_distributed_graph(Communicator& parent, std::span<const Edge> edges, bool weighted) {
  // How many edges the ranks know, then all edges.
  const auto own_count = static_cast<std::uint32_t>(edges.size());
  const auto numbers = core::exchange(parent, parent.next_collective(), &own_count, sizeof own_count);
  const auto bytes = core::once_per_host<EdgeBytes>(*numbers, [&] {
    std::vector<std::uint32_t> counts(numbers->data.size() / sizeof own_count);
    std::memcpy(counts.data(), numbers->data.data(), numbers->data.size());
    auto sums = std::make_shared<EdgeBytes>();
    sums->before.push_back(0);
    for (const std::uint32_t count : counts)
      sums->before.push_back(sums->before.back() + count * sizeof(Edge));
    return sums;
  });

  auto own = std::make_shared<Topology>();
  own->kind = Topology::Kind::distributed_graph;
  own->weighted = weighted;
  if (bytes->before.back() > 0) {
    const auto all =
        core::exchange_varying(parent, parent.next_collective(), edges.data(), edges.size_bytes(),
                               [&](int first, int members) { return (*bytes)(first, members); });
    using BothEnds = std::pair<EdgeEnds, EdgeEnds>;
    const auto ends = core::once_per_host<BothEnds>(*all, [&] {
      return std::make_shared<BothEnds>(
          collect_ends(parent.size(), all->of, &Edge::destination, &Edge::source),
          collect_ends(parent.size(), all->of, &Edge::source, &Edge::destination));
    });
    take_ends(ends->first, parent.rank(), own->sources, own->source_weights);
    take_ends(ends->second, parent.rank(), own->destinations, own->destination_weights);
  }
  return create_distributed_graph(parent, std::move(own));
}

}  // namespace mpisim::mpi
