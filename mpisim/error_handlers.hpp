#pragma once
// What a program asks to happen when an MPI call fails.
#include <cstdint>

#include "mpisim/include/mpi.h"

namespace mpisim::mpi {

class Communicator;

struct ErrorHandler {
  enum class Kind : std::uint8_t { fatal, return_code, user };
  Kind kind = Kind::fatal;
  void (*function)(int*, int*, ...) = nullptr;  ///< the handler's first argument is the object's handle
  int handle = 0;
  std::uint32_t references = 1;  ///< the program's handle and every object that uses it
  bool freed = false;            ///< by the program
};

/// Acts on an error of a call on `communicator` (null: MPI_COMM_WORLD): true if the handler is
/// MPI_ERRORS_ARE_FATAL, and the caller must end the run. Otherwise a handler of the program has been called,
/// and the call is to return error_code.
bool error_is_fatal(Communicator* communicator, int error_code);

/// error_is_fatal as a number for raise(): -1 if the run must end, else the code to return.
int invoke_error_handler(Communicator* communicator, int error_code);

/// Standard text of an error class ("MPI_ERR_RANK: invalid rank").
const char* error_class_text(int error_class);

}  // namespace mpisim::mpi
