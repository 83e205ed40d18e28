// Lists of ranges in one request, and accesses whose order the disks choose.
#include <catch2/catch.hpp>

#include "tests/unit/pfssim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pfs::Operation;
using pfs::Range;

namespace {

/// Analytic disks: 1 ms, 10 ms latency, 1 us per byte; 2 ms of server; 100 B of header; stripes of 1000 B.
pfs::Parameters parameters(std::uint32_t io_nodes) {
  pfs::Parameters all;
  all.io_nodes = io_nodes;
  all.stripe_unit = 1000;
  all.server_overhead = 2_ms;
  all.header = kernel::Bytes(100);
  all.disk = analytic_disk(1_ms, 10_ms, 1e6);
  return all;
}

Ask list(Operation operation, std::vector<Range> ranges) {
  std::uint64_t bytes = 0;
  for (const Range& range : ranges) bytes += range.bytes;
  return {1_ms, data(operation, 0, ranges.empty() ? 0 : ranges.front().offset, bytes), std::move(ranges)};
}

Ask directed(std::uint32_t members, std::vector<Range> ranges, std::uint32_t turn = 1) {
  Ask ask = list(Operation::write, std::move(ranges));
  ask.what.meeting = 7;
  ask.what.turn = turn;
  ask.what.members = members;
  return ask;
}

}  // namespace

TEST_CASE("a list is one message, and its ranges are served as they stand there") {
  const auto replies =
      replies_of({{0}, {{list(Operation::write, {{400, 100}, {0, 50}, {50, 20}})}}, parameters(4)});
  REQUIRE(replies[0].size() == 1);
  // Two of the three do not begin where the one before ended.
  const SimTime disk = 1_ms * 3 + 10_ms * 2 + 1_us * 170;
  CHECK(replies[0][0].at == 1_ms + latency + byte_on_wire * (100 + 3 * 16 + 170) + 2_ms + disk + latency +
                                byte_on_wire * 100 + tick);
  CHECK(replies[0][0].what.tally.writes == 3);
  CHECK(replies[0][0].what.tally.seeks == 2);
}

TEST_CASE("a list's ranges go to the cells that they touch") {
  // Cells of 1000 B on 2 disks: the first range is on both, the second on the other.
  const auto replies =
      replies_of({{0}, {{list(Operation::read, {{500, 1000}, {3000, 100}})}}, parameters(2)});
  REQUIRE(replies[0].size() == 1);
  CHECK(replies[0][0].what.tally.reads == 3);
}

TEST_CASE("a disk-directed access waits for all, and touches each run of bytes once") {
  const std::vector<Range> even{{0, 100}, {200, 100}, {400, 100}}, odd{{300, 100}, {100, 100}};
  for (int hosts = 1; hosts <= 3; ++hosts) {
    Ask late = directed(3, odd);
    late.at = 50_ms;
    const auto replies =
        replies_of({{0, 1, 2}, {{directed(3, even)}, {late}, {directed(3, {})}}, parameters(1)}, hosts);
    for (const auto& one : replies) REQUIRE(one.size() == 1);
    const SimTime all_here = 50_ms + latency + byte_on_wire * (100 + 2 * 16 + 200) + 2_ms;
    const SimTime done = all_here + 11_ms + 1_us * 500 + latency + byte_on_wire * 100 + tick;
    CHECK(replies[1][0].at >= done);
    CHECK(replies[1][0].at <= done + 1_ms);  // answers leave one after the other
    CHECK(replies[0][0].at >= done);
    CHECK(replies[2][0].at < done);  // it asked for nothing
    CHECK(replies[2][0].at > all_here);
    CHECK(replies[0][0].what.tally.writes + replies[1][0].what.tally.writes == 1);
    CHECK(replies[0][0].what.tally.seeks + replies[1][0].what.tally.seeks == 1);
  }
}

TEST_CASE("disk-directed accesses one after the other do not meet each other") {
  std::vector<Ask> first{directed(2, {{0, 10}}, 1), directed(2, {{100, 10}}, 2)};
  std::vector<Ask> second{directed(2, {{20, 10}}, 1), directed(2, {{120, 10}}, 2)};
  first[1].at = 500_ms;
  second[1].at = 600_ms;
  const auto replies = replies_of({{0, 1}, {first, second}, parameters(1)});
  REQUIRE(replies[0].size() == 2);
  REQUIRE(replies[1].size() == 2);
  CHECK(replies[0][0].at < 500_ms);
  CHECK(replies[0][1].at > 600_ms);
}

TEST_CASE("a disk-directed write takes its blocks out of the caches of other nodes") {
  pfs::Parameters cached = parameters(2);
  cached.caching.block = 100;
  cached.caching.cnode.blocks = 4;
  for (const int hosts : {1, 2}) {
    CAPTURE(hosts);
    Ask write = directed(2, {{0, 100}});
    Ask nothing = directed(2, {});
    write.at = nothing.at = 100_ms;
    Ask again = list(Operation::read, {{0, 100}});
    again.at = 300_ms;
    const auto replies =
        replies_of({{0, 1}, {{write}, {list(Operation::read, {{0, 100}}), nothing, again}}, cached}, hosts);
    REQUIRE(replies[0].size() == 1);
    REQUIRE(replies[1].size() == 3);
    CHECK(replies[1][2].what.tally.cnode_hits == 0);
    CHECK(replies[1][2].what.tally.misses == 1);
  }
}
