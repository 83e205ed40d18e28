#pragma once
// Matching of envelopes and receives of one context on one rank.
//
// Who gets which message depends only on the order of receives in the program and on the order of envelope
// keys: each receive in program order takes the message with the smallest key that it accepts and no earlier
// receive has taken. (In simulated time an envelope goes to the first receive posted that accepts it, and a
// new receive takes the earliest envelope waiting; both sides rank the other side strictly, so serving
// receives in program order gives the same pairs.) For a receive that names its source the smallest key is
// the first message of that source in its order, so it needs no guarantee from the kernel, unless an
// undecided receive before it accepts the same message. A wildcard needs to know that nothing with a smaller
// key can come: EIT > envelope time.
#include <cstdint>
#include <vector>

#include "mpisim/request.hpp"
#include "simkernel/logical_process.hpp"

namespace mpisim::mpi {

/// Intrusive FIFO lists hashed by source. T has source key via `source_of`, and
/// next_in_source/previous_in_source.
template <typename T, int (*source_of)(const T&)>
class SourceTable {
 public:
  void push_back(T& item) {
    if (count_ >= buckets_.size() * 2) grow();
    ++count_;
    append(bucket(source_of(item)), item);
  }
  void remove(T& item) {
    Bucket& b = bucket(source_of(item));
    (item.previous_in_source != nullptr ? item.previous_in_source->next_in_source : b.head) =
        item.next_in_source;
    (item.next_in_source != nullptr ? item.next_in_source->previous_in_source : b.tail) =
        item.previous_in_source;
    item.next_in_source = item.previous_in_source = nullptr;
    --count_;
  }
  /// First item, in insertion order, among those of the bucket of `source` for which predicate holds.
  template <typename Predicate>
  T* find(int source, Predicate predicate) const {
    if (count_ == 0) return nullptr;
    for (T* item = bucket(source).head; item != nullptr; item = item->next_in_source) {
      if (predicate(*item)) return item;
    }
    return nullptr;
  }
  template <typename Visitor>
  void for_each(Visitor visit) const {
    for (const Bucket& b : buckets_) {
      for (T* item = b.head; item != nullptr; item = item->next_in_source) visit(*item);
    }
  }
  std::size_t size() const { return count_; }

 private:
  struct Bucket {
    T* head = nullptr;
    T* tail = nullptr;
  };
  const Bucket& bucket(int source) const {
    return buckets_[(static_cast<std::uint32_t>(source) * 0x9E3779B1U >> 7) & (buckets_.size() - 1)];
  }
  Bucket& bucket(int source) {
    return const_cast<Bucket&>(static_cast<const SourceTable*>(this)->bucket(source));
  }
  static void append(Bucket& b, T& item) {
    item.next_in_source = nullptr;
    item.previous_in_source = b.tail;
    (b.tail != nullptr ? b.tail->next_in_source : b.head) = &item;
    b.tail = &item;
  }
  void grow() {
    // Items of one source stay in order because each old bucket is walked from its head.
    std::vector<Bucket> old(buckets_.empty() ? 2 : buckets_.size() * 4);
    old.swap(buckets_);
    for (const Bucket& b : old) {
      for (T* item = b.head; item != nullptr;) {
        T* following = item->next_in_source;
        append(bucket(source_of(*item)), *item);
        item = following;
      }
    }
  }
  std::vector<Bucket> buckets_;
  std::size_t count_ = 0;
};

inline int source_of_message(const Message& message) {
  return message.source;
}
inline int source_of_request(const Request& request) {
  return request.peer;
}

/// Messages by key, smallest first: a binary heap in which each message knows its place, so that any can be
/// taken out in O(log n).
class KeyHeap {
 public:
  bool empty() const { return messages_.empty(); }
  Message& front() const { return *messages_.front(); }
  const std::vector<Message*>& messages() const { return messages_; }
  void push(Message& message);
  void remove(Message& message);

 private:
  void rise(std::size_t place);
  void sink(std::size_t place);
  void set(std::size_t place, Message* message) {
    messages_[place] = message;
    message->heap_place = static_cast<std::uint32_t>(place);
  }
  std::vector<Message*> messages_;
};

/// Which receives need a guarantee from the kernel before they take a message.
struct MatchRules {
  bool deterministic = true;  ///< named receives need none
  /// The program may cancel receives: then a message that is here before its simulated time must not be taken
  /// by a receive that could still be cancelled, that is, one on which the rank is not blocked until it
  /// completes.
  bool cancels = false;

  bool named_always_decided() const { return deterministic && !cancels; }
  bool needs_eit(const Request& request) const {
    return request.is_wildcard() || !deterministic || (cancels && !request.committed);
  }
};

/// What the owner of a queue does with decided pairs.
class MatchHandler {
 public:
  virtual void matched(Request& receive, Message& message) = 0;

 protected:
  ~MatchHandler() = default;
};

class MatchQueue {
 public:
  explicit MatchQueue(ContextId context) : context_(context) {}

  ContextId context() const { return context_; }

  /// A new envelope; `eit`: everything with an envelope time below it is here. Takes the message.
  void arrive(Message& message, kernel::SimTime eit, MatchRules rules, MatchHandler& handler);
  /// A new receive or probe, last in program order.
  void post(Request& request, kernel::SimTime eit, MatchRules rules, MatchHandler& handler);
  /// Decides what a greater eit makes decidable.
  void resolve(kernel::SimTime eit, MatchRules rules, MatchHandler& handler);
  /// Takes back a posted receive that is not matched (MPI_Cancel).
  void withdraw(Request& request);

  /// The message that a probe posted now would find among those with envelope time <= `at`; null if none.
  /// `at` < eit.
  Message* peek(int source, int tag, kernel::SimTime at);
  /// Like peek for a named source, whatever the envelope time; null also if an undecided receive could take
  /// it.
  Message* first_from(int source, int tag, MatchRules rules) const;
  /// Removes a message found by a probe.
  void take(Message& message);

  /// Smallest horizon of undecided receives: question = envelope time of a candidate, action = when it would
  /// match.
  kernel::Horizon horizon(MatchRules rules) const;
  bool undecided(MatchRules rules) const {
    return rules.named_always_decided() ? wildcards_ > 0 : posted_head_ != nullptr;
  }

  /// The unexpected message with the smallest key; null if there is none.
  const Message* first_unexpected() const;
  std::size_t unexpected_count() const { return unexpected_.size(); }
  /// Nothing waits here: a queue that is made anew would behave the same.
  bool idle() const { return posted_head_ == nullptr && unexpected_.size() == 0; }

 private:
  Message* candidate(const Request& request) const;
  Message* smallest(int tag) const;
  void link(Request& request);
  void unlink(Request& request);
  void pair(Request& request, Message& message, MatchHandler& handler);
  void add_unexpected(Message& message);
  void build_heap();

  ContextId context_;
  Request* posted_head_ = nullptr;
  Request* posted_tail_ = nullptr;
  std::uint32_t wildcards_ = 0;
  std::uint64_t post_sequence_ = 0;
  SourceTable<Request, source_of_request> posted_;  // named ones only
  SourceTable<Message, source_of_message> unexpected_;
  KeyHeap heap_;  // unexpected messages by key, kept from the first wildcard on
  bool has_heap_ = false;
};

}  // namespace mpisim::mpi
