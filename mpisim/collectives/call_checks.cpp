#include "mpisim/collectives/call_checks.hpp"

#include "mpisim/error_handlers.hpp"

namespace mpisim::mpi::collectives {
namespace {

int check_type(Communicator& comm, const char* name, MPI_Datatype datatype, const Datatype*& type) {
  type = handles().datatype(datatype);
  MPISIM_REQUIRE(type, &comm, MPI_ERR_TYPE, "type of {}: {}", name,
                 bad_handle("datatype", HandleKind::datatype, datatype));
  MPISIM_REQUIRE(type->committed(), &comm, MPI_ERR_TYPE,
                 "the datatype of {} is not committed; call MPI_Type_commit first", name);
  return MPI_SUCCESS;
}

/// MPI_BOTTOM is a null pointer, which makes sense with addresses inside the type only.
int check_address(Communicator& comm, const char* name, const void* buffer, std::uint64_t count,
                  const Datatype& type) {
  MPISIM_REQUIRE(buffer || count == 0 || !type.predefined(), &comm, MPI_ERR_BUFFER, "{} is a null pointer",
                 name);
  return MPI_SUCCESS;
}

bool returns_errors(const Communicator& comm) {
  const ErrorHandler* handler = handles().error_handler(comm.error_handler);
  return handler && handler->kind == ErrorHandler::Kind::return_code;
}

/// Mistakes that programs get away with elsewhere: they get a warning, and MPI's error if they ask for error
/// codes.
int tolerate(Communicator& comm, int error_class, const std::string& text) {
  if (returns_errors(comm)) return raise(&comm, error_class, text);
  warn(text);
  return MPI_SUCCESS;
}

}  // namespace

int check_apart(Communicator& comm, const Piece& sent, const Piece& received, const char* consequence) {
  if (sent.address != received.address || sent.bytes() == 0 || received.bytes() == 0) return MPI_SUCCESS;
  // Others may pick different parts of the same array.
  if (!sent.type->contiguous() || !received.type->contiguous()) return MPI_SUCCESS;
  return tolerate(comm, MPI_ERR_BUFFER,
                  fmt::format("sendbuf and recvbuf are the same buffer, which MPI forbids; {}", consequence));
}

int check_root(Communicator& comm, int root) {
  if (comm.is_inter()) {
    MPISIM_REQUIRE(root == MPI_ROOT || root == MPI_PROC_NULL || (root >= 0 && root < comm.peers().size()),
                   &comm, MPI_ERR_ROOT,
                   "root is {}; an inter-communicator takes MPI_ROOT, MPI_PROC_NULL or a rank below {}", root,
                   comm.peers().size());
    return MPI_SUCCESS;
  }
  MPISIM_REQUIRE(root >= 0 && root < comm.size(), &comm, MPI_ERR_ROOT,
                 "root is {}, the communicator has ranks 0 to {}", root, comm.size() - 1);
  return MPI_SUCCESS;
}

int refuse_in_place(Communicator& comm, const char* name, const void* buffer) {
  MPISIM_REQUIRE(buffer != MPI_IN_PLACE, &comm, MPI_ERR_BUFFER,
                 "{} is MPI_IN_PLACE, which is not allowed here", name);
  return MPI_SUCCESS;
}

int check_piece(Communicator& comm, const char* name, const void* buffer, int count, MPI_Datatype datatype,
                Piece& piece) {
  MPISIM_CHECK(refuse_in_place(comm, name, buffer));
  MPISIM_REQUIRE(count >= 0, &comm, MPI_ERR_COUNT, "the count of {} is {}", name, count);
  const Datatype* type = nullptr;
  MPISIM_CHECK(check_type(comm, name, datatype, type));
  piece = {const_cast<void*>(buffer), static_cast<std::uint64_t>(count), type};
  return check_address(comm, name, buffer, piece.count, *type);
}

int check_uniform(Communicator& comm, const char* name, const void* buffer, int count, MPI_Datatype datatype,
                  Pieces& pieces) {
  Piece piece;
  MPISIM_CHECK(check_piece(comm, name, buffer, count, datatype, piece));
  pieces = Pieces::uniform(buffer, piece.count, *piece.type);
  return MPI_SUCCESS;
}

int check_varying(Communicator& comm, const char* name, const void* buffer, const int* counts,
                  const int* displacements, MPI_Datatype datatype, int blocks, Pieces& pieces) {
  MPISIM_CHECK(refuse_in_place(comm, name, buffer));
  MPISIM_REQUIRE(counts && displacements, &comm, MPI_ERR_ARG,
                 "the counts or displacements of {} are a null pointer", name);
  const Datatype* type = nullptr;
  MPISIM_CHECK(check_type(comm, name, datatype, type));
  for (int block = 0; block < blocks; ++block) {
    MPISIM_REQUIRE(counts[block] >= 0, &comm, MPI_ERR_COUNT, "the count of {} for rank {} is {}", name, block,
                   counts[block]);
    MPISIM_CHECK(check_address(comm, name, buffer, static_cast<std::uint64_t>(counts[block]), *type));
  }
  pieces = Pieces::varying(buffer, counts, displacements, *type);
  return MPI_SUCCESS;
}

int check_typed(Communicator& comm, const char* name, const void* buffer, const int* counts,
                const int* displacements, const MPI_Datatype* datatypes, int blocks,
                std::vector<const Datatype*>& types, Pieces& pieces) {
  MPISIM_CHECK(refuse_in_place(comm, name, buffer));
  MPISIM_REQUIRE(counts && displacements && datatypes, &comm, MPI_ERR_ARG,
                 "the counts, displacements or types of {} are a null pointer", name);
  types.resize(static_cast<std::size_t>(blocks));
  for (int block = 0; block < blocks; ++block) {
    MPISIM_REQUIRE(counts[block] >= 0, &comm, MPI_ERR_COUNT, "the count of {} for rank {} is {}", name, block,
                   counts[block]);
    const Datatype*& type = types[static_cast<std::size_t>(block)];
    // Programs leave MPI_DATATYPE_NULL where nothing is sent; others let it pass, and so do we.
    if (counts[block] == 0 && datatypes[block] == MPI_DATATYPE_NULL)
      type = &byte_type();
    else
      MPISIM_CHECK(check_type(comm, name, datatypes[block], type));
  }
  pieces = Pieces::typed(buffer, counts, displacements, types.data());
  return MPI_SUCCESS;
}

int check_own_block(Communicator& comm, const Piece& out, const Piece& in) {
  MPISIM_REQUIRE(out.bytes() == in.bytes(), &comm, MPI_ERR_TRUNCATE,
                 "this rank sends {} bytes to itself and receives {}: counts and types must match",
                 out.bytes(), in.bytes());
  return MPI_SUCCESS;
}

int check_reduction(Communicator& comm, MPI_Op op, MPI_Datatype datatype, const Op*& operation,
                    const Datatype*& type) {
  MPISIM_CHECK(check_type(comm, "the buffers", datatype, type));
  operation = handles().op(op);
  MPISIM_REQUIRE(operation, &comm, MPI_ERR_OP, "{}", bad_handle("op", HandleKind::operation, op));
  const std::string fault = check_op(*operation, *type);
  MPISIM_REQUIRE(fault.empty(), &comm, MPI_ERR_OP, "{}", fault);
  return MPI_SUCCESS;
}

int finish(Communicator& comm) {
  const core::CollectiveFault fault = core::take_collective_fault();
  if (fault.source < 0) return MPI_SUCCESS;
  using Kind = core::CollectiveFault::Kind;
  if (fault.kind == Kind::elsewhere) {  // that rank has warned
    if (!returns_errors(comm)) return MPI_SUCCESS;
    return raise(&comm, MPI_ERR_OTHER, fmt::format("this collective has failed on rank {}", fault.source));
  }
  const std::string text = fmt::format(
      "rank {} sent {} than the {} bytes that are expected from it: counts or "
      "types of this collective differ between ranks",
      fault.source, fault.kind == Kind::too_long ? "more" : "less", fault.room);
  return fault.kind == Kind::too_long ? raise(&comm, MPI_ERR_TRUNCATE, text)
                                      : tolerate(comm, MPI_ERR_COUNT, text);
}

}  // namespace mpisim::mpi::collectives
