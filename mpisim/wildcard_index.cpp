#include "mpisim/wildcard_index.hpp"

#include <algorithm>

namespace mpisim::mpi {

using kernel::Horizon;
using kernel::SimTime;

void WildcardIndex::Wildcards::push_back(Request& request) {
  request.next_in_source = nullptr;
  request.previous_in_source = tail;
  (tail != nullptr ? tail->next_in_source : head) = &request;
  tail = &request;
}

void WildcardIndex::Wildcards::remove(Request& request) {
  (request.previous_in_source != nullptr ? request.previous_in_source->next_in_source : head) =
      request.next_in_source;
  (request.next_in_source != nullptr ? request.next_in_source->previous_in_source : tail) =
      request.previous_in_source;
  request.next_in_source = request.previous_in_source = nullptr;
}

void WildcardIndex::update(Group& group) {
  const bool wanted = group.wildcards.head != nullptr && !group.messages.empty();
  if (!wanted && !group.listed_at) return;
  if (wanted && group.listed_at == group.messages.front().key) return;
  if (group.listed_at) wanted_.erase(*group.listed_at);
  group.listed_at.reset();
  if (!wanted) return;
  group.listed_at = group.messages.front().key;
  wanted_.emplace(*group.listed_at, &group);
}

// Tags come and go, as when a program numbers its steps with them.
void WildcardIndex::tidy() {
  if (groups_.size() < tidy_at_) return;
  std::erase_if(groups_, [](const auto& entry) {
    return entry.second.wildcards.head == nullptr && entry.second.messages.empty();
  });
  tidy_at_ = std::max<std::size_t>(64, 2 * groups_.size());
}

void WildcardIndex::prepare(int tag, const UnexpectedTable& unexpected) {
  if (tag == any_tag) {
    if (has_all_) return;
    has_all_ = true;
    unexpected.for_each([this](Message& message) { all_.push(message); });
    return;
  }
  if (has_tags_) return;
  has_tags_ = true;
  unexpected.for_each([this](Message& message) { groups_[message.tag].messages.push(message); });
}

void WildcardIndex::link(Request& request) {
  ++posted_;
  if (request.tag == any_tag) {
    any_tag_.push_back(request);
    return;
  }
  tidy();
  Group& group = groups_[request.tag];
  group.wildcards.push_back(request);
  update(group);
}

void WildcardIndex::unlink(Request& request) {
  --posted_;
  if (request.tag == any_tag) {
    any_tag_.remove(request);
    return;
  }
  Group& group = groups_.at(request.tag);
  group.wildcards.remove(request);
  update(group);
}

void WildcardIndex::add(Message& message) {
  if (has_all_) all_.push(message);
  if (!has_tags_) return;
  tidy();
  Group& group = groups_[message.tag];
  group.messages.push(message);
  update(group);
}

void WildcardIndex::remove(Message& message) {
  if (has_all_) all_.remove(message);
  if (!has_tags_) return;
  Group& group = groups_.at(message.tag);
  group.messages.remove(message);
  update(group);
}

Request* WildcardIndex::first_acceptor(int tag) const {
  if (posted_ == 0) return nullptr;
  Request* first = any_tag_.head;
  const auto group = groups_.find(tag);
  Request* same_tag = group != groups_.end() ? group->second.wildcards.head : nullptr;
  if (first == nullptr || same_tag == nullptr) return first != nullptr ? first : same_tag;
  return first->post_sequence < same_tag->post_sequence ? first : same_tag;
}

Message* WildcardIndex::smallest(int tag) const {
  if (tag == any_tag) return all_.empty() ? nullptr : &all_.front();
  const auto group = groups_.find(tag);
  return group == groups_.end() || group->second.messages.empty() ? nullptr : &group->second.messages.front();
}

Message* WildcardIndex::first_wanted() const {
  // No message has a smaller key than the first of all.
  if (any_tag_.head != nullptr && !all_.empty()) return &all_.front();
  return wanted_.empty() ? nullptr : &wanted_.begin()->second->messages.front();
}

Horizon WildcardIndex::horizon() const {
  Horizon smallest;
  const auto consider = [&smallest](const Request& first, SimTime time) {
    smallest.question = kernel::min(smallest.question, time);
    smallest.action = kernel::min(smallest.action, kernel::max(first.posted, time));
  };
  if (any_tag_.head != nullptr && !all_.empty()) consider(*any_tag_.head, all_.front().key.time);
  // A group acts no earlier than its question, so that later ones add nothing.
  for (const auto& [key, group] : wanted_) {
    if (key.time >= smallest.action && key.time >= smallest.question) break;
    consider(*group->wildcards.head, key.time);
  }
  return smallest;
}

}  // namespace mpisim::mpi
