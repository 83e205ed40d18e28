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
// key can come: EIT > envelope time; unless only one rank can send what it takes (Communicator::only_source)
// or the program has promised that its tag comes from one source (promises.hpp): that is as good as to name
// the source.
#include <cstdint>
#include <memory>

#include "mpisim/promises.hpp"
#include "mpisim/request.hpp"
#include "mpisim/source_table.hpp"
#include "mpisim/wildcard_index.hpp"
#include "simkernel/logical_process.hpp"

namespace mpisim::mpi {

inline int source_of_request(const Request& request) {
  return request.peer;
}

/// Which pairs need a guarantee from the kernel.
struct MatchRules {
  bool deterministic = true;  ///< named receives need none
  /// The program may cancel: then a message that is here before its simulated time must not be taken by a
  /// receive that could still be cancelled, that is, one on which the rank is not blocked until it completes;
  /// and no receive may take a message that its sender can have cancelled before they match.
  bool cancels = false;

  bool named_always_decided() const { return deterministic && !cancels; }
  /// `one_source`: the request can only get messages of one source.
  bool needs_eit(const Request& request, bool one_source, const Message& message) const {
    return !one_source || !deterministic || (cancels && (!request.committed || message.can_be_cancelled()));
  }
  /// What the guarantee has to reach beyond.
  kernel::SimTime question(const Request& request, const Message& message) const {
    if (cancels && message.can_be_cancelled()) return kernel::max(request.posted, message.key.time);
    return message.key.time;
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
  /// What the program may promise about tags; null unless keep_promises().
  TagPromises* promises() const { return promises_.get(); }
  void keep_promises() { promises_ = std::make_unique<TagPromises>(); }
  /// Decides what a new promise makes decidable.
  void resolve_promised(kernel::SimTime eit, MatchRules rules, MatchHandler& handler) {
    resolve_in_order(eit, rules, handler);
  }

  /// Takes back a posted receive that is not matched (MPI_Cancel).
  void withdraw(Request& request);

  /// The message that a probe posted now would find among those with envelope time <= `at`; null if none.
  /// `at` < eit.
  Message* peek(int source, int tag, kernel::SimTime at);
  /// What a receive that names its source would take at once if it were posted now; null if there is none.
  /// Nothing must be undecided here, nor need a guarantee.
  Message* at_hand(int source, int tag) const;
  /// Like peek for a named source, whatever the envelope time; null also if an undecided receive could take
  /// it.
  Message* first_from(int source, int tag) const;
  /// Removes a message found by a probe.
  void take(Message& message);
  /// The message of a source that no receive has taken and whose key has this sequence number; null if there
  /// is none.
  Message* with_sequence(int source, std::uint64_t sequence) const;

  /// Smallest horizon of undecided receives: question = envelope time of a candidate, action = when it would
  /// match.
  kernel::Horizon horizon(MatchRules rules) const;
  bool undecided(MatchRules rules) const {
    return rules.named_always_decided() ? has_wildcards() : posted_head_ != nullptr;
  }

  /// The unexpected message with the smallest key; null if there is none.
  const Message* first_unexpected() const;
  bool has_later_than(kernel::SimTime time) const;
  std::size_t unexpected_count() const { return unexpected_.size(); }
  /// Nothing waits here: a queue that is made anew would behave the same.
  bool idle() const { return posted_head_ == nullptr && unexpected_.size() == 0 && promises_ == nullptr; }
  /// Requests and messages looked at so far: what matching has cost, apart from the logarithms of heaps.
  std::uint64_t steps() const { return steps_; }

 private:
  bool has_wildcards() const { return wildcards_ && !wildcards_->empty(); }
  WildcardIndex& wildcards(int tag);
  /// Whether the two may only be paired below a greater EIT than `eit`.
  bool waits(const Request& request, const Message& message, kernel::SimTime eit, MatchRules rules) const;
  bool needs_eit(const Request& request, const Message& message, MatchRules rules) const;
  /// The message with the smallest key of those that it accepts.
  Message* candidate(const Request& request) const;
  /// The first posted request, in program order, that accepts the message.
  Request* first_acceptor(const Message& message) const;
  void resolve_in_order(kernel::SimTime eit, MatchRules rules, MatchHandler& handler);
  void link(Request& request);
  void unlink(Request& request);
  void pair(Request& request, Message& message, MatchHandler& handler);
  void add_unexpected(Message& message);

  ContextId context_;
  Request* posted_head_ = nullptr;
  Request* posted_tail_ = nullptr;
  std::uint64_t post_sequence_ = 0;
  SourceTable<Request, source_of_request> posted_;  // named ones only
  UnexpectedTable unexpected_;
  std::unique_ptr<WildcardIndex> wildcards_;  // from the first wildcard or peek of any source on
  bool one_sources_ = false;                  // receives from any source with `one_source` have waited here
  std::unique_ptr<TagPromises> promises_;
  mutable std::uint64_t steps_ = 0;
};

}  // namespace mpisim::mpi
