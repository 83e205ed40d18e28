#include "mpisim/arguments.hpp"

namespace mpisim::mpi {
namespace {

struct KindNames {
  const char* kind;
  const char* null_handle;
};

KindNames names_of(HandleKind kind) {
  switch (kind) {
    case HandleKind::communicator:
      return {"communicator", "MPI_COMM_NULL"};
    case HandleKind::datatype:
      return {"datatype", "MPI_DATATYPE_NULL"};
    case HandleKind::group:
      return {"group", "MPI_GROUP_NULL"};
    case HandleKind::operation:
      return {"reduction operation", "MPI_OP_NULL"};
    case HandleKind::request:
      return {"request", "MPI_REQUEST_NULL"};
    case HandleKind::info:
      return {"info object", "MPI_INFO_NULL"};
    case HandleKind::error_handler:
      return {"error handler", "MPI_ERRHANDLER_NULL"};
    case HandleKind::keyval:
      return {"attribute key", "MPI_KEYVAL_INVALID"};
    case HandleKind::message:
      return {"matched message", "MPI_MESSAGE_NULL"};
    case HandleKind::file:
      return {"file", "MPI_FILE_NULL"};
    case HandleKind::window:
      return {"window", "MPI_WIN_NULL"};
  }
  return {"object", "null"};
}

}  // namespace

std::string bad_handle(const char* argument, HandleKind kind, int handle) {
  const KindNames names = names_of(kind);
  if (handle == handle_bits::predefined(kind, 0)) return fmt::format("{} is {}", argument, names.null_handle);
  const unsigned other = handle_bits::kind_of(handle);
  if (other == static_cast<unsigned>(kind))
    return fmt::format("{} is no valid {} (freed?)", argument, names.kind);
  if (other >= static_cast<unsigned>(HandleKind::communicator) &&
      other <= static_cast<unsigned>(HandleKind::window))
    return fmt::format("{} is no {} but looks like a {}", argument, names.kind,
                       names_of(static_cast<HandleKind>(other)).kind);
  return fmt::format("{} is no {} (value {:#x}; not initialized?)", argument, names.kind,
                     static_cast<unsigned>(handle));
}

void too_many_handles(HandleKind kind) {
  fatal(MPI_ERR_OTHER, fmt::format("a rank cannot have more than {} live objects of the kind {}",
                                   handle_bits::max_index, names_of(kind).kind));
}

}  // namespace mpisim::mpi
