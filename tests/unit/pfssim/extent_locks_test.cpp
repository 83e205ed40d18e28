// Who gets which lock, and how far it grows.
#include <catch2/catch.hpp>

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
