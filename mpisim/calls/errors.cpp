// Error handlers, codes, classes and strings (MPI-3.1 sections 8.3 to 8.5).
#include <cstring>

#include "mpisim/arguments.hpp"
#include "mpisim/error_handlers.hpp"
#include "mpisim/rank_state.hpp"

using namespace mpisim::mpi;

namespace {

int create_handler(MPI_Comm_errhandler_function* function, MPI_Errhandler* errhandler) {
  MPISIM_REQUIRE_POINTER(function, nullptr);
  MPISIM_REQUIRE_POINTER(errhandler, nullptr);
  auto* handler = new ErrorHandler{ErrorHandler::Kind::user, function};
  *errhandler = handler->handle = handles().error_handlers.add(handler);
  return MPI_SUCCESS;
}

/// Looks up a handler that the program has not freed.
#define MPISIM_ERROR_HANDLER(variable, argument)                               \
  ErrorHandler* variable = handles().error_handler(argument);                  \
  MPISIM_REQUIRE((variable) && !(variable)->freed, nullptr, MPI_ERR_ARG, "{}", \
                 bad_handle(#argument, HandleKind::error_handler, argument))

int set_handler(MPI_Comm comm, MPI_Errhandler errhandler) {
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_ERROR_HANDLER(handler, errhandler);
  handles().set_error_handler(*communicator, errhandler);
  return MPI_SUCCESS;
}

int get_handler(MPI_Comm comm, MPI_Errhandler* errhandler) {
  MPISIM_COMMUNICATOR(communicator, comm);
  MPISIM_REQUIRE_POINTER(errhandler, communicator);
  *errhandler = communicator->error_handler;
  // The program owns the handle that it gets, and may free it (section 8.3).
  if (ErrorHandler* handler = handles().error_handlers.find(*errhandler)) {
    ++handler->references;
    handler->freed = false;
  }
  return MPI_SUCCESS;
}

}  // namespace

MPISIM_ENTRY(int, Comm_create_errhandler,
             (MPI_Comm_errhandler_function * function, MPI_Errhandler* errhandler)) {
  MPISIM_CALL(MPI_Comm_create_errhandler, local);
  return create_handler(function, errhandler);
}

MPISIM_ENTRY(int, Errhandler_create, (MPI_Handler_function * function, MPI_Errhandler* errhandler)) {
  MPISIM_CALL(MPI_Errhandler_create, local);
  return create_handler(function, errhandler);
}

MPISIM_ENTRY(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler errhandler)) {
  MPISIM_CALL(MPI_Comm_set_errhandler, local);
  return set_handler(comm, errhandler);
}

MPISIM_ENTRY(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler)) {
  MPISIM_CALL(MPI_Errhandler_set, local);
  return set_handler(comm, errhandler);
}

MPISIM_ENTRY(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* errhandler)) {
  MPISIM_CALL(MPI_Comm_get_errhandler, local);
  return get_handler(comm, errhandler);
}

MPISIM_ENTRY(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler* errhandler)) {
  MPISIM_CALL(MPI_Errhandler_get, local);
  return get_handler(comm, errhandler);
}

MPISIM_ENTRY(int, Errhandler_free, (MPI_Errhandler * errhandler)) {
  MPISIM_CALL(MPI_Errhandler_free, local);
  MPISIM_REQUIRE_POINTER(errhandler, nullptr);
  MPISIM_ERROR_HANDLER(handler, *errhandler);
  if (handler->kind == ErrorHandler::Kind::user) {
    handler->freed = true;
    handles().release_error_handler(*errhandler);
  }
  *errhandler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Comm_call_errhandler, (MPI_Comm comm, int errorcode)) {
  MPISIM_CALL(MPI_Comm_call_errhandler, local);
  MPISIM_COMMUNICATOR(communicator, comm);
  const ErrorCodes& codes = handles().state().errors;
  const bool known = codes.known(errorcode);
  raise(communicator, errorcode,
        fmt::format("the program reports {}", known ? codes.text_of(errorcode) : std::to_string(errorcode)));
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Error_class, (int errorcode, int* errorclass)) {
  MPISIM_CALL(MPI_Error_class, local);
  MPISIM_REQUIRE_POINTER(errorclass, nullptr);
  const ErrorCodes& codes = handles().state().errors;
  MPISIM_REQUIRE(codes.known(errorcode), nullptr, MPI_ERR_ARG, "errorcode {} is unknown", errorcode);
  *errorclass = codes.class_of(errorcode);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Error_string, (int errorcode, char* string, int* resultlen)) {
  MPISIM_CALL(MPI_Error_string, local);
  MPISIM_REQUIRE_POINTER(string, nullptr);
  MPISIM_REQUIRE_POINTER(resultlen, nullptr);
  const ErrorCodes& codes = handles().state().errors;
  MPISIM_REQUIRE(codes.known(errorcode), nullptr, MPI_ERR_ARG, "errorcode {} is unknown", errorcode);
  const std::string text = codes.text_of(errorcode);
  std::memcpy(string, text.c_str(), text.size() + 1);
  *resultlen = static_cast<int>(text.size());
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Add_error_class, (int* errorclass)) {
  MPISIM_CALL(MPI_Add_error_class, local);
  MPISIM_REQUIRE_POINTER(errorclass, nullptr);
  *errorclass = handles().state().errors.add_class();
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Add_error_code, (int errorclass, int* errorcode)) {
  MPISIM_CALL(MPI_Add_error_code, local);
  MPISIM_REQUIRE_POINTER(errorcode, nullptr);
  MPISIM_REQUIRE(handles().state().errors.is_class(errorclass), nullptr, MPI_ERR_ARG,
                 "errorclass {} is no error class", errorclass);
  *errorcode = handles().state().errors.add_code(errorclass);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Add_error_string, (int errorcode, const char* string)) {
  MPISIM_CALL(MPI_Add_error_string, local);
  MPISIM_REQUIRE_POINTER(string, nullptr);
  const std::string text(string, strnlen(string, MPI_MAX_ERROR_STRING - 1));
  MPISIM_REQUIRE(handles().state().errors.set_text(errorcode, text), nullptr, MPI_ERR_ARG,
                 "errorcode {} was not added by the program", errorcode);
  return MPI_SUCCESS;
}
