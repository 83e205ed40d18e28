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

struct Topology;  // mpisim/topology.hpp

struct CommunicatorShared {
  ContextId context = 0;
  GroupPointer local;
  GroupPointer remote;  ///< of an inter-communicator, else null
  std::shared_ptr<const Topology> topology;
};

struct AttributeSet;  // mpisim/attributes.hpp

/// One rank's view of a communicator.
class Communicator {
 public:
  Communicator(std::shared_ptr<const CommunicatorShared> shared, int rank)
      : shared_(std::move(shared)), rank_(rank) {}

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

  int error_handler = 0;  ///< MPI_Errhandler handle
  int handle = 0;         ///< MPI_Comm handle of this view
  bool freed = false;
  std::shared_ptr<AttributeSet> attributes;
  std::unique_ptr<std::string> name;

 private:
  std::shared_ptr<const CommunicatorShared> shared_;
  int rank_;
  std::uint32_t collective_sequence_ = 0;
  std::uint32_t child_sequence_ = 0;
};

}  // namespace mpisim::mpi
