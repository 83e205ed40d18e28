// C entry points: sends, receives, persistent requests, buffers.
#include <fmt/format.h>

#include <vector>

#include "mpisim/checks.hpp"
#include "mpisim/entry.hpp"
#include "mpisim/rank.hpp"
#include "mpisim/statuses.hpp"

namespace mpisim::mpi {

namespace {

using core::Plane;
using core::SendMode;

MessageSide side(const Arguments& arguments, const void* buffer, int count, int peer, int tag) {
  return {*arguments.comm,
          Plane::user,
          const_cast<void*>(buffer),
          static_cast<std::uint64_t>(count),
          *arguments.type,
          peer,
          tag};
}

/// Bytes of an attached buffer that one buffered message takes beyond its data.
constexpr std::uint64_t buffered_overhead = MPI_BSEND_OVERHEAD;

Request* fill(Rank& rank, Request::Kind kind, SendMode mode, const Arguments& arguments, const void* buffer,
              int count, int peer, int tag) {
  Request* request = rank.make_request(kind, *arguments.comm, Plane::user);
  request->mode = mode;
  request->buffer = const_cast<void*>(buffer);
  request->count = static_cast<std::uint64_t>(count);
  request->type = arguments.type;
  arguments.type->retain();
  request->peer = peer;
  request->tag = tag;
  return request;
}

/// A buffered send needs room in the attached buffer among the messages that have not left it by now.
int check_buffer_space(Rank& rank, Communicator* comm, std::uint64_t size, int destination) {
  if (destination == MPI_PROC_NULL) return MPI_SUCCESS;
  const std::uint64_t needed = size + buffered_overhead;
  if (!rank.attached) {
    return raise(comm, MPI_ERR_BUFFER, "no buffer is attached (MPI_Buffer_attach)");
  }
  auto& in_use = rank.attached->in_use;
  while (!in_use.empty() && in_use.front().first <= rank.now()) in_use.pop_front();
  std::uint64_t used = 0;
  for (const auto& [until, bytes] : in_use) used += bytes + buffered_overhead;
  if (used + needed <= rank.attached->size) return MPI_SUCCESS;
  return raise(comm, MPI_ERR_BUFFER,
               fmt::format("the attached buffer of {} bytes has {} in use; this message needs {}",
                           rank.attached->size, used, needed));
}

int send_blocking(Rank& rank, SendMode mode, const void* buffer, int count, MPI_Datatype type,
                  int destination, int tag, MPI_Comm comm) {
  const Arguments arguments = check_message(comm, buffer, count, type, destination, tag, Direction::send);
  if (arguments.error != MPI_SUCCESS) return arguments.error;
  if (mode == SendMode::buffered) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(count) * arguments.type->size();
    if (const int error = check_buffer_space(rank, arguments.comm, bytes, destination)) return error;
  }
  Request* request = fill(rank, Request::Kind::send, mode, arguments, buffer, count, destination, tag);
  rank.start(*request);
  core::wait(request);
  return MPI_SUCCESS;
}

int send_nonblocking(Rank& rank, SendMode mode, const void* buffer, int count, MPI_Datatype type,
                     int destination, int tag, MPI_Comm comm, MPI_Request* out) {
  const Arguments arguments = check_message(comm, buffer, count, type, destination, tag, Direction::send);
  if (arguments.error != MPI_SUCCESS) return arguments.error;
  if (mode == SendMode::buffered) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(count) * arguments.type->size();
    if (const int error = check_buffer_space(rank, arguments.comm, bytes, destination)) return error;
  }
  Request* request = fill(rank, Request::Kind::send, mode, arguments, buffer, count, destination, tag);
  request->handle = *out = rank.handles().add_request(request);
  rank.start(*request);
  return MPI_SUCCESS;
}

int send_persistent(Rank& rank, SendMode mode, const void* buffer, int count, MPI_Datatype type,
                    int destination, int tag, MPI_Comm comm, MPI_Request* out) {
  const Arguments arguments = check_message(comm, buffer, count, type, destination, tag, Direction::send);
  if (arguments.error != MPI_SUCCESS) return arguments.error;
  Request* request = fill(rank, Request::Kind::send, mode, arguments, buffer, count, destination, tag);
  request->persistent = true;
  request->handle = *out = rank.handles().add_request(request);
  return MPI_SUCCESS;
}

/// check_message() for the receiving side of an exchange: most name the communicator and the type of the
/// sending side, which are known to be good.
Arguments check_incoming(const Arguments& outgoing, MPI_Datatype outgoing_type, MPI_Comm comm,
                         const void* buffer, int count, MPI_Datatype type, int source, int tag) {
  const bool usual = type == outgoing_type && source >= 0 && source < outgoing.comm->peers().size() &&
                     tag >= 0 && count >= 0 && buffer != nullptr;
  if (usual) [[likely]]
    return outgoing;
  return check_message(comm, buffer, count, type, source, tag, Direction::receive);
}

