#pragma once
// Checks of the arguments of collective calls. Each returns MPI_SUCCESS, or the class of the error that it
// has raised.
#include <vector>

#include "mpisim/arguments.hpp"
#include "mpisim/collectives/algorithms.hpp"
#include "mpisim/op.hpp"

/// Returns from the entry point if the check failed.
#define MPISIM_CHECK(check) \
  if (const int fault = (check); fault != MPI_SUCCESS) return fault

namespace mpisim::mpi::collectives {

/// `root` is a rank of the communicator, or what inter-communicators take.
int check_root(Communicator& comm, int root);

/// Does this rank give (scatter, bcast) or get (gather, reduce) the root's buffer?
inline bool is_root(const Communicator& comm, int root) {
  return comm.is_inter() ? root == MPI_ROOT : comm.rank() == root;
}
/// Has this rank no part in a rooted call on an inter-communicator, or is it the root there, so that its
/// other buffer is not looked at?
inline bool root_side_of_inter(const Communicator& comm, int root) {
  return comm.is_inter() && (root == MPI_ROOT || root == MPI_PROC_NULL);
}

/// `name`: what the buffer argument is called ("sendbuf").
int check_piece(Communicator& comm, const char* name, const void* buffer, int count, MPI_Datatype datatype,
                Piece& piece);
int check_uniform(Communicator& comm, const char* name, const void* buffer, int count, MPI_Datatype datatype,
                  Pieces& pieces);
int check_varying(Communicator& comm, const char* name, const void* buffer, const int* counts,
                  const int* displacements, MPI_Datatype datatype, int blocks, Pieces& pieces);
/// Resolves the types of Alltoallw into `types`, which must live as long as `pieces`.
int check_typed(Communicator& comm, const char* name, const void* buffer, const int* counts,
                const int* displacements, const MPI_Datatype* datatypes, int blocks,
                std::vector<const Datatype*>& types, Pieces& pieces);
/// A rank's message to itself has the same size on both sides.
int check_own_block(Communicator& comm, const Piece& out, const Piece& in);
/// MPI_IN_PLACE was given where the call does not take it.
int refuse_in_place(Communicator& comm, const char* name, const void* buffer);

/// MPI forbids that what is sent and what is received share memory. Looks for what happens: one buffer given
/// twice. `consequence`: for the warning.
int check_apart(Communicator& comm, const Piece& sent, const Piece& received, const char* consequence);

/// End of a call: raises MPI_ERR_TRUNCATE if a message was longer than its buffer; one that was shorter is
/// tolerated with a warning.
int finish(Communicator& comm);

/// The reduction of an entry point.
class OperationReduction final : public Reduction {
 public:
  OperationReduction(const Op& op, const Datatype& type) : Reduction(type, op.commutative()), op_(op) {}

 private:
  void apply(const void* lower, void* upper, std::uint64_t count) const override {
    mpi::apply(op_, lower, upper, count, type());
  }
  const Op& op_;
};

int check_reduction(Communicator& comm, MPI_Op op, MPI_Datatype datatype, const Op*& operation,
                    const Datatype*& type);

}  // namespace mpisim::mpi::collectives
