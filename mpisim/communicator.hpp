#pragma once
// Communicators. What all members share (context, groups, topology) is one object per host process; what a
// rank keeps for itself is a small view of it.
#include <cstdint>
#include <memory>
#include <string>

#include "mpisim/group.hpp"

namespace mpisim::mpi {

/// Identifies a communicator on all ranks. Computed, not negotiated: a mix of the parent's context, how many
/// communicators the parent had created before, and the colour; equal on all members and on every host.
using ContextId = std::uint64_t;

/// Mixes a value into a context (a bijection of the context for each value).
ContextId derive_context(ContextId parent, std::uint64_t value);

struct Topology;  // mpisim/topology.hpp

struct CommunicatorShared {
  ContextId context = 0;
  GroupPointer local;
  GroupPointer remote;  ///< of an inter-communicator, else null
  std::shared_ptr<const Topology> topology;
  /// Of an inter-communicator: an intra-communicator of the local group for MPI_Intercomm_merge and
  /// collectives inside one side; null otherwise.
  std::shared_ptr<const CommunicatorShared> local_side;
};

/// What MPI_COMM_WORLD of `size` ranks is for all ranks of a host: O(1) memory.
std::shared_ptr<const CommunicatorShared> make_world(int size);

struct CommunicatorExtras;  // mpisim/communicator_extras.hpp: name, attributes, info; made when first used

/// One rank's view of a communicator. Reference counted by hand, like Datatype: the handle holds one
/// reference, and each unfinished operation should hold one, because MPI_Comm_free may come before it ends.
class Communicator {
 public:
  Communicator(std::shared_ptr<const CommunicatorShared> shared, int rank);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  ContextId context() const { return shared_->context; }
  int rank() const { return rank_; }
  int size() const { return shared_->local->size(); }
  bool is_inter() const { return shared_->remote != nullptr; }
  /// Group that ranks in point-to-point calls refer to: remote for inter-communicators.
  const Group& peers() const { return is_inter() ? *shared_->remote : *shared_->local; }
  const CommunicatorShared& shared() const { return *shared_; }
  const std::shared_ptr<const CommunicatorShared>& shared_pointer() const { return shared_; }
  /// Numbers the collective calls on this communicator: equal on all members if they call in the same order.
  std::uint32_t next_collective() { return collective_sequence_++; }
  std::uint32_t next_child() { return child_sequence_++; }
  /// Numbers the calls of MPI_Comm_create_group with this tag and group (hash): equal on its members.
  std::uint32_t next_group_child(int tag, std::uint64_t group_hash);
  /// Takes over what a new communicator has from its parent: the error handler.
  void inherit(const Communicator& parent) { error_handler = parent.error_handler; }

  /// "MPI_COMM_WORLD", the name set by the program, or "" (for reports).
  std::string name() const;
  CommunicatorExtras& extras();
  const CommunicatorExtras* extras_if_any() const { return extras_.get(); }

  void retain() { ++references_; }
  void release() {
    if (--references_ == 0) delete this;
  }

  int error_handler;  ///< MPI_Errhandler handle; MPI_ERRORS_ARE_FATAL at first
  int handle = 0;     ///< MPI_Comm handle of this view
  bool freed = false;
  bool sent_to_self = false;  ///< this rank has sent itself a message

  /// The only rank (of `peers()`) whose messages a receive or probe from any source can get that this rank
  /// posts now; any_source if several may send. `waits`: the rank sends nothing before it has its message.
  int only_source(bool waits) const;

 private:
  ~Communicator();

  std::shared_ptr<const CommunicatorShared> shared_;
  std::unique_ptr<CommunicatorExtras> extras_;
  int rank_;
  std::uint32_t references_ = 1;
  std::uint32_t collective_sequence_ = 0;
  std::uint32_t child_sequence_ = 0;
};

}  // namespace mpisim::mpi
