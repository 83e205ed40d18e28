// Limits of requests, lock step, copies of the client, buffered writes, a slow disk: closed forms.
#include <catch2/catch.hpp>

#include "tests/unit/pfssim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pfs::Operation;

namespace {

/// Analytic disks: 1 ms, 10 ms latency unless a request continues the last, 1 us per byte; 2 ms of server, 3
/// ms of client; 100 B of header; stripes of 1000 B.
pfs::Parameters parameters(std::uint32_t io_nodes) {
  pfs::Parameters all;
  all.io_nodes = io_nodes;
  all.stripe_unit = 1000;
  all.client_overhead = 3_ms;
  all.server_overhead = 2_ms;
  all.header = kernel::Bytes(100);
  all.disk = analytic_disk(1_ms, 10_ms, 1e6);
  return all;
}

constexpr SimTime disk_latency = 10_ms;

SimTime disk_time(std::int64_t bytes) {
  return 1_ms + disk_latency + 1_us * bytes;
}
SimTime message(std::int64_t bytes) {
  return latency + byte_on_wire * (100 + bytes);
}

std::vector<Reply> replies(const pfs::Parameters& all, const std::vector<Ask>& asks, int hosts = 1) {
  auto got = replies_of({{0}, {asks}, all}, hosts)[0];
  REQUIRE(got.size() == asks.size());
  return got;
}

std::int64_t time_of(const pfs::Parameters& all, const pfs::TransactionData& what, int hosts = 1) {
  return replies(all, {{1_ms, what}}, hosts)[0].at.ps() - (1_ms).ps();
}

/// From the first message of a write, or read, of so many bytes on one disk that nobody else uses to its
/// answer; a reply that need not wait for a copy takes a tick more.
SimTime answered(std::int64_t bytes) {
  return message(bytes) + 2_ms + disk_time(bytes) + message(0);
}

}  // namespace

TEST_CASE("a request within the limit is one piece") {
  pfs::Parameters all = parameters(2);
  const std::int64_t before = time_of(all, data(Operation::write, 0, 0, 4000));
  all.request_limit = 2000;
  CHECK(time_of(all, data(Operation::write, 0, 0, 4000)) == before);
}

TEST_CASE("in lock step a piece leaves when the one before has been answered, after the client's overhead") {
  pfs::Parameters all = parameters(1);
  all.request_limit = 2000;
  CHECK(time_of(all, data(Operation::write, 0, 0, 5000)) ==
        (answered(2000) * 2 + answered(1000) - disk_latency * 2 + 3_ms * 2 + tick).ps());
  CHECK(time_of(all, data(Operation::read, 0, 0, 5000)) ==
        (answered(2000) * 2 + answered(1000) - disk_latency * 2 + 3_ms * 2 + tick).ps());
  CHECK(replies(all, {{1_ms, data(Operation::write, 0, 0, 5000)}})[0].what.tally.writes == 3);
}

TEST_CASE("the limit is one of each disk: a piece is as long as all disks of the file allow") {
  pfs::Parameters all = parameters(2);
  all.request_limit = 2000;
  const std::int64_t piece = time_of(all, data(Operation::write, 0, 0, 4000));
  CHECK(time_of(all, data(Operation::write, 0, 0, 8000)) == piece * 2 + (3_ms - disk_latency - tick).ps());
  // Not whole stripes: 2000 B of each disk all the same.
  CHECK(replies(all, {{1_ms, data(Operation::write, 0, 300, 8000)}})[0].what.tally.writes == 4);
  CHECK(replies(all, {{1_ms, data(Operation::write, 0, 300, 8001)}})[0].what.tally.writes == 5);
}

TEST_CASE("without lock step all pieces leave at once") {
  pfs::Parameters all = parameters(1);
  all.request_limit = 2000;
  all.lock_step = false;
  // The port sends one after the other, the disk is the bottleneck.
  CHECK(time_of(all, data(Operation::write, 0, 0, 4000)) ==
        (message(2000) + 2_ms + disk_time(2000) * 2 - disk_latency + message(0) + tick).ps());
}

TEST_CASE("the client copies what it writes before it sends it, and what it reads when it is there") {
  pfs::Parameters all = parameters(1);
  const std::int64_t write = time_of(all, data(Operation::write, 0, 0, 3000));
  const std::int64_t read = time_of(all, data(Operation::read, 0, 0, 3000));
  all.client_copy = kernel::ByteTime::from_bandwidth(1e6);
  CHECK(time_of(all, data(Operation::write, 0, 0, 3000)) == write + (3_ms).ps());
  CHECK(time_of(all, data(Operation::read, 0, 0, 3000)) == read + (3_ms - tick).ps());
  all.request_limit = 2000;
  CHECK(time_of(all, data(Operation::write, 0, 0, 3000)) ==
        (answered(2000) + answered(1000) - disk_latency + 3_ms + 3_ms + tick).ps());
  CHECK(time_of(all, data(Operation::read, 0, 0, 3000)) ==
        (answered(2000) + answered(1000) - disk_latency + 3_ms + 3_ms).ps());
}

