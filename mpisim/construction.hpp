#pragma once
// Construction of communicators, below the level of handles (MPI-3.1 sections 6.4, 6.6, 7.5). All are
// collective: they exchange messages of the sizes that a real library would send, and what is the same for
// all ranks is computed once per host process.
#include <functional>
#include <memory>
#include <span>

#include "mpisim/communicator.hpp"
#include "mpisim/topology.hpp"

namespace mpisim::mpi {

using SharedPointer = std::shared_ptr<const CommunicatorShared>;

/// A new context and the same groups and topology.
Communicator* duplicate(Communicator& parent);

/// Ranks of equal colour form a communicator, ordered by (key, old rank); null for MPI_UNDEFINED. `topology`:
/// that of every new communicator. Intra-communicators only.
Communicator* split(Communicator& parent, int color, int key,
                    std::shared_ptr<const Topology> topology = nullptr);

/// The members of `group` (subset of the parent's) form a communicator; disjoint groups may be given in one
/// call. Null for ranks outside of their group.
Communicator* create(Communicator& parent, const GroupPointer& group);

/// The same, collective over the members of the group alone.
Communicator* create_in_group(Communicator& parent, const GroupPointer& group, int tag);

/// The first `size` ranks of the parent, with a topology that `make` builds once per host process; null for
/// the other ranks.
Communicator* create_with_topology(Communicator& parent, int size,
                                   const std::function<std::shared_ptr<const Topology>()>& make);

/// Each rank passes the topology that it keeps for itself.
Communicator* create_distributed_graph(Communicator& parent, std::shared_ptr<const Topology> own);

/// Edges (source, destination, weight) as any rank may know them, delivered to both ends.
struct Edge {
  int source, destination, weight;
};
Communicator* create_distributed_graph(Communicator& parent, std::span<const Edge> edges, bool weighted);

/// Null if the leaders' groups overlap.
Communicator* create_inter(Communicator& local, int local_leader, Communicator* peer, int remote_leader,
                           int tag);
Communicator* merge_inter(Communicator& inter, bool high);
/// As split(), on both sides; null also for colours that only one side uses.
Communicator* split_inter(Communicator& inter, int color, int key);
Communicator* duplicate_inter(Communicator& inter, ContextId context);

}  // namespace mpisim::mpi
