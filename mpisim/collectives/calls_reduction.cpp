// Entry points: Reduce, Allreduce, Reduce_scatter(_block), Scan, Exscan (MPI-3.1 sections 5.9 to 5.11).
#include "mpisim/collectives/call_checks.hpp"
#include "mpisim/collectives/inter.hpp"

using namespace mpisim::mpi;
using namespace mpisim::mpi::collectives;

namespace {

void enter(CollectiveOperation operation, const Communicator& comm, int root = 0) {
  core::enter_collective(collective_info(operation).call, static_cast<std::uint16_t>(operation),
                         comm.is_inter() ? 0 : root);
}

/// Checks the two buffers of a reduction and replaces MPI_IN_PLACE by the output buffer. A program that
/// passes the same buffer twice means MPI_IN_PLACE; other libraries compute just that.
int check_buffers(Communicator& comm, const void*& input, void* output, std::uint64_t count,
                  const Datatype& type, bool in_place_allowed) {
  MPISIM_CHECK(refuse_in_place(comm, "recvbuf", output));
  if (!in_place_allowed) MPISIM_CHECK(refuse_in_place(comm, "sendbuf", input));
  if (count == 0 || !type.predefined()) {
    if (input == MPI_IN_PLACE) input = output;
    return MPI_SUCCESS;
  }
  MPISIM_REQUIRE(input, &comm, MPI_ERR_BUFFER, "sendbuf is a null pointer");
  MPISIM_REQUIRE(output, &comm, MPI_ERR_BUFFER, "recvbuf is a null pointer");
  MPISIM_CHECK(check_apart(comm, {const_cast<void*>(input), count, &type}, {output, count, &type},
                           "taken as MPI_IN_PLACE"));
  if (input == MPI_IN_PLACE) input = output;
  return MPI_SUCCESS;
}

int check_intra(Communicator& comm, const char* call) {
  MPISIM_REQUIRE(!comm.is_inter(), &comm, MPI_ERR_COMM, "{} is not defined for inter-communicators", call);
  return MPI_SUCCESS;
}

}  // namespace

