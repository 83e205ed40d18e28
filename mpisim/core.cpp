#include "mpisim/core.hpp"

#include <utility>

#include "mpisim/rank.hpp"

namespace mpisim::mpi::core {

namespace {

Request* make(Request::Kind kind, Communicator& comm, Plane plane, const void* buffer, std::uint64_t count,
              const Datatype& type, int peer, int tag) {
  Request* request = current_rank().make_request(kind, comm, plane);
  request->buffer = const_cast<void*>(buffer);
  request->count = count;
  request->type = &type;
  type.retain();
  request->peer = peer;
  request->tag = tag;
  return request;
}

/// Receives inside a collective fit exactly; what does not is the program's error, which the entry point
/// raises.
void check_length(Rank& rank, int source, std::uint64_t expected, const Status& status) {
  if (status.error == MPI_SUCCESS && status.bytes == expected) return;
  if (source < 0 || rank.collective_fault.source >= 0) return;
  using Kind = CollectiveFault::Kind;
  const Kind kind = status.error == MPI_SUCCESS        ? Kind::too_short
                    : status.error == MPI_ERR_TRUNCATE ? Kind::too_long
                                                       : Kind::elsewhere;
  rank.collective_fault = {source, kind, expected};
}

void check_length(Rank& rank, const Request& request) {
  if (request.kind != Request::Kind::receive || request.plane != Plane::collective || request.size_only)
    return;
  check_length(rank, request.peer, request.bytes, request.status);
}

void check_length(Rank& rank, const MessageSide& in, const Status& status) {
  if (in.plane == Plane::collective) check_length(rank, in.peer, in.bytes(), status);
}

}  // namespace

Request* isend(Communicator& comm, Plane plane, SendMode mode, const void* buffer, std::uint64_t count,
               const Datatype& type, int destination, int tag) {
  Request* request = make(Request::Kind::send, comm, plane, buffer, count, type, destination, tag);
  request->mode = mode;
  current_rank().start(*request);
  return request;
}

Request* irecv(Communicator& comm, Plane plane, void* buffer, std::uint64_t count, const Datatype& type,
               int source, int tag) {
  Request* request = make(Request::Kind::receive, comm, plane, buffer, count, type, source, tag);
  current_rank().start(*request);
  return request;
}

Request* begin_send(Communicator& comm, Plane plane, const void* buffer, std::uint64_t count,
                    const Datatype& type, int destination, int tag) {
  if (current_rank().send_at_once({comm, plane, const_cast<void*>(buffer), count, type, destination, tag}))
    return nullptr;
  return isend(comm, plane, SendMode::standard, buffer, count, type, destination, tag);
}

Request* isend_size_only(Communicator& comm, std::uint64_t bytes, int destination, int tag) {
  Request* request =
      make(Request::Kind::send, comm, Plane::collective, nullptr, bytes, byte_type(), destination, tag);
  request->size_only = true;
  current_rank().start(*request);
  return request;
}

Request* irecv_size_only(Communicator& comm, std::uint64_t bytes, int source, int tag) {
  Request* request =
      make(Request::Kind::receive, comm, Plane::collective, nullptr, bytes, byte_type(), source, tag);
  request->size_only = true;
  current_rank().start(*request);
  return request;
}

void wait(Request* request, Status* status) {
  Rank& rank = current_rank();
  rank.complete_all({&request, 1});
  if (status != nullptr) *status = request->status;
  check_length(rank, *request);
  rank.free_request(request);
}

void wait_all(std::span<Request* const> requests) {
  Rank& rank = current_rank();
  rank.complete_all(requests);
  for (Request* request : requests) {
    check_length(rank, *request);
    rank.free_request(request);
  }
}

void send(Communicator& comm, Plane plane, const void* buffer, std::uint64_t count, const Datatype& type,
          int destination, int tag) {
  current_rank().send({comm, plane, const_cast<void*>(buffer), count, type, destination, tag});
}

void recv(Communicator& comm, Plane plane, void* buffer, std::uint64_t count, const Datatype& type,
          int source, int tag, Status* status) {
  Rank& rank = current_rank();
  const MessageSide in{comm, plane, buffer, count, type, source, tag};
  const Status received = rank.receive(in);
  if (status != nullptr) *status = received;
  check_length(rank, in, received);
}

void send_recv(Communicator& comm, Plane plane, const void* send_buffer, std::uint64_t send_count,
               const Datatype& send_type, int destination, void* receive_buffer, std::uint64_t receive_count,
               const Datatype& receive_type, int source, int tag) {
  Rank& rank = current_rank();
  const MessageSide in{comm, plane, receive_buffer, receive_count, receive_type, source, tag};
  const Status received = rank.exchange(
      {comm, plane, const_cast<void*>(send_buffer), send_count, send_type, destination, tag}, in);
  check_length(rank, in, received);
}

void let_others_post() {
  current_rank().let_others_post();
}

void charge(kernel::SimTime duration) {
  current_rank().charge(duration);
}

void charge_copy(std::uint64_t bytes) {
  charge(config().receive_copy * kernel::Bytes(bytes));
}

void enter_collective(const char* name, std::uint16_t operation, int root) {
  current_rank().enter_collective(name, operation, root);
}

void detail_collective(int op, const Datatype& type) {
  current_rank().detail_collective(op, type);
}

CollectiveFault take_collective_fault() {
  return std::exchange(current_rank().collective_fault, CollectiveFault{});
}

std::uint32_t node_of(int world_rank) {
  return current_rank().world().node_of(world_rank);
}

const Config& config() {
  return current_rank().world().options().config;
}

int world_size() {
  return current_rank().world_size();
}

}  // namespace mpisim::mpi::core
