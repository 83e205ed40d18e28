// Error handlers of files (MPI-3.1 sections 8.3.3 and 13.7).
#include "mpisim/error_handlers.hpp"
#include "mpisim/rank_state.hpp"
#include "piosim/arguments.hpp"
#include "piosim/state.hpp"

using namespace mpisim::mpi;
using namespace mpisim::pio;

MPISIM_ENTRY(int, File_create_errhandler,
             (MPI_File_errhandler_function * function, MPI_Errhandler* errhandler)) {
  MPISIM_CALL(MPI_File_create_errhandler, local);
  MPISIM_FILE_POINTER(function, nullptr);
  MPISIM_FILE_POINTER(errhandler, nullptr);
  auto* handler = new ErrorHandler{ErrorHandler::Kind::user, function};
  *errhandler = handler->handle = handles().error_handlers.add(handler);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_set_errhandler, (MPI_File file, MPI_Errhandler errhandler)) {
  MPISIM_CALL(MPI_File_set_errhandler, local);
  const ErrorHandler* handler = handles().error_handler(errhandler);
  MPISIM_FILE_REQUIRE(handler && !handler->freed, nullptr, MPI_ERR_ARG, "{}",
                      bad_handle("errhandler", HandleKind::error_handler, errhandler));
  if (file != MPI_FILE_NULL) {
    MPISIM_FILE(object, file);
    object->set_error_handler(errhandler);
    return MPI_SUCCESS;
  }
  MPI_Errhandler& standard = rank_io().default_error_handler;
  if (ErrorHandler* counted = handles().error_handlers.find(errhandler)) ++counted->references;
  handles().release_error_handler(standard);
  standard = errhandler;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_get_errhandler, (MPI_File file, MPI_Errhandler* errhandler)) {
  MPISIM_CALL(MPI_File_get_errhandler, local);
  MPISIM_FILE_POINTER(errhandler, nullptr);
  if (file == MPI_FILE_NULL) {
    *errhandler = rank_io().default_error_handler;
  } else {
    MPISIM_FILE(object, file);
    *errhandler = object->error_handler;
  }
  // The program owns the handle that it gets, and may free it (section 8.3).
  if (ErrorHandler* handler = handles().error_handlers.find(*errhandler)) {
    ++handler->references;
    handler->freed = false;
  }
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, File_call_errhandler, (MPI_File fh, int errorcode)) {
  MPISIM_CALL(MPI_File_call_errhandler, local);
  MPISIM_FILE(file, fh);
  const ErrorCodes& codes = handles().state().errors;
  const bool known = codes.known(errorcode);
  raise_error(
      file, errorcode,
      fmt::format("the program reports {}", known ? codes.text_of(errorcode) : std::to_string(errorcode)));
  return MPI_SUCCESS;
}
