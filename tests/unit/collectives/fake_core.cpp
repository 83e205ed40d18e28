#include "fake_core.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "mpisim/errors.hpp"
#include "mpisim/handles.hpp"
#include "simkernel/fiber.hpp"

namespace mpisim::mpi {

/// One half of a message; both halves are done when they have met.
class Request {
 public:
  bool done = false;
  bool is_send = false;
  void* buffer = nullptr;
  std::uint64_t count = 0;
  const Datatype* type = nullptr;
  std::vector<std::byte> packed;  // eager sends: the data, taken when the send was posted
  std::uint64_t time = 0;         // one-port time at which this side is through
};

}  // namespace mpisim::mpi

namespace {

using mpisim::mpi::Communicator;
using mpisim::mpi::Datatype;
using mpisim::mpi::Request;

constexpr std::size_t stack_bytes = 1 << 20;

struct FakeRank {
  mpisim::kernel::Fiber fiber;
  std::exception_ptr failure;
  bool ended = false;
  std::uint64_t clock = 0;
  std::uint64_t send_port = 0;
  std::uint64_t receive_port = 0;
};

// context, source, destination, tag
using Channel = std::tuple<std::uint64_t, int, int, int>;
struct Queues {
  std::deque<std::shared_ptr<Request>> sends;
  std::deque<std::shared_ptr<Request>> receives;
};

struct World {
  std::vector<std::unique_ptr<FakeRank>> ranks;
  std::map<Channel, Queues> channels;
  std::map<Request*, std::shared_ptr<Request>> owned;
  int running = 0;
  bool progress = false;
  fake::Sends sends = fake::Sends::rendezvous;
  fake::Counts counts;
  const std::function<void(Communicator&)>* body = nullptr;
  std::shared_ptr<const mpisim::mpi::CommunicatorShared> shared;
};

World* world = nullptr;

FakeRank& self() {
  return *world->ranks[static_cast<std::size_t>(world->running)];
}

void rank_main(void*) {
  FakeRank& me = self();
  auto* comm = new Communicator(world->shared, world->running);
  try {
    (*world->body)(*comm);
  } catch (...) {
    me.failure = std::current_exception();
  }
  comm->release();
  me.ended = true;
  world->progress = true;
  me.fiber.suspend(true);
}

void meet(Queues& queues) {
  while (!queues.sends.empty() && !queues.receives.empty()) {
    Request& send = *queues.sends.front();
    Request& receive = *queues.receives.front();
    const std::uint64_t bytes = send.count * send.type->size();
    if (bytes > receive.count * receive.type->size()) throw std::runtime_error("message truncated");
    if (bytes > 0) {
      if (send.packed.empty()) {
        send.packed.resize(bytes);
        send.type->pack(send.buffer, send.count, 0, bytes, send.packed.data());
      }
      receive.type->unpack(receive.buffer, receive.count, 0, bytes, send.packed.data());
    }
    receive.time = std::max(send.time, receive.time);
    send.done = receive.done = true;
    world->progress = true;
    queues.sends.pop_front();
    queues.receives.pop_front();
  }
}

Request* post(Communicator& comm, const Request& description, int peer, int tag) {
  auto request = std::make_shared<Request>(description);
  const int me = comm.shared().local->world_rank(comm.rank());
  const int other = comm.peers().world_rank(peer);
  const bool send = request->is_send;
  if (send) {
    ++world->counts.messages;
    world->counts.bytes += request->count * request->type->size();
    FakeRank& state = self();
    state.send_port = std::max(state.send_port, state.clock) + 1;
    request->time = state.send_port;
    if (world->sends == fake::Sends::eager && request->count * request->type->size() > 0) {
      request->packed.resize(request->count * request->type->size());
      request->type->pack(request->buffer, request->count, 0, request->packed.size(), request->packed.data());
    }
  }
  Queues& queues = world->channels[{comm.context(), send ? me : other, send ? other : me, tag}];
  (send ? queues.sends : queues.receives).push_back(request);
  world->owned[request.get()] = request;
  meet(queues);
  return request.get();
}

std::unique_ptr<FakeRank> make_rank(const mpisim::kernel::Stack& stack) {
  auto state = std::make_unique<FakeRank>();
  state->fiber.prepare(stack, rank_main, nullptr);
  return state;
}

}  // namespace

