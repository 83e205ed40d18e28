#include "mpisim/matching.hpp"

#include <algorithm>

namespace mpisim::mpi {

using kernel::Horizon;
using kernel::SimTime;

namespace {

bool accepts_tag(int wanted, int tag) {
  return wanted == any_tag || wanted == tag;
}

}  // namespace

void KeyHeap::push(Message& message) {
  messages_.push_back(&message);
  rise(messages_.size() - 1);
}

void KeyHeap::remove(Message& message) {
  const std::size_t place = message.heap_place;
  Message* last = messages_.back();
  messages_.pop_back();
  message.heap_place = UINT32_MAX;
  if (last == &message) return;
  set(place, last);
  sink(place);
  rise(last->heap_place);
}

void KeyHeap::rise(std::size_t place) {
  Message* message = messages_[place];
  for (; place > 0; place = (place - 1) / 2) {
    Message* above = messages_[(place - 1) / 2];
    if (!(message->key < above->key)) break;
    set(place, above);
  }
  set(place, message);
}

void KeyHeap::sink(std::size_t place) {
  Message* message = messages_[place];
  for (std::size_t below = 0; (below = 2 * place + 1) < messages_.size(); place = below) {
    if (below + 1 < messages_.size() && messages_[below + 1]->key < messages_[below]->key) ++below;
    if (!(messages_[below]->key < message->key)) break;
    set(place, messages_[below]);
  }
  set(place, message);
}

void MatchQueue::link(Request& request) {
  request.post_sequence = ++post_sequence_;
  request.next_posted = nullptr;
  request.previous_posted = posted_tail_;
  (posted_tail_ != nullptr ? posted_tail_->next_posted : posted_head_) = &request;
  posted_tail_ = &request;
  if (request.is_wildcard()) {
    ++wildcards_;
    if (!has_heap_) build_heap();
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
    --wildcards_;
  } else {
    posted_.remove(request);
  }
}

void MatchQueue::build_heap() {
  has_heap_ = true;
  unexpected_.for_each([this](Message& message) { heap_.push(message); });
}

void MatchQueue::add_unexpected(Message& message) {
  // The sender of a rendezvous keeps its buffer until it is answered.
  if (message.transfer == Transfer::eager) message.keep_payload();
  unexpected_.push_back(message);
  if (has_heap_) heap_.push(message);
}

void MatchQueue::take(Message& message) {
  unexpected_.remove(message);
  if (has_heap_) heap_.remove(message);
}

Message* MatchQueue::smallest(int tag) const {
  if (heap_.empty()) return nullptr;
  if (accepts_tag(tag, heap_.front().tag)) return &heap_.front();
  Message* best = nullptr;
  for (Message* message : heap_.messages()) {
    if (accepts_tag(tag, message->tag) && (best == nullptr || message->key < best->key)) best = message;
  }
  return best;
}

Message* MatchQueue::candidate(const Request& request) const {
  if (request.is_wildcard()) return smallest(request.tag);
  return unexpected_.find(request.peer, [&](const Message& m) { return request.accepts(m.source, m.tag); });
}

void MatchQueue::pair(Request& request, Message& message, MatchHandler& handler) {
  unlink(request);
  if (request.kind != Request::Kind::probe) take(message);
  handler.matched(request, message);
}

void MatchQueue::arrive(Message& message, SimTime eit, MatchRules rules, MatchHandler& handler) {
  if (wildcards_ == 0 && rules.named_always_decided()) {
    // No undecided receive: whoever accepts the message first gets it, and no earlier message of this source
    // waits for the same receive.
    Request* receive = posted_.find(message.source,
                                    [&](const Request& r) { return r.accepts(message.source, message.tag); });
    if (receive == nullptr || receive->kind == Request::Kind::probe) {
      add_unexpected(message);
      if (receive == nullptr) return;
      unlink(*receive);
      handler.matched(*receive, message);
      return;
    }
    unlink(*receive);
    handler.matched(*receive, message);
    return;
  }
  add_unexpected(message);
  resolve(eit, rules, handler);
}

void MatchQueue::post(Request& request, SimTime eit, MatchRules rules, MatchHandler& handler) {
  if (wildcards_ == 0 && rules.named_always_decided() && !request.is_wildcard()) {
    Message* message = candidate(request);
    if (message == nullptr) {
      link(request);
      return;
    }
    if (request.kind != Request::Kind::probe) take(*message);
    handler.matched(request, *message);
    return;
  }
  link(request);
  resolve(eit, rules, handler);
}

void MatchQueue::resolve(SimTime eit, MatchRules rules, MatchHandler& handler) {
  // Undecided receives passed so far; they may still claim what a later receive accepts.
  std::vector<const Request*> blockers;
  for (Request* request = posted_head_; request != nullptr;) {
    Request* following = request->next_posted;
    Message* message = candidate(*request);
    const bool needs_eit = rules.needs_eit(*request);
    if (message == nullptr) {
      if (needs_eit) blockers.push_back(request);
    } else if (needs_eit && message->key.time >= eit) {
      blockers.push_back(request);
    } else {
      const bool claimed = std::any_of(blockers.begin(), blockers.end(), [&](const Request* b) {
        return b->accepts(message->source, message->tag);
      });
      // A message before the EIT cannot be claimed: it would have been decided for the earlier receive.
      if (!claimed || message->key.time < eit) pair(*request, *message, handler);
    }
    request = following;
  }
}

void MatchQueue::withdraw(Request& request) {
  unlink(request);
}

Message* MatchQueue::peek(int source, int tag, SimTime at) {
  Message* found = nullptr;
  if (source == any_source) {
    if (!has_heap_) build_heap();
    found = smallest(tag);
  } else {
    found = unexpected_.find(source,
                             [&](const Message& m) { return m.source == source && accepts_tag(tag, m.tag); });
  }
  return found != nullptr && found->key.time <= at ? found : nullptr;
}

Message* MatchQueue::first_from(int source, int tag, MatchRules rules) const {
  Message* message = unexpected_.find(
      source, [&](const Message& m) { return m.source == source && accepts_tag(tag, m.tag); });
  if (message == nullptr || !undecided(rules)) return message;
  for (const Request* request = posted_head_; request != nullptr; request = request->next_posted) {
    if (request->accepts(message->source, message->tag)) return nullptr;
  }
  return message;
}

const Message* MatchQueue::first_unexpected() const {
  const Message* first = nullptr;
  unexpected_.for_each([&first](const Message& message) {
    if (first == nullptr || message.key < first->key) first = &message;
  });
  return first;
}

Horizon MatchQueue::horizon(MatchRules rules) const {
  Horizon smallest_horizon;
  for (const Request* request = posted_head_; request != nullptr; request = request->next_posted) {
    if (!rules.needs_eit(*request)) continue;
    const Message* message = candidate(*request);
    if (message == nullptr) continue;
    const SimTime time = message->key.time;
    smallest_horizon.question = kernel::min(smallest_horizon.question, time);
    smallest_horizon.action = kernel::min(smallest_horizon.action, kernel::max(request->posted, time));
  }
  return smallest_horizon;
}

}  // namespace mpisim::mpi
