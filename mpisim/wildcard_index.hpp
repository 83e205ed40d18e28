#pragma once
// Posted receives from any source, and the messages that they may take.
//
// Wildcards of one tag accept the same messages, so they form a group: its first receive in program order is
// the next to take one, and takes the one with the smallest key. Those that accept any tag form one more
// group, over all messages. Messages are indexed from the first wildcard (or probe) of each kind on, so that
// a program without any pays nothing. Everything costs O(log n) in messages and groups.
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

#include "mpisim/key_heap.hpp"
#include "mpisim/request.hpp"
#include "mpisim/source_table.hpp"
#include "simkernel/logical_process.hpp"

namespace mpisim::mpi {

inline int source_of_message(const Message& message) {
  return message.source;
}

/// Messages that no receive has taken, by source.
using UnexpectedTable = SourceTable<Message, source_of_message>;

class WildcardIndex {
 public:
  bool empty() const { return posted_ == 0; }
  /// Makes smallest(tag) know the messages that wait already.
  void prepare(int tag, const UnexpectedTable& unexpected);
  /// A new wildcard, last in program order; prepare(its tag) came before.
  void link(Request& request);
  void unlink(Request& request);
  /// A message that no receive has taken.
  void add(Message& message);
  void remove(Message& message);

  /// The first wildcard, in program order, that accepts the tag; null if there is none.
  Request* first_acceptor(int tag) const;
  /// The message with the smallest key among those of the tag, or among all for any_tag; prepare(tag) came
  /// before.
  Message* smallest(int tag) const;
  /// The message with the smallest key among those that a wildcard accepts; null if there is none.
  Message* first_wanted() const;
  /// See MatchQueue::horizon.
  kernel::Horizon horizon() const;

 private:
  struct Wildcards {
    Request* head = nullptr;
    Request* tail = nullptr;
    void push_back(Request& request);
    void remove(Request& request);
  };
  struct Group {
    Wildcards wildcards;
    KeyHeap<&Message::tag_heap_place> messages;
    std::optional<kernel::EventKey> listed_at;  ///< in wanted_
  };
  /// Keeps wanted_ right after a change of the group.
  void update(Group& group);
  void tidy();

  std::size_t posted_ = 0;
  bool has_all_ = false;
  bool has_tags_ = false;
  Wildcards any_tag_;
  KeyHeap<&Message::heap_place> all_;
  std::unordered_map<int, Group> groups_;      // by tag; never walked in an order that shows
  std::map<kernel::EventKey, Group*> wanted_;  // groups with both wildcards and messages, by smallest key
  std::size_t tidy_at_ = 64;
};

}  // namespace mpisim::mpi
