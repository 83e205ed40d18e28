// Who gets which lock, and how far it grows.
#include <catch2/catch.hpp>
#include <ctime>
#include <utility>
#include <vector>

#include "pfssim/extent_locks.hpp"

using namespace mpisim;
using pfs::ExtentLocks;
using pfs::Interval;
using pfs::no_end;

namespace {

struct Table {
  explicit Table(const pfs::GrowthRules& rules = {}) : locks(rules) {}
  ExtentLocks::Decisions write(kernel::LpId client, std::uint64_t begin, std::uint64_t end) {
    return ask(client, begin, end, true);
  }
  ExtentLocks::Decisions read(kernel::LpId client, std::uint64_t begin, std::uint64_t end) {
    return ask(client, begin, end, false);
  }
  ExtentLocks::Decisions ask(kernel::LpId client, std::uint64_t begin, std::uint64_t end, bool write) {
    ExtentLocks::Decisions decisions;
    locks.ask({client, 0, {begin, end}, write}, decisions);
    return decisions;
  }
  ExtentLocks::Decisions release(const ExtentLocks::Lock& lock) {
    ExtentLocks::Decisions decisions;
    locks.release(lock.number, decisions);
    return decisions;
  }
  ExtentLocks locks;
};

Interval extent_of(const ExtentLocks::Decisions& decisions) {
  REQUIRE(decisions.granted.size() == 1);
  return decisions.granted.front().request.extent;
}

}  // namespace

TEST_CASE("locks: the first grows over the whole object") {
  Table table;
  CHECK(extent_of(table.write(1, 100, 200)) == Interval{0, no_end});
}

TEST_CASE("locks: a holder in the way is called once, and what it gives back is granted") {
  Table table;
  const auto first = table.write(1, 0, 100).granted.front();
  const auto second = table.write(2, 500, 600);
  CHECK(second.granted.empty());
  REQUIRE(second.called.size() == 1);
  CHECK(second.called.front().request.client == 1);
  const auto third = table.write(3, 800, 900);
  CHECK(third.granted.empty());
  CHECK(third.called.empty());  // the holder knows
  const auto back = table.release(first);
  REQUIRE(back.granted.size() == 2);
  // Each grows up to what the other wants.
  CHECK(back.granted[0].request.extent == Interval{0, 800});
  CHECK(back.granted[1].request.extent == Interval{800, no_end});
}

TEST_CASE("locks: readers share, and grow over each other") {
  Table table;
  table.read(1, 0, 100);
  CHECK(extent_of(table.read(2, 50, 80)) == Interval{0, no_end});
  const auto writer = table.write(3, 0, 10);
  CHECK(writer.granted.empty());
  CHECK(writer.called.size() == 2);
}

TEST_CASE("locks: a request waits behind an earlier one that excludes it") {
  Table table;
  const auto first = table.read(1, 0, 100).granted.front();
  table.write(2, 0, 100);
  CHECK(table.read(3, 0, 100).granted.empty());
  const auto back = table.release(first);
  REQUIRE(back.granted.size() == 1);
  CHECK(back.granted.front().request.client == 2);
  CHECK(back.granted.front().request.extent == Interval{0, 100});  // somebody waits for these bytes
  REQUIRE(back.called.size() == 1);
  CHECK(back.called.front().request.client == 2);
  const auto last = table.release(back.granted.front());
  REQUIRE(last.granted.size() == 1);
  CHECK(last.granted.front().request.client == 3);
}

TEST_CASE("locks: a client's own locks are not in its way") {
  Table table;
  table.read(1, 0, 100);
  CHECK(table.write(1, 0, 100).granted.size() == 1);
  CHECK(table.locks.granted() == 2);
}

TEST_CASE("locks: growth ends at others, and is bounded where many hold locks") {
  Table table({.backward = 1, .contended = 2, .growth = 50});
  const auto whole = table.write(1, 0, 10).granted.front();
  table.write(2, 1000, 1010);
  table.write(3, 2000, 2010);
  table.write(4, 3000, 3010);
  const auto back = table.release(whole);
  REQUIRE(back.granted.size() == 3);
  CHECK(back.granted[0].request.extent == Interval{0, 2000});
  CHECK(back.granted[1].request.extent == Interval{2000, 3000});
  // Two exclude it already, more than `backward`, not more than `contended`.
  CHECK(back.granted[2].request.extent == Interval{3000, no_end});
}

