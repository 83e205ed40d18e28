// Point-to-point transfers: eager, synchronous and rendezvous, from start to known completion.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "mpisim/collective_stamp.hpp"
#include "mpisim/errors.hpp"
#include "mpisim/pool.hpp"
#include "mpisim/rank.hpp"
#include "runtime/source_location.hpp"

namespace mpisim::mpi {

using kernel::Bytes;
using kernel::SimTime;

namespace {

[[gnu::tls_model("initial-exec")]] thread_local ObjectPool<Request, &Request::next_posted> requests;

const Request blank_request;

const std::byte* packed_bytes(Request& request) {
  if (request.bytes == 0 || request.size_only) return nullptr;
  if (request.type->contiguous()) return static_cast<const std::byte*>(request.buffer);
  auto* packed = static_cast<std::byte*>(std::malloc(request.bytes));
  if (packed == nullptr) throw std::bad_alloc();
  request.type->pack(request.buffer, request.count, 0, request.bytes, packed);
  request.packed_data = packed;
  request.packed = true;
  return packed;
}

}  // namespace

Request* Rank::make_request(Request::Kind kind, Communicator& comm, core::Plane plane) {
  Request* request = requests.make(blank_request);
  request->kind = kind;
  request->plane = plane;
  request->communicator = &comm;
  comm.retain();
  request->context = queue_context(comm, plane);
  return request;
}

void Rank::free_request(Request* request) {
  if (request->packed) std::free(request->packed_data);
  if (request->type != nullptr) request->type->release();
  if (request->communicator != nullptr) request->communicator->release();
  delete request->work;
  request->work = nullptr;
  request->type = nullptr;
  request->communicator = nullptr;
  request->packed = false;
  requests.free(request);
}

void Rank::release_request(Request* request) {
  if (!request->active) {
    free_request(request);
    return;
  }
  // Eager sends are complete; others are freed when their completion becomes known.
  if (request->known) {
    free_request(request);
    return;
  }
  request->released = true;
}

std::uint32_t Rank::add_slot(Request& request) {
  if (free_slots_.empty()) {
    slots_.push_back(&request);
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t index = free_slots_.back();
  free_slots_.pop_back();
  slots_[index] = &request;
  return index;
}

Request* Rank::take_slot(std::uint32_t index) {
  Request* request = slots_[index];
  slots_[index] = nullptr;
  free_slots_.push_back(index);
  return request;
}

void Rank::begin(Request& request) {
  request.active = true;
  ++unresolved_;
  request.known = false;
  request.cancelled = false;
  request.direct = false;
  request.paired = false;
  // Nobody cancels what a strand waits for.
  request.committed = in_strand();
  request.strand = in_strand() ? strands_->running : nullptr;
  request.eager = false;
  request.posted = clock_;
  request.call_site = call_site_;
  request.call_name = call_name_;
  if (request.packed) {
    std::free(request.packed_data);  // of the last start of a persistent request
    request.packed = false;
  }
  request.status = core::Status{};
  if (request.plane == core::Plane::collective) {
    request.operation = collective_operation_;
    request.root = collective_root_;
  }
  if (request.type != nullptr) request.bytes = request.count * request.type->size();
}

void Rank::start(Request& request) {
  begin(request);
  if (request.peer == proc_null) {
    request.status.source = proc_null;
    request.status.tag = any_tag;
    known(request, clock_);
    return;
  }
  if (request.kind == Request::Kind::send) {
    start_send(request);
  } else if (request.kind == Request::Kind::receive) {
    start_receive(request);
  }
}

/// The envelope of a message that is sent now, but for its way to the receiver.
[[gnu::always_inline]] inline Message* Rank::make_envelope(Communicator& comm, core::Plane plane, int peer,
                                                           int tag, std::uint64_t bytes) {
  clock_ += world_.options().config.send_overhead;
  if (bytes > 0) {
    ++result_.messages;
    result_.bytes += bytes;
  }
  Message* message = Message::make(MessageKind::envelope);
  message->context = queue_context(comm, plane);
  message->source = comm.rank();
  message->tag = tag;
  message->bytes = bytes;
  message->destination = static_cast<kernel::LpId>(comm.peers().world_rank(peer));
  if (plane == core::Plane::collective) {
    message->operation = collective_operation_;
    message->root = collective_root_;
  }
  message->faulty = collective_fault.source >= 0;
  if (peer == comm.rank()) comm.sent_to_self = true;
  return message;
}

/// Gives an eager message its times; returns when its last byte has left.
[[gnu::always_inline]] inline SimTime Rank::place_eager(Message& envelope) {
  const Bytes size(envelope.bytes);
  clock_ += world_.options().config.send_copy * size;
  const network::NodeId to = world_.node_of(static_cast<int>(envelope.destination));
  const network::Transit transit = world_.network().transit(node_, to, size, clock_, adapter_);
  envelope.key = next_key(transit.envelope);
  envelope.arrival = transit.arrival;
  return transit.sent;
}

bool Rank::send_at_once(const MessageSide& out) {
  if (out.peer == proc_null) return true;
  const std::uint64_t bytes = out.bytes();
  if (bytes > world_.options().config.eager_limit.count()) return false;
  if (bytes > 0 && !out.type.contiguous()) return false;
  Message* message = make_envelope(out.communicator, out.plane, out.peer, out.tag, bytes);
  if (bytes > 0) message->payload = static_cast<const std::byte*>(out.buffer);
  place_eager(*message);
  engine().send(message);
  let_receivers_run();
  return true;
}

void Rank::expect_answer(Request& request, Message& envelope) {
  envelope.sender_request = request.index = add_slot(request);
  request.post_sequence = envelope.key.sequence;
}

void Rank::start_send(Request& request) {
  const Config& config = world_.options().config;
  Message* message =
      make_envelope(*request.communicator, request.plane, request.peer, request.tag, request.bytes);
  message->size_only = request.size_only;
  message->ready = request.mode == core::SendMode::ready;

  const bool buffered = request.mode == core::SendMode::buffered;
  const bool synchronous = request.mode == core::SendMode::synchronous;
  if (buffered || request.bytes <= config.eager_limit.count()) {
    message->payload = packed_bytes(request);
    const SimTime sent = place_eager(*message);
    message->synchronous = synchronous;
    if (synchronous) expect_answer(request, *message);
    if (buffered && attached) attached->in_use.emplace_back(sent, request.bytes);
    if (!synchronous) known(request, clock_);
    engine().send(message);
    let_receivers_run();
    return;
  }
  message->transfer = Transfer::rendezvous;
  const network::NetworkModel& network = world_.network();
  const network::NodeId to = world_.node_of(static_cast<int>(message->destination));
  const network::Transit transit = network.transit(node_, to, config.control_size, clock_, adapter_);
  request.completion = network.reserve(node_, to, Bytes(request.bytes), clock_, adapter_);
  message->key = next_key(transit.envelope);
  message->arrival = transit.arrival;
  expect_answer(request, *message);
  if (engine().is_local(message->destination)) {
    message->payload = packed_bytes(request);
    message->local_sender = &request;
  }
  engine().send(message);
}

void Rank::start_matched(Request& request, Message& message) {
  begin(request);
  request.peer = message.source;
  request.tag = message.tag;
  receive_matched(request, message);
}

void Rank::start_receive(Request& request) {
  if (request.is_wildcard() && !request.one_source)
    request.one_source = request.communicator->only_source(false) != any_source;
  queue(request.context).post(request, decided_below(), rules(), *this);
}

void Rank::deliver(kernel::Event* event) {
  if (event->kind >= static_cast<std::uint16_t>(MessageKind::kinds)) {
    if (extension && extension->take(event)) return;
    if (strands_ && answer_strand(event)) return;
    answer_ = event;
    wake();
    return;
  }
  auto* message = static_cast<Message*>(event);
  switch (static_cast<MessageKind>(message->kind)) {
    case MessageKind::envelope: {
      // What will be answered at once lets the rank act earlier, also if nothing it waits for accepts it.
      const bool owed = message->transfer == Transfer::rendezvous || message->synchronous;
      if (owed) ++owed_;
      MatchQueue& matching = queue(message->context);
      if (TagPromises* promises = matching.promises()) [[unlikely]] {
        if (promises->note(message->tag, message->source, message->key.time))
          check_promise(*promises, message->tag);
      }
      matching.arrive(*message, decided_below(), rules(), *this);
      if ((owed || matching.undecided(rules())) && state() != State::running) horizon_changed();
      return;
    }
    case MessageKind::answer:
      on_answer(*message);
      return;
    case MessageKind::data:
      on_data(*message);
      return;
    case MessageKind::cancel:
      on_cancel(*message);
      return;
    case MessageKind::cancelled:
      on_cancelled(*message);
      return;
    case MessageKind::exchange:
    case MessageKind::livelock:
    case MessageKind::kinds:
      break;
  }
  Message::dispose(message);
}

void Rank::matched(Request& receive, Message& message) {
  if (receive.kind == Request::Kind::probe) {
    receive.matched = &message;
    known(receive, message.key.time);
    return;
  }
  receive_matched(receive, message);
}

/// Whether a message belongs to the collective that it is received by; ends the run if not.
bool Rank::fits_collective(const Request& receive, Message& message) {
  const int other = receive.communicator->peers().world_rank(message.source);
  const Agreement agreement =
      receive.root == message.root ? compare(receive.operation, message.operation) : Agreement::other_call;
  if (agreement == Agreement::other_data)
    world_.add_warning(
        world_rank(), "",
        fmt::format(" at {}: rank {} calls {} for {}, but this rank for {}",
                    runtime::describe(receive.call_site), other, collective_name(receive.operation),
                    kind_of_data(message.operation), kind_of_data(receive.operation)));
  if (agreement != Agreement::other_call) return true;
  end_world_at(
      kernel::max(receive.posted, message.key.time), End::misuse, 5,
      fmt::format("mismatched collectives on one communicator: rank {} is in {} ({}), rank {} in {}\n",
                  world_rank(), described_collective(receive.operation, receive.root),
                  runtime::describe(receive.call_site), other,
                  described_collective(message.operation, message.root)));
  Message::dispose(&message);
  return false;
}

void Rank::receive_matched(Request& receive, Message& message) {
  if (receive.operation != message.operation || receive.root != message.root) [[unlikely]] {
    if (!fits_collective(receive, message)) return;
  }
  const SimTime match_time = kernel::max(receive.posted, message.key.time);
  if (message.ready && receive.posted > message.key.time) {
    world_.add_warning(
        static_cast<int>(message.key.source), "",
        " sent in ready mode before the receive was posted, which is erroneous (MPI-3.1 section "
        "3.4)");
  }
  receive.paired = true;
  receive.sender_node = world_.node_of(static_cast<int>(message.key.source));
  receive.eager = message.transfer == Transfer::eager;
  receive.status.source = message.source;
  receive.status.tag = message.tag;
  receive.status.bytes = message.bytes;
  if (message.faulty) receive.status.error = MPI_ERR_OTHER;
  if (message.bytes > receive.bytes) {
    receive.status.error = MPI_ERR_TRUNCATE;
    receive.status.bytes = receive.bytes;
  }
  if (message.transfer == Transfer::eager) {
    store(receive, message);
    if (message.synchronous) answer(message, receive, match_time);
    known(receive, kernel::max(receive.posted, message.arrival));
    Message::dispose(&message);
    return;
  }
  if (message.local_sender != nullptr || message.owned) {
    store(receive, message);
    receive.direct = true;
  }
  receive.index = add_slot(receive);
  answer(message, receive, match_time);
  Message::dispose(&message);
}

void Rank::store(Request& receive, const Message& message) {
  if (receive.size_only || message.payload == nullptr) return;
  const std::uint64_t bytes = std::min(message.bytes, receive.bytes);
  if (bytes == 0) return;
  if (receive.type->contiguous()) {
    std::memcpy(receive.buffer, message.payload, bytes);
  } else {
    receive.type->unpack(receive.buffer, receive.count, 0, bytes, message.payload);
  }
}

void Rank::answer(const Message& envelope, Request& receive, SimTime at) {
  --owed_;
  Message* message = Message::make(MessageKind::answer);
  message->destination = envelope.key.source;
  message->sender_request = envelope.sender_request;
  message->receiver_request = receive.index;
  message->transfer = envelope.transfer;
  // Data that has been copied already needs not travel again.
  message->size_only = receive.direct || envelope.size_only;
  progress({at, message, &receive});
}

void Rank::on_answer(Message& message) {
  Request& request = *take_slot(message.sender_request);
  if (message.transfer == Transfer::eager) {
    known(request, message.key.time);
    Message::dispose(&message);
    return;
  }
  Message* data = Message::make(MessageKind::data);
  data->destination = message.key.source;
  data->bytes = request.bytes;
  data->receiver_request = message.receiver_request;
  data->size_only = message.size_only || request.size_only;
  if (!data->size_only) data->payload = request.packed ? request.packed_data : packed_bytes(request);
  const SimTime ready = message.key.time;
  Message::dispose(&message);
  progress({ready, data, &request});
}

void Rank::send_reaction(const Reaction& reaction, SimTime at) {
  if (reaction.strand != nullptr) {
    let_strand_go_on(*reaction.strand, at);
    return;
  }
  Message* message = reaction.message;
  const network::NodeId to = world_.node_of(static_cast<int>(message->destination));
  if (static_cast<MessageKind>(message->kind) != MessageKind::data) {
    const Bytes size = world_.options().config.control_size;
    message->key = {world_.network().bulk(node_, to, size, at, at).arrival, id(), next_sequence()};
    engine().send(message);
    return;
  }
  Request& request = *reaction.request;
  const network::Transit transit =
      world_.network().bulk(node_, to, Bytes(request.bytes), request.completion, at);
  message->key = {transit.envelope, id(), next_sequence()};
  message->arrival = transit.arrival;
  engine().send(message);
  known(request, transit.sent);
}

void Rank::on_data(Message& message) {
  Request& request = *take_slot(message.receiver_request);
  if (!request.direct) store(request, message);
  known(request, kernel::max(request.posted, message.arrival));
  Message::dispose(&message);
}

void Rank::known(Request& request, SimTime completion) {
  --unresolved_;
  request.known = true;
  request.completion = completion;
  if (request.released) {
    free_request(&request);
    return;
  }
  if (!request.awaited) return;
  request.awaited = false;
  if (request.strand != nullptr) [[unlikely]] {
    Strand& strand = *request.strand;
    strand.ready = kernel::max(strand.ready, completion);
    if (--strand.pending == 0) progress({strand.ready, nullptr, &strand.whole(), &strand});
    return;
  }
  if (waiting_ != Waiting::all && waiting_ != Waiting::any) return;
  if (--pending_ == 0) {
    wake();
  } else if (waiting_ == Waiting::any) {
    horizon_changed();
  }
}

void Rank::complete_generalized(Request& request) {
  known(request, clock_);
}

}  // namespace mpisim::mpi
