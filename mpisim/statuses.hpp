#pragma once
// From what the core knows of a completed operation to MPI_Status, and to the error that the call returns.
#include "mpisim/include/mpi.h"
#include "mpisim/rank.hpp"

namespace mpisim::mpi {

/// Fills `status` unless it is MPI_STATUS_IGNORE. MPI_ERROR is left alone, as MPI demands of calls on one
/// request.
void set_status(MPI_Status* status, const core::Status& from);

/// Status of a null or inactive request.
core::Status empty_status();

/// Fills the status of a completed receive into a buffer of `room` packed bytes and raises its error
/// (truncation) if it has one.
int finish_receive(Communicator* comm, const core::Status& received, std::uint64_t room, MPI_Status* status);
int finish_receive(const Request& request, MPI_Status* status);

/// What a failed operation tells in reports.
std::string describe_error(const core::Status& received, std::uint64_t room);
std::string describe_error(const Request& request);

}  // namespace mpisim::mpi
