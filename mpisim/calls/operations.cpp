// Reduction operations as objects (MPI-3.1 sections 5.9.5, 5.9.7).
#include "mpisim/arguments.hpp"
#include "mpisim/op.hpp"

using namespace mpisim::mpi;

MPISIM_ENTRY(int, Op_create, (MPI_User_function * function, int commute, MPI_Op* op)) {
  MPISIM_CALL(MPI_Op_create, local);
  MPISIM_REQUIRE_POINTER(function, nullptr);
  MPISIM_REQUIRE_POINTER(op, nullptr);
  *op = handles().add_op(new Op(function, commute != 0));
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Op_free, (MPI_Op * op)) {
  MPISIM_CALL(MPI_Op_free, local);
  MPISIM_REQUIRE_POINTER(op, nullptr);
  MPISIM_OBJECT(operation, op, nullptr, MPI_ERR_OP, operation, *op);
  MPISIM_REQUIRE(!operation->predefined(), nullptr, MPI_ERR_OP, "op is predefined and cannot be freed");
  handles().remove_op(*op);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Op_commutative, (MPI_Op op, int* commute)) {
  MPISIM_CALL(MPI_Op_commutative, local);
  MPISIM_OBJECT(operation, op, nullptr, MPI_ERR_OP, operation, op);
  MPISIM_REQUIRE_POINTER(commute, nullptr);
  *commute = operation->commutative();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Reduce_local,
             (const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)) {
  MPISIM_CALL(MPI_Reduce_local, local);
  MPISIM_REQUIRE(count >= 0, nullptr, MPI_ERR_COUNT, "count is {}", count);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_OBJECT(operation, op, nullptr, MPI_ERR_OP, operation, op);
  const std::string fault = check_op(*operation, *type);
  MPISIM_REQUIRE(fault.empty(), nullptr, MPI_ERR_OP, "{}", fault);
  MPISIM_REQUIRE(inbuf != MPI_IN_PLACE && inoutbuf != MPI_IN_PLACE, nullptr, MPI_ERR_BUFFER,
                 "MPI_IN_PLACE is not allowed here");
  MPISIM_REQUIRE(count == 0 || inbuf != inoutbuf, nullptr, MPI_ERR_BUFFER, "inbuf and inoutbuf are the same");
  apply(*operation, inbuf, inoutbuf, static_cast<std::uint64_t>(count), *type);
  return MPI_SUCCESS;
}