namespace fake {

mpisim::mpi::Config& config() {
  static mpisim::mpi::Config instance;
  instance.reduce_cost = mpisim::kernel::ByteTime::femtoseconds(1000);
  return instance;
}

Counts run(int ranks, const std::function<void(Communicator&)>& body, Sends sends) {
  World instance;
  world = &instance;
  instance.sends = sends;
  instance.body = &body;
  instance.shared = mpisim::mpi::make_world(ranks);
  mpisim::kernel::StackArena stacks(static_cast<std::size_t>(ranks), stack_bytes);
  for (int rank = 0; rank < ranks; ++rank)
    instance.ranks.push_back(make_rank(stacks.stack(static_cast<std::size_t>(rank))));
  bool all_ended = false;
  do {
    instance.progress = false;
    all_ended = true;
    for (int rank = 0; rank < ranks; ++rank) {
      FakeRank& state = *instance.ranks[static_cast<std::size_t>(rank)];
      if (state.ended) continue;
      instance.running = rank;
      state.fiber.resume();
      if (state.failure) std::rethrow_exception(state.failure);
      all_ended = all_ended && state.ended;
    }
    if (!instance.progress && !all_ended) throw std::runtime_error("deadlock");
  } while (!all_ended);
  for (const auto& [channel, queues] : instance.channels)
    if (!queues.sends.empty() || !queues.receives.empty()) throw std::runtime_error("message left over");
  for (const auto& state : instance.ranks)
    instance.counts.rounds = std::max({instance.counts.rounds, state->clock, state->send_port});
  world = nullptr;
  return instance.counts;
}

}  // namespace fake

namespace mpisim::mpi {

void fatal(int, const std::string& message) {
  throw std::runtime_error(message);
}
int raise(Communicator*, int, const std::string& message) {
  throw std::runtime_error(message);
}
RankHandles& handles() {
  throw std::logic_error("there are no handles here");
}

namespace core {

const Config& config() {
  return fake::config();
}

Request* isend(Communicator& comm, Plane, SendMode, const void* buffer, std::uint64_t count,
               const Datatype& type, int destination, int tag) {
  Request request;
  request.is_send = true;
  request.buffer = const_cast<void*>(buffer);
  request.count = count;
  request.type = &type;
  return post(comm, request, destination, tag);
}

Request* begin_send(Communicator& comm, Plane plane, const void* buffer, std::uint64_t count,
                    const Datatype& type, int destination, int tag) {
  return isend(comm, plane, SendMode::standard, buffer, count, type, destination, tag);
}

Request* irecv(Communicator& comm, Plane, void* buffer, std::uint64_t count, const Datatype& type, int source,
               int tag) {
  Request request;
  request.buffer = buffer;
  request.count = count;
  request.type = &type;
  return post(comm, request, source, tag);
}

void wait(Request* request, Status*) {
  const bool eager = world->sends == fake::Sends::eager && request->is_send;
  while (!request->done && !eager) self().fiber.suspend();
  FakeRank& state = self();
  if (!request->is_send) {
    state.receive_port = std::max(state.receive_port + 1, request->time);
    request->time = state.receive_port;
  }
  state.clock = std::max(state.clock, request->time);
  world->owned.erase(request);
}

void wait_all(std::span<Request* const> requests) {
  for (Request* request : requests) wait(request);
}

void send(Communicator& comm, Plane plane, const void* buffer, std::uint64_t count, const Datatype& type,
          int destination, int tag) {
  wait(isend(comm, plane, SendMode::standard, buffer, count, type, destination, tag));
}

void recv(Communicator& comm, Plane plane, void* buffer, std::uint64_t count, const Datatype& type,
          int source, int tag, Status*) {
  wait(irecv(comm, plane, buffer, count, type, source, tag));
}

void send_recv(Communicator& comm, Plane plane, const void* send_buffer, std::uint64_t send_count,
               const Datatype& send_type, int destination, void* receive_buffer, std::uint64_t receive_count,
               const Datatype& receive_type, int source, int tag) {
  Request* arriving = irecv(comm, plane, receive_buffer, receive_count, receive_type, source, tag);
  Request* leaving =
      isend(comm, plane, SendMode::standard, send_buffer, send_count, send_type, destination, tag);
  wait(arriving);
  wait(leaving);
}

void let_others_post() {}

void charge(kernel::SimTime duration) {
  world->counts.reduced_bytes += static_cast<std::uint64_t>(duration.ps());
}
void charge_copy(std::uint64_t) {}

}  // namespace core
}  // namespace mpisim::mpi
