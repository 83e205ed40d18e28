// Entry points: Barrier, Bcast, Gather(v), Scatter(v) (MPI-3.1 sections 5.3 to 5.6).
#include "mpisim/collectives/call_checks.hpp"
#include "mpisim/collectives/inter.hpp"

using namespace mpisim::mpi;
using namespace mpisim::mpi::collectives;

namespace {

void enter(CollectiveOperation operation, const Communicator& comm, int root = 0) {
  // Roots of inter-communicators have other names on each side; they are not compared.
  core::enter_collective(collective_info(operation).call, static_cast<std::uint16_t>(operation),
                         comm.is_inter() ? 0 : root);
}

/// The block that a rank contributes to a gather. MPI_IN_PLACE at the root: its block of `all`.
int own_contribution(Communicator& comm, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                     const Pieces& all, int root, Piece& mine) {
  if (root_side_of_inter(comm, root)) return MPI_SUCCESS;
  const bool gathers = is_root(comm, root);
  if (sendbuf == MPI_IN_PLACE && gathers) {
    mine = all[root];
    return MPI_SUCCESS;
  }
  MPISIM_CHECK(check_piece(comm, "sendbuf", sendbuf, sendcount, sendtype, mine));
  if (!gathers) return MPI_SUCCESS;
  MPISIM_CHECK(check_apart(comm, mine, all[root], "taken as MPI_IN_PLACE"));
  return check_own_block(comm, mine, all[root]);
}

/// The block that a rank gets from a scatter. MPI_IN_PLACE at the root: its block of `all`.
int own_share(Communicator& comm, void* recvbuf, int recvcount, MPI_Datatype recvtype, const Pieces& all,
              int root, Piece& mine) {
  if (root_side_of_inter(comm, root)) return MPI_SUCCESS;
  const bool scatters = is_root(comm, root);
  if (recvbuf == MPI_IN_PLACE && scatters) {
    mine = all[root];
    return MPI_SUCCESS;
  }
  MPISIM_CHECK(check_piece(comm, "recvbuf", recvbuf, recvcount, recvtype, mine));
  if (!scatters) return MPI_SUCCESS;
  MPISIM_CHECK(check_apart(comm, all[root], mine, "taken as MPI_IN_PLACE"));
  return check_own_block(comm, all[root], mine);
}

}  // namespace

MPISIM_ENTRY(int, Barrier, (MPI_Comm comm)) {
  MPISIM_CALL(MPI_Barrier, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  enter(CollectiveOperation::barrier, *communicator);
  if (communicator->is_inter())
    inter_barrier(InterCall(*communicator));
  else
    barrier(Call::next(*communicator));
  return finish(*communicator);
}

MPISIM_ENTRY(int, Bcast, (void* buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)) {
  MPISIM_CALL(MPI_Bcast, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_CHECK(check_root(*communicator, root));
  Piece piece{nullptr, 0, &byte_type()};
  if (root != MPI_PROC_NULL)
    MPISIM_CHECK(check_piece(*communicator, "buffer", buffer, count, datatype, piece));
  enter(CollectiveOperation::bcast, *communicator, root);
  core::detail_collective(MPI_OP_NULL, *piece.type);
  if (communicator->is_inter())
    inter_bcast(InterCall(*communicator), piece, root);
  else
    bcast(Call::next(*communicator), piece, root);
  return finish(*communicator);
}

MPISIM_ENTRY(int, Gather,
             (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  MPISIM_CALL(MPI_Gather, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_CHECK(check_root(*communicator, root));
  Pieces all;
  if (is_root(*communicator, root))
    MPISIM_CHECK(check_uniform(*communicator, "recvbuf", recvbuf, recvcount, recvtype, all));
  Piece mine;
  MPISIM_CHECK(own_contribution(*communicator, sendbuf, sendcount, sendtype, all, root, mine));
  enter(CollectiveOperation::gather, *communicator, root);
  if (mine.type != nullptr) core::detail_collective(MPI_OP_NULL, *mine.type);
  if (communicator->is_inter())
    inter_gather(InterCall(*communicator), mine, all, root);
  else
    gather(Call::next(*communicator), mine, all, root);
  return finish(*communicator);
}

MPISIM_ENTRY(int, Gatherv,
             (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
              const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  MPISIM_CALL(MPI_Gatherv, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_CHECK(check_root(*communicator, root));
  Pieces all;
  if (is_root(*communicator, root))
    MPISIM_CHECK(check_varying(*communicator, "recvbuf", recvbuf, recvcounts, displs, recvtype,
                               communicator->peers().size(), all));
  Piece mine;
  MPISIM_CHECK(own_contribution(*communicator, sendbuf, sendcount, sendtype, all, root, mine));
  enter(CollectiveOperation::gatherv, *communicator, root);
  if (mine.type != nullptr) core::detail_collective(MPI_OP_NULL, *mine.type);
  if (communicator->is_inter())
    inter_gather(InterCall(*communicator), mine, all, root);
  else
    gatherv(Call::next(*communicator), mine, all, root);
  return finish(*communicator);
}

MPISIM_ENTRY(int, Scatter,
             (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  MPISIM_CALL(MPI_Scatter, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_CHECK(check_root(*communicator, root));
  Pieces all;
  if (is_root(*communicator, root))
    MPISIM_CHECK(check_uniform(*communicator, "sendbuf", sendbuf, sendcount, sendtype, all));
  Piece mine;
  MPISIM_CHECK(own_share(*communicator, recvbuf, recvcount, recvtype, all, root, mine));
  enter(CollectiveOperation::scatter, *communicator, root);
  if (mine.type != nullptr) core::detail_collective(MPI_OP_NULL, *mine.type);
  if (communicator->is_inter())
    inter_scatter(InterCall(*communicator), all, mine, root);
  else
    scatter(Call::next(*communicator), all, mine, root);
  return finish(*communicator);
}

MPISIM_ENTRY(int, Scatterv,
             (const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
              void* recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)) {
  MPISIM_CALL(MPI_Scatterv, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_CHECK(check_root(*communicator, root));
  Pieces all;
  if (is_root(*communicator, root))
    MPISIM_CHECK(check_varying(*communicator, "sendbuf", sendbuf, sendcounts, displs, sendtype,
                               communicator->peers().size(), all));
  Piece mine;
  MPISIM_CHECK(own_share(*communicator, recvbuf, recvcount, recvtype, all, root, mine));
  enter(CollectiveOperation::scatterv, *communicator, root);
  if (mine.type != nullptr) core::detail_collective(MPI_OP_NULL, *mine.type);
  if (communicator->is_inter())
    inter_scatter(InterCall(*communicator), all, mine, root);
  else
    scatterv(Call::next(*communicator), all, mine, root);
  return finish(*communicator);
}
