// Entry points: neighbourhood collectives (MPI-3.1 section 7.6). Every rank posts its receives, then sends,
// as the standard describes them; nothing has to be chosen.
#include <vector>

#include "mpisim/collectives/call_checks.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/topology.hpp"

using namespace mpisim::mpi;
using namespace mpisim::mpi::collectives;

namespace {

/// Operation codes of core::enter_collective, behind those of CollectiveOperation.
enum class Neighbourhood : std::uint16_t { allgather = 240, allgatherv, alltoall, alltoallv, alltoallw };

struct Neighbours {
  std::vector<int> sources, destinations;
  bool cartesian = false;

  int in_count() const { return static_cast<int>(sources.size()); }
  int out_count() const { return static_cast<int>(destinations.size()); }
  /// Which destination is served as number `turn`. Along a periodic dimension of one or two ranks both
  /// neighbours are the same rank: what goes up has to arrive from below, so it is sent first.
  int served(int turn) const { return cartesian ? turn ^ 1 : turn; }
};

/// Buffers are not looked at where there is nobody to send to or to receive from.
int find_neighbours(Communicator& comm, Neighbours& neighbours) {
  MPISIM_REQUIRE(!comm.is_inter() && topology_neighbours(comm, neighbours.sources, neighbours.destinations),
                 &comm, MPI_ERR_TOPOLOGY, "comm has no topology");
  neighbours.cartesian = comm.shared().topology->kind == Topology::Kind::cartesian;
  return MPI_SUCCESS;
}

/// `out` and `in` give the piece for each destination and source. Both exist beyond edges too, untouched.
template <class Out, class In>
int exchange(Communicator& comm, const char* name, Neighbourhood operation, const Neighbours& neighbours,
             const Out& out, const In& in) {
  core::enter_collective(name, static_cast<std::uint16_t>(operation));
  const Call call = Call::next(comm);
  std::vector<Request*> requests;
  requests.reserve(neighbours.sources.size() + neighbours.destinations.size());
  for (int i = 0; i < neighbours.in_count(); ++i) {
    const int source = neighbours.sources[static_cast<std::size_t>(i)];
    if (source != MPI_PROC_NULL) requests.push_back(irecv(call, in(i), source));
  }
  for (int turn = 0; turn < neighbours.out_count(); ++turn) {
    const int i = neighbours.served(turn);
    const int destination = neighbours.destinations[static_cast<std::size_t>(i)];
    if (destination != MPI_PROC_NULL) requests.push_back(isend(call, out(i), destination));
  }
  core::wait_all(requests);
  return finish(comm);
}

/// Pieces of Alltoallw, whose displacements are addresses.
int check_addressed(Communicator& comm, const char* name, const void* buffer, const int* counts,
                    const MPI_Aint* displacements, const MPI_Datatype* datatypes, int blocks,
                    std::vector<Piece>& pieces) {
  MPISIM_CHECK(refuse_in_place(comm, name, buffer));
  MPISIM_REQUIRE(blocks == 0 || (counts && displacements && datatypes), &comm, MPI_ERR_ARG,
                 "the counts, displacements or types of {} are a null pointer", name);
  for (int i = 0; i < blocks; ++i) {
    // Programs leave MPI_DATATYPE_NULL where nothing is sent, as for MPI_Alltoallw.
    const bool nothing = counts[i] == 0 && datatypes[i] == MPI_DATATYPE_NULL;
    const auto place =
        reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(displacements[i]);
    Piece piece;
    MPISIM_CHECK(check_piece(comm, name, reinterpret_cast<const void*>(place), counts[i],
                             nothing ? MPI_BYTE : datatypes[i], piece));
    pieces.push_back(piece);
  }
  return MPI_SUCCESS;
}

}  // namespace