MPISIM_ENTRY(int, Reduce,
             (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
              MPI_Comm comm)) {
  MPISIM_CALL(MPI_Reduce, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_CHECK(check_root(*communicator, root));
  MPISIM_REQUIRE(count >= 0, communicator, MPI_ERR_COUNT, "count is {}", count);
  const Op* operation = nullptr;
  const Datatype* type = nullptr;
  MPISIM_CHECK(check_reduction(*communicator, op, datatype, operation, type));
  const auto elements = static_cast<std::uint64_t>(count);
  if (!communicator->is_inter() && is_root(*communicator, root)) {
    MPISIM_CHECK(check_buffers(*communicator, sendbuf, recvbuf, elements, *type, true));
  } else if (!root_side_of_inter(*communicator, root)) {
    MPISIM_CHECK(refuse_in_place(*communicator, "sendbuf", sendbuf));
    MPISIM_REQUIRE(sendbuf || count == 0 || !type->predefined(), communicator, MPI_ERR_BUFFER,
                   "sendbuf is a null pointer");
  }
  const OperationReduction reduction(*operation, *type);
  enter(CollectiveOperation::reduce, *communicator, root);
  core::detail_collective(operation->predefined_handle(), *type);
  if (communicator->is_inter())
    inter_reduce(InterCall(*communicator), reduction, sendbuf, recvbuf, elements, root);
  else
    reduce(Call::next(*communicator), reduction, sendbuf, recvbuf, elements, root);
  return finish(*communicator);
}

MPISIM_ENTRY(int, Allreduce,
             (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm)) {
  MPISIM_CALL(MPI_Allreduce, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE(count >= 0, communicator, MPI_ERR_COUNT, "count is {}", count);
  const Op* operation = nullptr;
  const Datatype* type = nullptr;
  MPISIM_CHECK(check_reduction(*communicator, op, datatype, operation, type));
  const auto elements = static_cast<std::uint64_t>(count);
  MPISIM_CHECK(check_buffers(*communicator, sendbuf, recvbuf, elements, *type, !communicator->is_inter()));
  const OperationReduction reduction(*operation, *type);
  enter(CollectiveOperation::allreduce, *communicator);
  core::detail_collective(operation->predefined_handle(), *type);
  if (communicator->is_inter())
    inter_allreduce(InterCall(*communicator), reduction, sendbuf, recvbuf, elements);
  else
    allreduce(Call::next(*communicator), reduction, sendbuf, recvbuf, elements);
  return finish(*communicator);
}

namespace {

int reduce_scatter_call(Communicator& comm, const void* input, void* output, const Partition& partition,
                        MPI_Datatype datatype, MPI_Op op, CollectiveOperation code) {
  const Op* operation = nullptr;
  const Datatype* type = nullptr;
  MPISIM_CHECK(check_reduction(comm, op, datatype, operation, type));
  // A rank without elements of its own may pass any output.
  const std::uint64_t own = partition.length(comm.rank());
  MPISIM_CHECK(check_buffers(comm, input, output, own, *type, !comm.is_inter()));
  const OperationReduction reduction(*operation, *type);
  enter(code, comm);
  core::detail_collective(operation->predefined_handle(), *type);
  if (comm.is_inter())
    inter_reduce_scatter(InterCall(comm), reduction, input, output, partition);
  else
    reduce_scatter(Call::next(comm), reduction, input, output, partition, code);
  return finish(comm);
}

}  // namespace

MPISIM_ENTRY(int, Reduce_scatter,
             (const void* sendbuf, void* recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm)) {
  MPISIM_CALL(MPI_Reduce_scatter, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE_POINTER(recvcounts, communicator);
  for (int rank = 0; rank < communicator->size(); ++rank)
    MPISIM_REQUIRE(recvcounts[rank] >= 0, communicator, MPI_ERR_COUNT, "recvcounts[{}] is {}", rank,
                   recvcounts[rank]);
  return reduce_scatter_call(*communicator, sendbuf, recvbuf,
                             Partition::varying(recvcounts, communicator->size()), datatype, op,
                             CollectiveOperation::reduce_scatter);
}

MPISIM_ENTRY(int, Reduce_scatter_block,
             (const void* sendbuf, void* recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm)) {
  MPISIM_CALL(MPI_Reduce_scatter_block, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE(recvcount >= 0, communicator, MPI_ERR_COUNT, "recvcount is {}", recvcount);
  return reduce_scatter_call(*communicator, sendbuf, recvbuf,
                             Partition::uniform(static_cast<std::uint64_t>(recvcount)), datatype, op,
                             CollectiveOperation::reduce_scatter_block);
}

MPISIM_ENTRY(int, Scan,
             (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm)) {
  MPISIM_CALL(MPI_Scan, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_CHECK(check_intra(*communicator, "MPI_Scan"));
  MPISIM_REQUIRE(count >= 0, communicator, MPI_ERR_COUNT, "count is {}", count);
  const Op* operation = nullptr;
  const Datatype* type = nullptr;
  MPISIM_CHECK(check_reduction(*communicator, op, datatype, operation, type));
  const auto elements = static_cast<std::uint64_t>(count);
  MPISIM_CHECK(check_buffers(*communicator, sendbuf, recvbuf, elements, *type, true));
  enter(CollectiveOperation::scan, *communicator);
  core::detail_collective(operation->predefined_handle(), *type);
  scan(Call::next(*communicator), OperationReduction(*operation, *type), sendbuf, recvbuf, elements);
  return finish(*communicator);
}

MPISIM_ENTRY(int, Exscan,
             (const void* sendbuf, void* recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
              MPI_Comm comm)) {
  MPISIM_CALL(MPI_Exscan, collective);
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_CHECK(check_intra(*communicator, "MPI_Exscan"));
  MPISIM_REQUIRE(count >= 0, communicator, MPI_ERR_COUNT, "count is {}", count);
  const Op* operation = nullptr;
  const Datatype* type = nullptr;
  MPISIM_CHECK(check_reduction(*communicator, op, datatype, operation, type));
  const auto elements = static_cast<std::uint64_t>(count);
  // The output of rank 0 is not significant: it may be anything unless the input is there.
  if (communicator->rank() != 0 || sendbuf == MPI_IN_PLACE || sendbuf == recvbuf)
    MPISIM_CHECK(check_buffers(*communicator, sendbuf, recvbuf, elements, *type, true));
  enter(CollectiveOperation::exscan, *communicator);
  core::detail_collective(operation->predefined_handle(), *type);
  exscan(Call::next(*communicator), OperationReduction(*operation, *type), sendbuf, recvbuf, elements);
  return finish(*communicator);
}
