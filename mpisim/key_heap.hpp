#pragma once
// Messages by key.
#include <cstdint>
#include <vector>

#include "mpisim/message.hpp"

namespace mpisim::mpi {

/// Messages by key, smallest first: a binary heap in which each message knows its place, so that any can be
/// taken out in O(log n). `place_of` is where a message keeps it, one for each heap that it may be in.
template <std::uint32_t Message::* place_of>
class KeyHeap {
 public:
  bool empty() const { return messages_.empty(); }
  Message& front() const { return *messages_.front(); }
  void push(Message& message) {
    messages_.push_back(&message);
    rise(messages_.size() - 1);
  }
  void remove(Message& message) {
    const std::size_t place = message.*place_of;
    Message* last = messages_.back();
    messages_.pop_back();
    message.*place_of = UINT32_MAX;
    if (last == &message) return;
    set(place, last);
    sink(place);
    rise(last->*place_of);
  }

 private:
  void rise(std::size_t place) {
    Message* message = messages_[place];
    for (; place > 0; place = (place - 1) / 2) {
      Message* above = messages_[(place - 1) / 2];
      if (!(message->key < above->key)) break;
      set(place, above);
    }
    set(place, message);
  }
  void sink(std::size_t place) {
    Message* message = messages_[place];
    for (std::size_t below = 0; (below = 2 * place + 1) < messages_.size(); place = below) {
      if (below + 1 < messages_.size() && messages_[below + 1]->key < messages_[below]->key) ++below;
      if (!(messages_[below]->key < message->key)) break;
      set(place, messages_[below]);
    }
    set(place, message);
  }
  void set(std::size_t place, Message* message) {
    messages_[place] = message;
    message->*place_of = static_cast<std::uint32_t>(place);
  }
  std::vector<Message*> messages_;
};

}  // namespace mpisim::mpi
