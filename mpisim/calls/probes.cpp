// C entry points: probes and the receives of messages that they matched.
#include <fmt/format.h>

#include "mpisim/checks.hpp"
#include "mpisim/entry.hpp"
#include "mpisim/rank.hpp"
#include "mpisim/statuses.hpp"

namespace mpisim::mpi {
namespace {

core::Status status_of(const Message& message) {
  core::Status status;
  status.source = message.source;
  status.tag = message.tag;
  status.bytes = message.bytes;
  return status;
}

core::Status proc_null_status() {
  core::Status status;
  status.source = MPI_PROC_NULL;
  status.tag = MPI_ANY_TAG;
  return status;
}

/// The communicator of a matched message; MPI_COMM_WORLD if the program has freed it.
Communicator* communicator_of(Rank& rank, const Message& message) {
  Communicator* found = rank.handles().communicator(MPI_COMM_WORLD);
  const auto consider = [&](int, Communicator* comm) {
    if (Rank::queue_context(*comm, core::Plane::user) == message.context) found = comm;
  };
  consider(MPI_COMM_SELF, rank.handles().communicator(MPI_COMM_SELF));
  if (Rank::queue_context(*found, core::Plane::user) != message.context)
    rank.handles().communicators.for_each(consider);
  return found;
}

/// Null if there was an error; it has been raised then.
Request* receive_message(Rank& rank, void* buffer, int count, MPI_Datatype type_handle, MPI_Message* handle,
                         int& error) {
  const auto fail = [&error](int error_class, const std::string& text) {
    error = raise(nullptr, error_class, text);
    return nullptr;
  };
  if (count < 0) return fail(MPI_ERR_COUNT, fmt::format("count {} is negative", count));
  const Datatype* type = rank.handles().datatype(type_handle);
  if (type == nullptr || !type->committed())
    return fail(MPI_ERR_TYPE, "the datatype is not committed, or no datatype");
  Message* message = nullptr;
  Communicator* comm = rank.handles().communicator(MPI_COMM_WORLD);
  if (*handle != MPI_MESSAGE_NO_PROC) {
    message = rank.handles().message(*handle);
    if (message == nullptr) {
      return fail(MPI_ERR_REQUEST, fmt::format("{:#x} is no matched message (received before?)", *handle));
    }
    comm = communicator_of(rank, *message);
  }
  Request* request = rank.make_request(Request::Kind::receive, *comm, core::Plane::user);
  request->buffer = buffer;
  request->count = static_cast<std::uint64_t>(count);
  request->type = type;
  type->retain();
  if (message == nullptr) {
    request->peer = MPI_PROC_NULL;
    rank.start(*request);
  } else {
    rank.handles().remove_message(*handle);
    rank.start_matched(*request, *message);
  }
  *handle = MPI_MESSAGE_NULL;
  return request;
}

}  // namespace
}  // namespace mpisim::mpi

using namespace mpisim::mpi;

MPISIM_ENTRY(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status)) {
  MPISIM_CALL(MPI_Probe, point_to_point);
  const Arguments arguments = check_envelope(comm, source, tag, Direction::receive);
  if (arguments.error != MPI_SUCCESS) return arguments.error;
  set_status(status, source == MPI_PROC_NULL ? proc_null_status()
                                             : status_of(*call.rank().probe(*arguments.comm, source, tag)));
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status)) {
  MPISIM_CALL(MPI_Iprobe, point_to_point);
  const Arguments arguments = check_envelope(comm, source, tag, Direction::receive);
  if (arguments.error != MPI_SUCCESS) return arguments.error;
  if (source == MPI_PROC_NULL) {
    *flag = 1;
    set_status(status, proc_null_status());
    return MPI_SUCCESS;
  }
  const Message* message = call.rank().probe_now(*arguments.comm, source, tag);
  *flag = message != nullptr ? 1 : 0;
  if (message != nullptr) set_status(status, status_of(*message));
  return MPI_SUCCESS;
}

namespace {

void give_message(Rank& rank, Communicator& comm, Message* message, MPI_Message* handle, MPI_Status* status) {
  rank.queue(Rank::queue_context(comm, core::Plane::user)).take(*message);
  set_status(status, status_of(*message));
  *handle = rank.handles().add_message(message);
}

}  // namespace

MPISIM_ENTRY(int, Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message* handle, MPI_Status* status)) {
  MPISIM_CALL(MPI_Mprobe, point_to_point);
  const Arguments arguments = check_envelope(comm, source, tag, Direction::receive);
  if (arguments.error != MPI_SUCCESS) return arguments.error;
  if (source == MPI_PROC_NULL) {
    *handle = MPI_MESSAGE_NO_PROC;
    set_status(status, proc_null_status());
    return MPI_SUCCESS;
  }
  give_message(call.rank(), *arguments.comm, call.rank().probe(*arguments.comm, source, tag), handle, status);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Improbe,
             (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* handle, MPI_Status* status)) {
  MPISIM_CALL(MPI_Improbe, point_to_point);
  const Arguments arguments = check_envelope(comm, source, tag, Direction::receive);
  if (arguments.error != MPI_SUCCESS) return arguments.error;
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    *handle = MPI_MESSAGE_NO_PROC;
    set_status(status, proc_null_status());
    return MPI_SUCCESS;
  }
  Message* message = call.rank().probe_now(*arguments.comm, source, tag);
  if (message == nullptr) {
    *flag = 0;
    *handle = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
  }
  give_message(call.rank(), *arguments.comm, message, handle, status);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Mrecv,
             (void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Status* status)) {
  MPISIM_CALL(MPI_Mrecv, point_to_point);
  int error = MPI_SUCCESS;
  Request* request = receive_message(call.rank(), buffer, count, type, message, error);
  if (request == nullptr) return error;
  call.rank().complete_all({&request, 1});
  error = finish_receive(*request, status);
  call.rank().free_request(request);
  return error;
}

MPISIM_ENTRY(int, Imrecv,
             (void* buffer, int count, MPI_Datatype type, MPI_Message* message, MPI_Request* handle)) {
  MPISIM_CALL(MPI_Imrecv, point_to_point);
  int error = MPI_SUCCESS;
  Request* request = receive_message(call.rank(), buffer, count, type, message, error);
  if (request == nullptr) return error;
  request->handle = *handle = call.rank().handles().add_request(request);
  return MPI_SUCCESS;
}
