#pragma once
// Collectives on inter-communicators: one algorithm each, made of a collective inside one side and messages
// between the sides. `root`: MPI_ROOT, MPI_PROC_NULL or a rank of the remote side.
#include "mpisim/collectives/algorithms.hpp"

namespace mpisim::mpi::collectives {

/// One call on an inter-communicator.
class InterCall {
 public:
  explicit InterCall(Communicator& comm);
  ~InterCall();
  InterCall(const InterCall&) = delete;
  InterCall& operator=(const InterCall&) = delete;

  /// Ranks are those of this side.
  const Call& local() const { return local_; }
  /// Destinations and sources are ranks of the other side; `size` is the other side's.
  const Call& remote() const { return remote_; }

 private:
  Call remote_;
  Communicator* side_;
  Call local_;
};

void inter_barrier(const InterCall& call);
void inter_bcast(const InterCall& call, const Piece& buffer, int root);
void inter_gather(const InterCall& call, const Piece& mine, const Pieces& all, int root);
void inter_scatter(const InterCall& call, const Pieces& all, const Piece& mine, int root);
/// `all`: one block per rank of the other side.
void inter_allgather(const InterCall& call, const Piece& mine, const Pieces& all);
void inter_alltoall(const InterCall& call, const Pieces& out, const Pieces& in);
void inter_reduce(const InterCall& call, const Reduction& reduction, const void* input, void* output,
                  std::uint64_t count, int root);
void inter_allreduce(const InterCall& call, const Reduction& reduction, const void* input, void* output,
                     std::uint64_t count);
/// `partition`: of the ranks of this side.
void inter_reduce_scatter(const InterCall& call, const Reduction& reduction, const void* input, void* output,
                          const Partition& partition);

}  // namespace mpisim::mpi::collectives
