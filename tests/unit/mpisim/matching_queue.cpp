// A queue by itself against what the order of receives and keys says, and what matching costs.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "mpisim/matching.hpp"

using namespace mpisim;
using mpi::MatchRules;
using mpi::Message;
using mpi::Request;

namespace {

kernel::SimTime at(std::int64_t ps) {
  return kernel::SimTime::picoseconds(ps);
}

std::unique_ptr<Message> envelope(std::int64_t time, int source, std::uint64_t sequence, int tag) {
  auto message = std::make_unique<Message>();
  message->key = {at(time), static_cast<kernel::LpId>(source), sequence};
  message->source = source;
  message->tag = tag;
  return message;
}

std::unique_ptr<Request> receive(int source, int tag) {
  auto request = std::make_unique<Request>();
  request->kind = Request::Kind::receive;
  request->peer = source;
  request->tag = tag;
  return request;
}

struct Pairs final : mpi::MatchHandler {
  std::map<const Request*, const Message*> of;
  void matched(Request& request, Message& message) override {
    REQUIRE(of.emplace(&request, &message).second);
  }
};

/// Every receive in program order takes the message with the smallest key that it accepts.
std::map<const Request*, const Message*> expected(const std::vector<std::unique_ptr<Request>>& receives,
                                                  std::vector<const Message*> messages) {
  std::sort(messages.begin(), messages.end(),
            [](const Message* a, const Message* b) { return a->key < b->key; });
  std::map<const Request*, const Message*> pairs;
  for (const auto& request : receives) {
    const auto found = std::find_if(messages.begin(), messages.end(),
                                    [&](const Message* m) { return request->accepts(m->source, m->tag); });
    if (found == messages.end()) continue;
    pairs[request.get()] = *found;
    messages.erase(found);
  }
  return pairs;
}

/// Posts, arrivals and guarantees of a rank in a random order that a simulation may have.
void compare_with_order(std::uint64_t seed, MatchRules rules) {
  INFO("seed " << seed << ", deterministic " << rules.deterministic);
  constexpr int sources = 3;
  constexpr int tags = 3;
  std::mt19937_64 random(seed);
  const auto below = [&random](std::uint64_t limit) { return random() % limit; };
  std::vector<std::unique_ptr<Request>> receives;
  for (auto left = 1 + below(12); left > 0; --left) {
    receives.push_back(receive(below(2) == 0 ? mpi::any_source : static_cast<int>(below(sources)),
                               below(3) == 0 ? mpi::any_tag : static_cast<int>(below(tags))));
  }
  std::vector<std::vector<std::unique_ptr<Message>>> by_source(sources);
  std::vector<const Message*> all;
  for (int source = 0; source < sources; ++source) {
    std::int64_t time = 1;
    const auto count = below(6);
    for (std::uint64_t sequence = 0; sequence < count; ++sequence) {
      time += static_cast<std::int64_t>(below(20));
      by_source[static_cast<std::size_t>(source)].push_back(
          envelope(time, source, sequence, static_cast<int>(below(tags))));
      all.push_back(by_source[static_cast<std::size_t>(source)].back().get());
    }
  }
  mpi::MatchQueue queue(0);
  Pairs pairs;
  std::size_t posted = 0;
  std::vector<std::size_t> arrived(sources, 0);
  kernel::SimTime eit = at(1);
  for (bool more = true; more;) {
    kernel::SimTime limit = kernel::SimTime::infinity();
    for (std::size_t source = 0; source < by_source.size(); ++source) {
      if (arrived[source] < by_source[source].size())
        limit = kernel::min(limit, by_source[source][arrived[source]]->key.time);
    }
    const auto source = below(sources);
    switch (below(3)) {
      case 0:
        if (posted < receives.size()) queue.post(*receives[posted++], eit, rules, pairs);
        break;
      case 1:
        if (arrived[source] < by_source[source].size())
          queue.arrive(*by_source[source][arrived[source]++], eit, rules, pairs);
        break;
      default:
        eit = below(2) == 0 ? limit : kernel::min(limit, kernel::max(eit, at(static_cast<int>(below(80)))));
        queue.resolve(eit, rules, pairs);
    }
    more = posted < receives.size() || !limit.is_infinite() || !eit.is_infinite();
  }
  CHECK(pairs.of == expected(receives, all));
  const kernel::Horizon left = queue.horizon(rules);
  CHECK(left.question.is_infinite());
  CHECK(left.action.is_infinite());
}

}  // namespace

TEST_CASE("receives get the messages that their order and the keys say, in whatever order a host sees them") {
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    compare_with_order(seed, {true, false});
    compare_with_order(seed, {false, false});
    compare_with_order(seed, {true, true});
  }
}

TEST_CASE("the horizon is that of the first message which a wildcard may take") {
  mpi::MatchQueue queue(0);
  Pairs pairs;
  const MatchRules rules{true, false};
  const auto seven = receive(mpi::any_source, 7);
  const auto any = receive(mpi::any_source, mpi::any_tag);
  seven->posted = at(30);
  any->posted = at(40);
  queue.post(*seven, at(1), rules, pairs);
  queue.post(*any, at(1), rules, pairs);
  CHECK(queue.horizon(rules).question.is_infinite());
  const auto late = envelope(50, 1, 0, 7);
  const auto other = envelope(20, 2, 0, 8);
  queue.arrive(*late, at(1), rules, pairs);
  CHECK(queue.horizon(rules).question == at(50));
  CHECK(queue.horizon(rules).action == at(50));
  queue.arrive(*other, at(1), rules, pairs);
  CHECK(queue.horizon(rules).question == at(20));
  CHECK(queue.horizon(rules).action == at(40));
  queue.resolve(at(21), rules, pairs);
  CHECK(pairs.of[any.get()] == other.get());
  CHECK(queue.horizon(rules).question == at(50));
}

TEST_CASE("a thousand wildcards with tags of their own cost as many steps as they are") {
  constexpr int count = 1000;
  for (const bool posted_first : {true, false}) {
    mpi::MatchQueue queue(0);
    Pairs pairs;
    const MatchRules rules{true, false};
    std::vector<std::unique_ptr<Request>> receives;
    std::vector<std::unique_ptr<Message>> messages;
    for (int i = 0; i < count; ++i) {
      receives.push_back(receive(mpi::any_source, i));
      messages.push_back(envelope(10 + i, i % 7, static_cast<std::uint64_t>(i), count - 1 - i));
    }
    const auto post = [&] {
      for (const auto& request : receives) queue.post(*request, at(1), rules, pairs);
    };
    if (posted_first) post();
    for (const auto& message : messages) {
      queue.arrive(*message, at(1), rules, pairs);
      CHECK(queue.horizon(rules).question == (posted_first ? at(10) : kernel::SimTime::infinity()));
    }
    if (!posted_first) post();
    for (int i = 0; i < count; ++i) queue.resolve(at(11 + i), rules, pairs);
    REQUIRE(pairs.of.size() == count);
    for (int i = 0; i < count; ++i)
      REQUIRE(pairs.of[receives[static_cast<std::size_t>(i)].get()]->tag == receives[i]->tag);
    INFO("posted first " << posted_first << ", steps " << queue.steps());
    CHECK(queue.steps() < 10 * count);
  }
}
