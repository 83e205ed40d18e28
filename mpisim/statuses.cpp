#include "mpisim/statuses.hpp"

#include <fmt/format.h>

#include "mpisim/errors.hpp"

namespace mpisim::mpi {

void set_status(MPI_Status* status, const core::Status& from) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = from.source;
  status->MPI_TAG = from.tag;
  status->mpisim_count = static_cast<MPI_Count>(from.bytes);
  status->mpisim_cancelled = from.cancelled ? 1 : 0;
}

core::Status empty_status() {
  core::Status status;
  status.source = MPI_ANY_SOURCE;
  status.tag = MPI_ANY_TAG;
  return status;
}

std::string describe_error(const core::Status& received, std::uint64_t room) {
  return fmt::format("the message from rank {} with tag {} is longer than the receive buffer of {} bytes",
                     received.source, received.tag, room);
}

std::string describe_error(const Request& request) {
  return describe_error(request.status, request.bytes);
}

int finish_receive(Communicator* comm, const core::Status& received, std::uint64_t room, MPI_Status* status) {
  set_status(status, received);
  if (received.error == MPI_SUCCESS) return MPI_SUCCESS;
  return raise(comm, received.error, describe_error(received, room));
}

int finish_receive(const Request& request, MPI_Status* status) {
  return finish_receive(request.communicator, request.status, request.bytes, status);
}

}  // namespace mpisim::mpi
