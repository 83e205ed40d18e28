// Entry points: Allgather(v), Alltoall(v, w) (MPI-3.1 sections 5.7, 5.8).
#include "mpisim/collectives/call_checks.hpp"
#include "mpisim/collectives/inter.hpp"

using namespace mpisim::mpi;
using namespace mpisim::mpi::collectives;

namespace {

void enter(CollectiveOperation operation) {
  core::enter_collective(collective_info(operation).call, static_cast<std::uint16_t>(operation));
}

/// What this rank contributes to an all-gather. MPI_IN_PLACE: its block of `all`.
int own_contribution(Communicator& comm, const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                     const Pieces& all, Piece& mine) {
  if (sendbuf == MPI_IN_PLACE && !comm.is_inter()) {
    mine = all[comm.rank()];
    return MPI_SUCCESS;
  }
  MPISIM_CHECK(check_piece(comm, "sendbuf", sendbuf, sendcount, sendtype, mine));
  if (comm.is_inter()) return MPI_SUCCESS;
  const Piece own = all[comm.rank()];
  MPISIM_CHECK(check_apart(comm, mine, own, "taken as MPI_IN_PLACE"));
  return check_own_block(comm, mine, own);
}

int check_exchange(Communicator& comm, const Pieces& out, const Pieces& in, bool in_place) {
  if (in_place || comm.is_inter()) return MPI_SUCCESS;
  const Piece sent = out[comm.rank()], received = in[comm.rank()];
  MPISIM_CHECK(check_apart(comm, sent, received, "what it receives is undefined"));
  return check_own_block(comm, sent, received);
}

}  // namespace

MPISIM_ENTRY(int, Allgather,
             (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, MPI_Comm comm)) {
  MPISIM_CALL(MPI_Allgather, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  Pieces all;
  MPISIM_CHECK(check_uniform(*communicator, "recvbuf", recvbuf, recvcount, recvtype, all));
  Piece mine;
  MPISIM_CHECK(own_contribution(*communicator, sendbuf, sendcount, sendtype, all, mine));
  enter(CollectiveOperation::allgather);
  if (communicator->is_inter())
    inter_allgather(InterCall(*communicator), mine, all);
  else
    allgather(Call::next(*communicator), mine, all);
  return finish(*communicator);
}

MPISIM_ENTRY(int, Allgatherv,
             (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
              const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)) {
  MPISIM_CALL(MPI_Allgatherv, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  Pieces all;
  MPISIM_CHECK(check_varying(*communicator, "recvbuf", recvbuf, recvcounts, displs, recvtype,
                             communicator->peers().size(), all));
  Piece mine;
  MPISIM_CHECK(own_contribution(*communicator, sendbuf, sendcount, sendtype, all, mine));
  enter(CollectiveOperation::allgatherv);
  if (communicator->is_inter())
    inter_allgather(InterCall(*communicator), mine, all);
  else
    allgatherv(Call::next(*communicator), mine, all);
  return finish(*communicator);
}

MPISIM_ENTRY(int, Alltoall,
             (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, MPI_Comm comm)) {
  MPISIM_CALL(MPI_Alltoall, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  const bool in_place = sendbuf == MPI_IN_PLACE && !communicator->is_inter();
  Pieces in;
  MPISIM_CHECK(check_uniform(*communicator, "recvbuf", recvbuf, recvcount, recvtype, in));
  Pieces out;
  if (!in_place) MPISIM_CHECK(check_uniform(*communicator, "sendbuf", sendbuf, sendcount, sendtype, out));
  MPISIM_CHECK(check_exchange(*communicator, out, in, in_place));
  enter(CollectiveOperation::alltoall);
  if (communicator->is_inter())
    inter_alltoall(InterCall(*communicator), out, in);
  else
    alltoall(Call::next(*communicator), out, in, in_place);
  return finish(*communicator);
}

MPISIM_ENTRY(int, Alltoallv,
             (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
              void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
              MPI_Comm comm)) {
  MPISIM_CALL(MPI_Alltoallv, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  const int blocks = communicator->peers().size();
  const bool in_place = sendbuf == MPI_IN_PLACE && !communicator->is_inter();
  Pieces in;
  MPISIM_CHECK(check_varying(*communicator, "recvbuf", recvbuf, recvcounts, rdispls, recvtype, blocks, in));
  Pieces out;
  if (!in_place)
    MPISIM_CHECK(
        check_varying(*communicator, "sendbuf", sendbuf, sendcounts, sdispls, sendtype, blocks, out));
  MPISIM_CHECK(check_exchange(*communicator, out, in, in_place));
  enter(CollectiveOperation::alltoallv);
  if (communicator->is_inter())
    inter_alltoall(InterCall(*communicator), out, in);
  else
    alltoallv(Call::next(*communicator), out, in, in_place, CollectiveOperation::alltoallv);
  return finish(*communicator);
}

MPISIM_ENTRY(int, Alltoallw,
             (const void* sendbuf, const int sendcounts[], const int sdispls[],
              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const int rdispls[],
              const MPI_Datatype recvtypes[], MPI_Comm comm)) {
  MPISIM_CALL(MPI_Alltoallw, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  const int blocks = communicator->peers().size();
  const bool in_place = sendbuf == MPI_IN_PLACE && !communicator->is_inter();
  std::vector<const Datatype*> in_types;
  Pieces in;
  MPISIM_CHECK(
      check_typed(*communicator, "recvbuf", recvbuf, recvcounts, rdispls, recvtypes, blocks, in_types, in));
  std::vector<const Datatype*> out_types;
  Pieces out;
  if (!in_place)
    MPISIM_CHECK(check_typed(*communicator, "sendbuf", sendbuf, sendcounts, sdispls, sendtypes, blocks,
                             out_types, out));
  MPISIM_CHECK(check_exchange(*communicator, out, in, in_place));
  enter(CollectiveOperation::alltoallw);
  if (communicator->is_inter())
    inter_alltoall(InterCall(*communicator), out, in);
  else
    alltoallv(Call::next(*communicator), out, in, in_place, CollectiveOperation::alltoallw);
  return finish(*communicator);
}