TEST_CASE("locks: with more than `contended` of others a lock to write grows by `growth`") {
  Table table({.backward = 0, .contended = 0, .growth = 50});
  const auto first = table.write(1, 0, 10).granted.front();
  table.write(2, 100, 110);
  const auto back = table.release(first);
  REQUIRE(back.granted.size() == 1);
  CHECK(back.granted.front().request.extent == Interval{0, no_end});
  const auto third = table.write(1, 200, 210);
  CHECK(third.called.size() == 1);
  table.write(3, 300, 310);
  const auto next = table.release(back.granted.front());
  REQUIRE(next.granted.size() == 2);
  CHECK(next.granted[0].request.extent == Interval{0, 300});  // nobody else holds one
  CHECK(next.granted[1].request.extent == Interval{300, 350});
}

namespace {

bool in_the_way(const ExtentLocks::Request& a, const ExtentLocks::Request& b) {
  return a.client != b.client && (a.write || b.write) && a.extent.overlaps(b.extent);
}

/// Who waits and who has been called, by comparing everything with everything after each call.
struct Model {
  struct Held {
    ExtentLocks::Lock lock;
    bool called = false;
  };
  /// Each decision in turn is what the rules say; false if one is not, or one is missing.
  bool follows(const ExtentLocks::Decisions& decisions) {
    std::size_t granted = 0, called = 0;
    for (std::size_t i = 0; i < waiting.size();) {
      bool blocked = false;
      for (std::size_t j = 0; j < i; ++j) blocked = blocked || in_the_way(waiting[j], waiting[i]);
      for (Held& each : held) {
        if (!in_the_way(each.lock.request, waiting[i])) continue;
        blocked = true;
        if (std::exchange(each.called, true)) continue;
        if (called == decisions.called.size() || decisions.called[called++].number != each.lock.number)
          return false;
      }
      if (blocked) {
        ++i;
        continue;
      }
      if (granted == decisions.granted.size() ||
          decisions.granted[granted].request.ticket != waiting[i].ticket)
        return false;
      held.push_back({decisions.granted[granted++], false});
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return granted == decisions.granted.size() && called == decisions.called.size();
  }
  std::vector<ExtentLocks::Request> waiting;
  std::vector<Held> held;
};

}  // namespace

TEST_CASE("locks: random requests of six clients, decided as by comparing all with all") {
  std::uint64_t state = 5;
  const auto below = [&state](std::uint64_t bound) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % bound;
  };
  ExtentLocks locks({.backward = 2, .contended = 3, .growth = 20});
  Model model;
  std::uint32_t ticket = 0;
  for (int step = 0; step < 20'000; ++step) {
    ExtentLocks::Decisions decisions;
    if (model.held.empty() || (model.waiting.size() < 20 && below(2) == 0)) {
      const std::uint64_t begin = below(200);
      const ExtentLocks::Request request{
          static_cast<kernel::LpId>(below(6)), ++ticket, {begin, begin + 1 + below(30)}, below(2) == 0};
      model.waiting.push_back(request);
      locks.ask(request, decisions);
    } else {
      const auto gone = model.held.begin() + static_cast<std::ptrdiff_t>(below(model.held.size()));
      const std::uint64_t number = gone->lock.number;
      model.held.erase(gone);
      locks.release(number, decisions);
    }
    REQUIRE(model.follows(decisions));
    REQUIRE(locks.waiting() == model.waiting.size());
    REQUIRE(locks.granted() == model.held.size());
  }
}

TEST_CASE("locks: thousands that wait are not compared with each other at each request") {
  constexpr std::uint64_t clients = 4000;  // 10^10 comparisons if they were
  Table table;
  const auto first = table.write(0, 0, 1).granted.front();
  const std::clock_t begin = std::clock();
  for (std::uint64_t i = 1; i <= clients; ++i)
    REQUIRE(table.write(static_cast<kernel::LpId>(i), 10 * i, 10 * i + 5).granted.empty());
  CHECK(table.release(first).granted.size() == clients);
  CHECK(table.locks.waiting() == 0);
  CHECK(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC < 10);
}