MPISIM_ENTRY(int, Neighbor_allgather,
             (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, MPI_Comm comm)) {
  MPISIM_CALL(MPI_Neighbor_allgather, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  Neighbours neighbours;
  MPISIM_CHECK(find_neighbours(*communicator, neighbours));
  Piece mine;
  if (neighbours.out_count() > 0)
    MPISIM_CHECK(check_piece(*communicator, "sendbuf", sendbuf, sendcount, sendtype, mine));
  Pieces in;
  if (neighbours.in_count() > 0)
    MPISIM_CHECK(check_uniform(*communicator, "recvbuf", recvbuf, recvcount, recvtype, in));
  return exchange(
      *communicator, "MPI_Neighbor_allgather", Neighbourhood::allgather, neighbours,
      [&mine](int) { return mine; }, [&in](int i) { return in[i]; });
}

MPISIM_ENTRY(int, Neighbor_allgatherv,
             (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
              const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm)) {
  MPISIM_CALL(MPI_Neighbor_allgatherv, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  Neighbours neighbours;
  MPISIM_CHECK(find_neighbours(*communicator, neighbours));
  Piece mine;
  if (neighbours.out_count() > 0)
    MPISIM_CHECK(check_piece(*communicator, "sendbuf", sendbuf, sendcount, sendtype, mine));
  Pieces in;
  if (neighbours.in_count() > 0)
    MPISIM_CHECK(check_varying(*communicator, "recvbuf", recvbuf, recvcounts, displs, recvtype,
                               neighbours.in_count(), in));
  return exchange(
      *communicator, "MPI_Neighbor_allgatherv", Neighbourhood::allgatherv, neighbours,
      [&mine](int) { return mine; }, [&in](int i) { return in[i]; });
}

MPISIM_ENTRY(int, Neighbor_alltoall,
             (const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
              MPI_Datatype recvtype, MPI_Comm comm)) {
  MPISIM_CALL(MPI_Neighbor_alltoall, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  Neighbours neighbours;
  MPISIM_CHECK(find_neighbours(*communicator, neighbours));
  Pieces out, in;
  if (neighbours.out_count() > 0)
    MPISIM_CHECK(check_uniform(*communicator, "sendbuf", sendbuf, sendcount, sendtype, out));
  if (neighbours.in_count() > 0)
    MPISIM_CHECK(check_uniform(*communicator, "recvbuf", recvbuf, recvcount, recvtype, in));
  return exchange(
      *communicator, "MPI_Neighbor_alltoall", Neighbourhood::alltoall, neighbours,
      [&out](int i) { return out[i]; }, [&in](int i) { return in[i]; });
}

MPISIM_ENTRY(int, Neighbor_alltoallv,
             (const void* sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
              void* recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
              MPI_Comm comm)) {
  MPISIM_CALL(MPI_Neighbor_alltoallv, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  Neighbours neighbours;
  MPISIM_CHECK(find_neighbours(*communicator, neighbours));
  Pieces out, in;
  if (neighbours.out_count() > 0)
    MPISIM_CHECK(check_varying(*communicator, "sendbuf", sendbuf, sendcounts, sdispls, sendtype,
                               neighbours.out_count(), out));
  if (neighbours.in_count() > 0)
    MPISIM_CHECK(check_varying(*communicator, "recvbuf", recvbuf, recvcounts, rdispls, recvtype,
                               neighbours.in_count(), in));
  return exchange(
      *communicator, "MPI_Neighbor_alltoallv", Neighbourhood::alltoallv, neighbours,
      [&out](int i) { return out[i]; }, [&in](int i) { return in[i]; });
}

MPISIM_ENTRY(int, Neighbor_alltoallw,
             (const void* sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
              const MPI_Datatype sendtypes[], void* recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
              const MPI_Datatype recvtypes[], MPI_Comm comm)) {
  MPISIM_CALL(MPI_Neighbor_alltoallw, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  Neighbours neighbours;
  MPISIM_CHECK(find_neighbours(*communicator, neighbours));
  std::vector<Piece> out, in;
  if (neighbours.out_count() > 0)
    MPISIM_CHECK(check_addressed(*communicator, "sendbuf", sendbuf, sendcounts, sdispls, sendtypes,
                                 neighbours.out_count(), out));
  if (neighbours.in_count() > 0)
    MPISIM_CHECK(check_addressed(*communicator, "recvbuf", recvbuf, recvcounts, rdispls, recvtypes,
                                 neighbours.in_count(), in));
  return exchange(
      *communicator, "MPI_Neighbor_alltoallw", Neighbourhood::alltoallw, neighbours,
      [&out](int i) { return out[static_cast<std::size_t>(i)]; },
      [&in](int i) { return in[static_cast<std::size_t>(i)]; });
}
