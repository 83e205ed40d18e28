#pragma once
// MPI errors: raised through the error handler of the communicator, fatal ones end the run with a report
// (exit 5).
#include <string>

namespace mpisim::mpi {

class Communicator;

/// Raises an MPI error class in the current call of the current rank. With MPI_ERRORS_RETURN returns the
/// class, with a user handler calls it and returns the class; with MPI_ERRORS_ARE_FATAL (the default) reports
/// rank, simulated time, call, source line and `message` on stderr and ends the simulation; then it does not
/// return. comm: null means MPI_COMM_WORLD's handler.
int raise(Communicator* comm, int error_class, const std::string& message);

/// Something that is always fatal: misuse after which nothing sensible can be done.
[[noreturn]] void fatal(int error_class, const std::string& message);

/// A warning on stderr that names the ranks, call and line; each text once per call site.
void warn(const std::string& message);

}  // namespace mpisim::mpi
