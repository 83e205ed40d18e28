// MPI_Cancel (MPI-3.1 section 3.8.4).
//
// A receive that has no message at present is taken back at once. An eager send is complete before it can be
// cancelled, so it goes through. A send whose match its rank waits for (synchronous or rendezvous) is taken
// back at the receiver: the sender tells it, and is told the outcome, by the answer that a match causes or by
// one that says "cancelled". The envelope and what cancels it meet in simulated time: a receive that is
// posted before the cancellation is there takes the message, one that comes later does not.
#include <algorithm>
#include <utility>

#include "mpisim/rank.hpp"

namespace mpisim::mpi {

using kernel::SimTime;

void Rank::cancel(Request& request) {
  if (request.peer == proc_null || !request.active) return;
  if (request.kind == Request::Kind::receive) cancel_receive(request);
  if (request.kind == Request::Kind::send) cancel_send(request);
}

void Rank::cancel_receive(Request& request) {
  ask_present();
  if (request.paired || request.known) return;
  queue(request.context).withdraw(request);
  request.cancelled = true;
  request.status.cancelled = true;
  known(request, clock_);
}

// The answer may be on its way: then what is sent here finds nothing to take back.
void Rank::cancel_send(const Request& request) {
  if (request.known) return;
  Message* message = Message::make(MessageKind::cancel);
  message->context = request.context;
  message->source = request.communicator->rank();
  message->bytes = request.post_sequence;
  message->sender_request = request.index;
  message->destination = static_cast<kernel::LpId>(request.communicator->peers().world_rank(request.peer));
  const network::NodeId to = world_.node_of(static_cast<int>(message->destination));
  const kernel::Bytes size = world_.options().config.control_size;
  message->key = next_key(world_.network().bulk(node_, to, size, clock_, clock_).arrival);
  engine().send(message);
}

void Rank::on_cancel(Message& message) {
  const Message* envelope = queue(message.context).with_sequence(message.source, message.bytes);
  if (envelope == nullptr) {
    Message::dispose(&message);
    return;
  }
  // The network may let it overtake the envelope.
  withdrawals_.push_back({kernel::max(message.key.time, envelope->key.time), &message});
  if (state() != State::running) horizon_changed();
}

std::vector<Rank::Withdrawal>::const_iterator Rank::first_withdrawal() const {
  return std::min_element(withdrawals_.begin(), withdrawals_.end(),
                          [](const Withdrawal& a, const Withdrawal& b) {
                            return std::pair(a.time, a.cancel->key) < std::pair(b.time, b.cancel->key);
                          });
}

SimTime Rank::next_withdrawal() const {
  return withdrawals_.empty() ? SimTime::infinity() : first_withdrawal()->time;
}

void Rank::withdraw_next() {
  const auto first = first_withdrawal();
  const auto [time, cancel] = *first;
  withdrawals_.erase(first);
  MatchQueue& matching = queue(cancel->context);
  if (Message* envelope = matching.with_sequence(cancel->source, cancel->bytes)) {
    matching.take(*envelope);
    --owed_;
    Message* answer = Message::make(MessageKind::cancelled);
    answer->destination = envelope->key.source;
    answer->sender_request = envelope->sender_request;
    progress({time, answer, nullptr});
    Message::dispose(envelope);
  }
  Message::dispose(cancel);
}

void Rank::on_cancelled(Message& message) {
  Request& request = *take_slot(message.sender_request);
  request.cancelled = true;
  request.status.cancelled = true;
  const SimTime at = message.key.time;
  Message::dispose(&message);
  known(request, at);
}

}  // namespace mpisim::mpi