TEST_CASE("writes of whole units are answered when they are in the buffer, in which there is room for some") {
  pfs::Parameters all = parameters(1);
  all.write_buffer = {2000, 1000, 1000};
  const auto got = replies(all, {{1_ms, data(Operation::write, 0, 0, 1000)},
                                 {2_ms, data(Operation::write, 0, 1000, 1000)},
                                 {3_ms, data(Operation::write, 0, 2000, 1000)},
                                 {4_ms, data(Operation::sync, 0, 0, 0)}});
  const SimTime in = 1_ms + message(1000) + 2_ms;  // the first is in the buffer
  CHECK(got[0].at.ps() == (in + message(0) + tick).ps());
  CHECK(got[0].what.tally.writes == 0);  // in the background
  CHECK(got[1].at.ps() == (in + 2_ms + message(0) + tick).ps());
  CHECK(got[2].at.ps() ==
        (in + tick + disk_time(1000) + message(0) + tick).ps());  // when the first has been written
  CHECK(got[3].at.ps() == (in + tick + disk_time(1000) * 3 - disk_latency * 2 + message(0) + tick).ps());
}

TEST_CASE("parts of units and long writes wait for the disk") {
  pfs::Parameters all = parameters(1);
  all.write_buffer = {10'000, 1000, 2000};
  for (const auto& [offset, bytes] : {std::pair{0, 999}, {1, 1000}, {0, 3000}})
    CHECK(time_of(all, data(Operation::write, 0, static_cast<std::uint64_t>(offset),
                            static_cast<std::uint64_t>(bytes))) == (answered(bytes) + tick).ps());
  CHECK(time_of(all, data(Operation::write, 0, 0, 2000)) == (message(2000) + 2_ms + message(0) + tick).ps());
}

TEST_CASE("a read comes after what is in the buffer") {
  pfs::Parameters all = parameters(1);
  all.write_buffer = {10'000, 1000, 2000};
  const auto got =
      replies(all, {{1_ms, data(Operation::write, 0, 0, 2000)}, {5_ms, data(Operation::read, 0, 0, 100)}});
  CHECK(got[1].at.ps() ==
        (1_ms + message(2000) + 2_ms + tick + disk_time(2000) + disk_time(100) + message(100) + tick).ps());
}

TEST_CASE("the disks of one I/O node can be slow") {
  pfs::Parameters all = parameters(2);
  all.slow_disk = {1, 2.5, 1};
  CHECK(time_of(all, data(Operation::read, 0, 0, 100)) == (answered(100) + tick).ps());
  CHECK(time_of(all, data(Operation::read, 0, 1000, 100)) ==
        (message(0) + 2_ms + SimTime::picoseconds(disk_time(100).ps() / 2 * 5) + message(100) + tick).ps());
  CHECK(time_of(all, data(Operation::write, 0, 1000, 100)) == (answered(100) + tick).ps());
}

TEST_CASE("a sync reaches the caches of all I/O nodes, also without one at the compute node") {
  pfs::Parameters all = parameters(2);
  all.caching.block = 1000;
  all.caching.ionode.blocks = 10;
  all.caching.ionode.write_back = all.caching.ionode.allocate = true;
  const auto got =
      replies(all, {{1_ms, data(Operation::write, 0, 1000, 1000)}, {10_ms, data(Operation::sync, 0, 0, 0)}});
  CHECK(got[0].at < 10_ms);
  CHECK(got[1].at > 10_ms + disk_time(1000));
}

TEST_CASE("pieces and buffers are the same on two host processes") {
  pfs::Parameters all = parameters(3);
  all.request_limit = 1500;
  all.client_copy = kernel::ByteTime::from_bandwidth(1e6);
  all.write_buffer = {3000, 500, 1000};
  std::vector<Ask> asks;
  for (std::uint64_t i = 0; i < 20; ++i)
    asks.push_back({1_ms * static_cast<std::int64_t>(1 + 3 * i),
                    data(i % 3 == 2 ? Operation::read : Operation::write, 0, i * 700, 500 * (i % 9 + 1))});
  const Setup setup{{0, 1}, {asks, asks}, all};
  const auto one = replies_of(setup, 1), two = replies_of(setup, 2);
  for (std::size_t asker = 0; asker < 2; ++asker)
    for (std::size_t i = 0; i < one[asker].size(); ++i) CHECK(one[asker][i].at == two[asker][i].at);
}