/// MPI_Sendrecv_replace receives into `buffer` what is sent from a packed copy of it.
int exchange_in_place(Rank& rank, const Arguments& arguments, void* buffer, int count, int destination,
                      int send_tag, int source, int receive_tag, MPI_Status* status) {
  const std::uint64_t bytes = static_cast<std::uint64_t>(count) * arguments.type->size();
  std::vector<std::byte> outgoing(bytes);
  arguments.type->pack(buffer, static_cast<std::uint64_t>(count), 0, bytes, outgoing.data());
  Request* receive =
      fill(rank, Request::Kind::receive, SendMode::standard, arguments, buffer, count, source, receive_tag);
  rank.start(*receive);
  Request* send = core::isend(*arguments.comm, Plane::user, SendMode::standard, outgoing.data(), bytes,
                              byte_type(), destination, send_tag);
  Request* const both[] = {receive, send};
  rank.complete_all(both);
  const int error = finish_receive(*receive, status);
  rank.free_request(receive);
  rank.free_request(send);
  return error;
}

int start_persistent(Rank& rank, MPI_Request handle) {
  Request* request = rank.handles().request(handle);
  if (request == nullptr || !request->persistent) {
    return raise(nullptr, MPI_ERR_REQUEST,
                 "MPI_Start needs a request made by MPI_Send_init, MPI_Recv_init and the like");
  }
  if (request->active)
    return raise(request->communicator, MPI_ERR_REQUEST, "the persistent request is active already");
  if (request->kind == Request::Kind::send && request->mode == SendMode::buffered) {
    const std::uint64_t bytes = request->count * request->type->size();
    if (const int error = check_buffer_space(rank, request->communicator, bytes, request->peer)) return error;
  }
  rank.start(*request);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace mpisim::mpi

using namespace mpisim::mpi;

#define MPISIM_SEND_CALLS(letter, mode)                                                                    \
  MPISIM_ENTRY(                                                                                            \
      int, letter##send,                                                                                   \
      (const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm)) {       \
    MPISIM_CALL(MPI_##letter##send, point_to_point);                                                       \
    return send_blocking(call.rank(), core::SendMode::mode, buffer, count, type, destination, tag, comm);  \
  }                                                                                                        \
  MPISIM_ENTRY(int, letter##send_init,                                                                     \
               (const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm, \
                MPI_Request* request)) {                                                                   \
    MPISIM_CALL(MPI_##letter##send_init, local);                                                           \
    return send_persistent(call.rank(), core::SendMode::mode, buffer, count, type, destination, tag, comm, \
                           request);                                                                       \
  }

#define MPISIM_ISEND_CALL(name, mode)                                                                       \
  MPISIM_ENTRY(int, name,                                                                                   \
               (const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm,  \
                MPI_Request* request)) {                                                                    \
    MPISIM_CALL(MPI_##name, point_to_point);                                                                \
    return send_nonblocking(call.rank(), core::SendMode::mode, buffer, count, type, destination, tag, comm, \
                            request);                                                                       \
  }

MPISIM_SEND_CALLS(B, buffered)
MPISIM_SEND_CALLS(S, synchronous)
MPISIM_SEND_CALLS(R, ready)
MPISIM_ISEND_CALL(Isend, standard)
MPISIM_ISEND_CALL(Ibsend, buffered)
MPISIM_ISEND_CALL(Issend, synchronous)
MPISIM_ISEND_CALL(Irsend, ready)

MPISIM_ENTRY(int, Send,
             (const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm)) {
  MPISIM_CALL(MPI_Send, point_to_point);
  const Arguments arguments = check_message(comm, buffer, count, type, destination, tag, Direction::send);
  if (arguments.error != MPI_SUCCESS) return arguments.error;
  call.rank().send(side(arguments, buffer, count, destination, tag));
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Send_init,
             (const void* buffer, int count, MPI_Datatype type, int destination, int tag, MPI_Comm comm,
              MPI_Request* request)) {
  MPISIM_CALL(MPI_Send_init, local);
  return send_persistent(call.rank(), core::SendMode::standard, buffer, count, type, destination, tag, comm,
                         request);
}

MPISIM_ENTRY(int, Recv,
             (void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Status* status)) {
  MPISIM_CALL(MPI_Recv, point_to_point);
  const Arguments arguments = check_message(comm, buffer, count, type, source, tag, Direction::receive);
  if (arguments.error != MPI_SUCCESS) return arguments.error;
  const MessageSide in = side(arguments, buffer, count, source, tag);
  return finish_receive(arguments.comm, call.rank().receive(in), in.bytes(), status);
}

MPISIM_ENTRY(int, Irecv,
             (void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* out)) {
  MPISIM_CALL(MPI_Irecv, point_to_point);
  const Arguments arguments = check_message(comm, buffer, count, type, source, tag, Direction::receive);
  if (arguments.error != MPI_SUCCESS) return arguments.error;
  Rank& rank = call.rank();
  Request* request =
      fill(rank, Request::Kind::receive, core::SendMode::standard, arguments, buffer, count, source, tag);
  request->handle = *out = rank.handles().add_request(request);
  rank.start(*request);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Recv_init,
             (void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* out)) {
  MPISIM_CALL(MPI_Recv_init, local);
  const Arguments arguments = check_message(comm, buffer, count, type, source, tag, Direction::receive);
  if (arguments.error != MPI_SUCCESS) return arguments.error;
  Rank& rank = call.rank();
  Request* request =
      fill(rank, Request::Kind::receive, core::SendMode::standard, arguments, buffer, count, source, tag);
  request->persistent = true;
  request->handle = *out = rank.handles().add_request(request);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Sendrecv,
             (const void* send_buffer, int send_count, MPI_Datatype send_type, int destination, int send_tag,
              void* receive_buffer, int receive_count, MPI_Datatype receive_type, int source, int receive_tag,
              MPI_Comm comm, MPI_Status* status)) {
  MPISIM_CALL(MPI_Sendrecv, point_to_point);
  const Arguments outgoing =
      check_message(comm, send_buffer, send_count, send_type, destination, send_tag, Direction::send);
  if (outgoing.error != MPI_SUCCESS) return outgoing.error;
  const Arguments incoming = check_incoming(outgoing, send_type, comm, receive_buffer, receive_count,
                                            receive_type, source, receive_tag);
  if (incoming.error != MPI_SUCCESS) return incoming.error;
  const MessageSide out = side(outgoing, send_buffer, send_count, destination, send_tag);
  const MessageSide in = side(incoming, receive_buffer, receive_count, source, receive_tag);
  return finish_receive(incoming.comm, call.rank().exchange(out, in), in.bytes(), status);
}

MPISIM_ENTRY(int, Sendrecv_replace,
             (void* buffer, int count, MPI_Datatype type, int destination, int send_tag, int source,
              int receive_tag, MPI_Comm comm, MPI_Status* status)) {
  MPISIM_CALL(MPI_Sendrecv_replace, point_to_point);
  const Arguments outgoing = check_message(comm, buffer, count, type, destination, send_tag, Direction::send);
  if (outgoing.error != MPI_SUCCESS) return outgoing.error;
  const Arguments incoming = check_envelope(comm, source, receive_tag, Direction::receive);
  if (incoming.error != MPI_SUCCESS) return incoming.error;
  return exchange_in_place(call.rank(), outgoing, buffer, count, destination, send_tag, source, receive_tag,
                           status);
}

MPISIM_ENTRY(int, Start, (MPI_Request * request)) {
  MPISIM_CALL(MPI_Start, point_to_point);
  return start_persistent(call.rank(), *request);
}

MPISIM_ENTRY(int, Startall, (int count, MPI_Request* requests)) {
  MPISIM_CALL(MPI_Startall, point_to_point);
  for (int i = 0; i < count; ++i) {
    if (const int error = start_persistent(call.rank(), requests[i])) return error;
  }
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Buffer_attach, (void* buffer, int size)) {
  MPISIM_CALL(MPI_Buffer_attach, local);
  if (size < 0) return raise(nullptr, MPI_ERR_BUFFER, fmt::format("size {} is negative", size));
  if (call.rank().attached) return raise(nullptr, MPI_ERR_BUFFER, "a buffer is attached already");
  call.rank().attached = std::make_unique<Rank::AttachedBuffer>();
  call.rank().attached->address = buffer;
  call.rank().attached->size = static_cast<std::uint64_t>(size);
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Buffer_detach, (void* buffer_address, int* size)) {
  MPISIM_CALL(MPI_Buffer_detach, point_to_point);
  Rank& rank = call.rank();
  if (!rank.attached) return raise(nullptr, MPI_ERR_BUFFER, "no buffer is attached");
  // Returns when the last message has left the buffer.
  for (const auto& [until, bytes] : rank.attached->in_use) {
    if (until > rank.now()) rank.charge(until - rank.now());
  }
  *static_cast<void**>(buffer_address) = rank.attached->address;
  *size = static_cast<int>(rank.attached->size);
  rank.attached.reset();
  return MPI_SUCCESS;
}
