// Blocking sends and receives. Most of them are over as soon as they are called: an eager message leaves at
// once, and what a receive asks for is often here. These need no request; all others are requests that are
// started and waited for. Both ways charge the same.
#include <cstring>

#include "mpisim/rank.hpp"

namespace mpisim::mpi {

using kernel::SimTime;

Request* Rank::start_side(Request::Kind kind, const MessageSide& side, bool one_source) {
  Request* request = make_request(kind, side.communicator, side.plane);
  request->buffer = side.buffer;
  request->count = side.count;
  request->type = &side.type;
  side.type.retain();
  request->peer = side.peer;
  request->tag = side.tag;
  request->one_source = one_source;
  start(*request);
  return request;
}

/// The message that a receive posted now would take at once, if that is all there is to it: no answer, no
/// warning, no error.
[[gnu::always_inline]] inline Message* Rank::at_hand(const MessageSide& in) {
  if (in.peer < 0 || !rules().named_always_decided()) return nullptr;
  if (in_strand() && waits_for_calls()) return nullptr;
  MatchQueue& matching = queue(queue_context(in.communicator, in.plane));
  if (matching.undecided(rules())) return nullptr;
  Message* message = matching.at_hand(in.peer, in.tag);
  if (message == nullptr) return nullptr;
  const bool plain = message->transfer == Transfer::eager && !message->synchronous && !message->ready &&
                     !message->faulty && !message->size_only;
  if (!plain) return nullptr;
  const std::uint64_t room = in.bytes();
  if (room > 0 && !in.type.contiguous()) return nullptr;
  if (in.plane == core::Plane::user) return message->bytes <= room ? message : nullptr;
  const bool same_collective =
      message->operation == collective_operation_ && message->root == collective_root_;
  return same_collective && message->bytes == room ? message : nullptr;
}

/// The receive was posted at `posted`.
[[gnu::always_inline]] inline core::Status Rank::take_at_hand(const MessageSide& in, Message& message,
                                                              SimTime posted) {
  queue(message.context).take(message);
  if (message.bytes > 0) std::memcpy(in.buffer, message.payload, message.bytes);
  core::Status status;
  status.source = message.source;
  status.tag = message.tag;
  status.bytes = message.bytes;
  const SimTime completion = kernel::max(posted, message.arrival);
  charge_wait(completion);
  charge_receipt(world_.node_of(static_cast<int>(message.key.source)), message.bytes, true, completion);
  Message::dispose(&message);
  return status;
}

void Rank::send(const MessageSide& out) {
  if (send_at_once(out)) return;
  Request* const request = start_side(Request::Kind::send, out);
  complete_all({&request, 1});
  free_request(request);
}

core::Status Rank::receive(const MessageSide& in) {
  if (Message* message = at_hand(in)) return take_at_hand(in, *message, clock_);
  const bool one_source = in.peer == any_source && in.communicator.only_source(true) != any_source;
  Request* const request = start_side(Request::Kind::receive, in, one_source);
  complete_all({&request, 1});
  const core::Status status = request->status;
  free_request(request);
  return status;
}

core::Status Rank::exchange(const MessageSide& out, const MessageSide& in) {
  const SimTime posted = clock_;
  Message* message = at_hand(in);
  if (message != nullptr && send_at_once(out)) return take_at_hand(in, *message, posted);
  Request* const receive = start_side(Request::Kind::receive, in);
  if (send_at_once(out)) {
    complete_all({&receive, 1});
  } else {
    Request* const send = start_side(Request::Kind::send, out);
    Request* const both[] = {receive, send};
    complete_all(both);
    free_request(send);
  }
  const core::Status status = receive->status;
  free_request(receive);
  return status;
}

}  // namespace mpisim::mpi
