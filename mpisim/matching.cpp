#include "mpisim/matching.hpp"

namespace mpisim::mpi {

using kernel::Horizon;
using kernel::SimTime;

namespace {

bool accepts_tag(int wanted, int tag) {
  return wanted == any_tag || wanted == tag;
}

}  // namespace

/// Knows the messages that a wildcard with this tag may take.
WildcardIndex& MatchQueue::wildcards(int tag) {
  if (!wildcards_) wildcards_ = std::make_unique<WildcardIndex>();
  wildcards_->prepare(tag, unexpected_);
  return *wildcards_;
}

bool MatchQueue::needs_eit(const Request& request, const Message& message, MatchRules rules) const {
  const bool promised = promises_ != nullptr && request.tag != any_tag && promises_->covers(request.tag);
  return rules.needs_eit(request, !request.is_wildcard() || request.one_source || promised, message);
}

bool MatchQueue::waits(const Request& request, const Message& message, SimTime eit, MatchRules rules) const {
  return needs_eit(request, message, rules) && rules.question(request, message) >= eit;
}

void MatchQueue::link(Request& request) {
  request.post_sequence = ++post_sequence_;
  request.next_posted = nullptr;
  request.previous_posted = posted_tail_;
  (posted_tail_ != nullptr ? posted_tail_->next_posted : posted_head_) = &request;
  posted_tail_ = &request;
  if (request.is_wildcard()) {
    wildcards_->link(request);
    one_sources_ = one_sources_ || request.one_source;
  } else {
    posted_.push_back(request);
  }
}

void MatchQueue::unlink(Request& request) {
  (request.previous_posted != nullptr ? request.previous_posted->next_posted : posted_head_) =
      request.next_posted;
  (request.next_posted != nullptr ? request.next_posted->previous_posted : posted_tail_) =
      request.previous_posted;
  request.next_posted = request.previous_posted = nullptr;
  if (request.is_wildcard()) {
    wildcards_->unlink(request);
  } else {
    posted_.remove(request);
  }
}

void MatchQueue::add_unexpected(Message& message) {
  // The sender of a rendezvous keeps its buffer until it is answered.
  if (message.transfer == Transfer::eager) message.keep_payload();
  unexpected_.push_back(message);
  if (wildcards_) wildcards_->add(message);
}

void MatchQueue::take(Message& message) {
  unexpected_.remove(message);
  if (wildcards_) wildcards_->remove(message);
}

Message* MatchQueue::candidate(const Request& request) const {
  ++steps_;
  if (request.is_wildcard()) return wildcards_->smallest(request.tag);
  return unexpected_.find(request.peer, [&](const Message& m) {
    ++steps_;
    return request.accepts(m.source, m.tag);
  });
}

Request* MatchQueue::first_acceptor(const Message& message) const {
  Request* wildcard = wildcards_ ? wildcards_->first_acceptor(message.tag) : nullptr;
  Request* named = posted_.find(message.source, [&](const Request& r) {
    ++steps_;
    return r.accepts(message.source, message.tag);
  });
  if (wildcard == nullptr || named == nullptr) return named != nullptr ? named : wildcard;
  return named->post_sequence < wildcard->post_sequence ? named : wildcard;
}

void MatchQueue::pair(Request& request, Message& message, MatchHandler& handler) {
  unlink(request);
  if (request.kind != Request::Kind::probe) take(message);
  handler.matched(request, message);
}

void MatchQueue::arrive(Message& message, SimTime eit, MatchRules rules, MatchHandler& handler) {
  if (posted_head_ == nullptr) {
    add_unexpected(message);
    return;
  }
  // Only the first receive that accepts the message can be decided by it, and only if it does not still wait
  // to be decided about a message with a smaller key.
  Request* receive = first_acceptor(message);
  const auto decided = [&] {
    if (receive == nullptr || waits(*receive, message, eit, rules)) return false;
    if (!undecided(rules)) return true;
    const Message* waiting = candidate(*receive);
    return waiting == nullptr || message.key < waiting->key;
  };
  if (!decided()) {
    add_unexpected(message);
    return;
  }
  if (receive->kind == Request::Kind::probe) add_unexpected(message);
  const bool was_wildcard = receive->is_wildcard();
  unlink(*receive);
  handler.matched(*receive, message);
  // Protocols that are not exact let messages come below the EIT: a wildcard that is decided by one leaves
  // the others to later receives.
  if (was_wildcard) resolve_in_order(eit, rules, handler);
}

void MatchQueue::post(Request& request, SimTime eit, MatchRules rules, MatchHandler& handler) {
  if (request.is_wildcard()) wildcards(request.tag);
  Message* message = candidate(request);
  // Undecided receives posted before may still claim what they accept.
  if (message == nullptr || waits(request, *message, eit, rules) ||
      (undecided(rules) && first_acceptor(*message) != nullptr)) {
    link(request);
    return;
  }
  if (request.kind != Request::Kind::probe) take(*message);
  handler.matched(request, *message);
}

void MatchQueue::resolve(SimTime eit, MatchRules rules, MatchHandler& handler) {
  if (!rules.named_always_decided()) {
    resolve_in_order(eit, rules, handler);
    return;
  }
  if (!wildcards_) return;
  bool decided = false;
  for (const Message* wanted; (wanted = wildcards_->first_wanted()) != nullptr && wanted->key.time < eit;
       decided = true) {
    // A named receive before the wildcard comes first, and takes the first message that it accepts, for which
    // another may come before it in turn. Keys only become smaller on the way.
    Request* request = first_acceptor(*wanted);
    Message* message = candidate(*request);
    for (Request* first; (first = first_acceptor(*message)) != request;) {
      request = first;
      message = candidate(*request);
    }
    pair(*request, *message, handler);
  }
  if (decided) resolve_in_order(eit, rules, handler);
}

void MatchQueue::resolve_in_order(SimTime eit, MatchRules rules, MatchHandler& handler) {
  // With wildcards alone resolve() has left nothing to decide, unless some wait for others only.
  const bool sure = one_sources_ || (promises_ != nullptr && promises_->any());
  if (rules.named_always_decided() && posted_.size() == 0 && !sure) return;
  for (Request* request = posted_head_; request != nullptr && unexpected_.size() > 0;) {
    Request* following = request->next_posted;
    Message* message = candidate(*request);
    // Receives before this one that are still posted are undecided: what they accept they may still claim.
    if (message != nullptr && !waits(*request, *message, eit, rules) && first_acceptor(*message) == request)
      pair(*request, *message, handler);
    request = following;
  }
}

void MatchQueue::withdraw(Request& request) {
  unlink(request);
}

Message* MatchQueue::peek(int source, int tag, SimTime at) {
  Message* found = nullptr;
  if (source == any_source) {
    found = wildcards(tag).smallest(tag);
  } else {
    found = unexpected_.find(source,
                             [&](const Message& m) { return m.source == source && accepts_tag(tag, m.tag); });
  }
  return found != nullptr && found->key.time <= at ? found : nullptr;
}

Message* MatchQueue::at_hand(int source, int tag) const {
  return unexpected_.find(source,
                          [&](const Message& m) { return m.source == source && accepts_tag(tag, m.tag); });
}

Message* MatchQueue::first_from(int source, int tag) const {
  Message* message = unexpected_.find(
      source, [&](const Message& m) { return m.source == source && accepts_tag(tag, m.tag); });
  return message == nullptr || first_acceptor(*message) != nullptr ? nullptr : message;
}

Message* MatchQueue::with_sequence(int source, std::uint64_t sequence) const {
  return unexpected_.find(source,
                          [&](const Message& m) { return m.source == source && m.key.sequence == sequence; });
}

const Message* MatchQueue::first_unexpected() const {
  const Message* first = nullptr;
  unexpected_.for_each([&first](const Message& message) {
    if (first == nullptr || message.key < first->key) first = &message;
  });
  return first;
}

bool MatchQueue::has_later_than(SimTime time) const {
  bool found = false;
  unexpected_.for_each([&](const Message& message) { found = found || message.key.time > time; });
  return found;
}

Horizon MatchQueue::horizon(MatchRules rules) const {
  if (rules.named_always_decided()) return wildcards_ ? wildcards_->horizon() : Horizon{};
  Horizon smallest;
  for (const Request* request = posted_head_; request != nullptr; request = request->next_posted) {
    const Message* message = candidate(*request);
    if (message == nullptr || !needs_eit(*request, *message, rules)) continue;
    smallest.question = kernel::min(smallest.question, rules.question(*request, *message));
    smallest.action = kernel::min(smallest.action, kernel::max(request->posted, message->key.time));
  }
  return smallest;
}

}  // namespace mpisim::mpi
