// Object servers: closed forms of RPCs, locks, dirty limits and metadata; no stale data; any host count.
#include <catch2/catch.hpp>

#include "pfssim/metadata_service.hpp"
#include "tests/unit/pfssim/random_programs.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pfs::Operation;

namespace {

constexpr std::uint64_t page = 1000;

/// Pages of 1000 B, RPCs of 4, room for dirty pages for 40; 2 ms of server, 3 ms for each request about a
/// lock; 100 B of header; disks of 1 ms and 1 us per byte; copies of 10 ns per byte.
pfs::Parameters parameters(std::uint32_t io_nodes = 1) {
  pfs::Parameters all;
  all.io_nodes = io_nodes;
  all.stripe_unit = 1'000'000;
  all.client_overhead = 500_us;
  all.server_overhead = 2_ms;
  all.header = kernel::Bytes(100);
  all.disk = analytic_disk(1_ms, 0_ps, 1e6);
  all.caching.copy = kernel::ByteTime::from_bandwidth(1e8);
  all.objects.on = true;
  all.objects.page = page;
  all.objects.rpc_size = 4 * page;
  all.objects.rpcs_in_flight = 2;
  all.objects.max_dirty = 40 * page;
  all.objects.cache = 1000 * page;
  all.objects.threads = 4;
  all.objects.lock_cost = 3_ms;
  all.objects.flush_interval = 100'000_ms;
  return all;
}

constexpr SimTime copy_time(std::int64_t bytes) {
  return 10_ns * bytes;
}
constexpr SimTime message(std::int64_t bytes) {
  return latency + byte_on_wire * (100 + bytes);
}
constexpr SimTime disk_time(std::int64_t bytes) {
  return 1_ms + 1_us * bytes;
}
/// A lock that nobody else has.
constexpr SimTime lock_time() {
  return message(0) + 3_ms + message(0);
}
constexpr SimTime rpc_time(std::int64_t bytes) {
  return message(bytes) + 2_ms + disk_time(bytes) + message(0) + tick;
}
/// Steps that the kernel lengthens to 1 ps each.
constexpr SimTime rounding = 20_ps;

void check_near(SimTime found, SimTime expected) {
  INFO("found " << found.ps() << " expected " << expected.ps());
  CHECK(found >= expected);
  CHECK(found <= expected + rounding);
}

pfs::TransactionData tagged(Operation operation, std::uint64_t offset, std::uint64_t bytes,
                            std::uint32_t tag) {
  pfs::TransactionData what = data(operation, 0, offset, bytes);
  what.tag = tag;
  return what;
}

}  // namespace

TEST_CASE("objects: the first write asks for a lock, the second has it; neither waits for the disk") {
  Setup setup{{0}, {{}}, parameters()};
  setup.asks[0] = {{1_ms, data(Operation::write, 0, 0, 500)}, {50_ms, data(Operation::write, 0, 9000, 700)}};
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 2);
  check_near(replies[0].at - 1_ms, lock_time() + copy_time(500));
  check_near(replies[1].at - 50_ms, copy_time(700));
}

TEST_CASE("objects: a sync writes what is dirty and waits for the disk; a second one has nothing to do") {
  Setup setup{{0}, {{}}, parameters()};
  setup.asks[0] = {{1_ms, data(Operation::write, 0, 0, 3000)},
                   {50_ms, data(Operation::sync, 0, 0, 0)},
                   {90_ms, data(Operation::sync, 0, 0, 0)}};
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 3);
  check_near(replies[1].at - 50_ms, rpc_time(3000));
  check_near(replies[2].at - 90_ms, 0_ps);
}

TEST_CASE("objects: a read misses with an RPC, then hits") {
  Setup setup{{0}, {{}}, parameters()};
  setup.asks[0] = {{1_ms, data(Operation::read, 0, 0, 3000)}, {50_ms, data(Operation::read, 0, 1000, 2000)}};
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 2);
  const SimTime fetch = message(0) + 2_ms + disk_time(3000) + message(3000);
  check_near(replies[0].at - 1_ms, lock_time() + fetch + copy_time(3000));
  CHECK(replies[0].what.tally.misses == 3);
  check_near(replies[1].at - 50_ms, copy_time(2000));
  CHECK(replies[1].what.tally.cnode_hits == 2);
}

TEST_CASE("objects: a stream of one client goes at the rate of RPCs in flight, or of the disk") {
  const auto rate = [](std::uint32_t in_flight) {
    Setup setup{{0}, {{}}, parameters()};
    // An RPC takes 2 ms of a thread, 5 ms of the disk, and a millisecond of the network.
    setup.parameters.objects.rpcs_in_flight = in_flight;
    setup.parameters.objects.max_dirty = 16 * page;
    setup.asks[0] = {{1_ms, tagged(Operation::write, 0, 400 * page, 1)},
                     {2_ms, data(Operation::sync, 0, 0, 0)}};
    const auto replies = replies_of(setup)[0];
    SimTime done;
    for (const Reply& reply : replies)
      if (reply.what.tag == 1) done = reply.at;
    return 400.0 * page / (done - 1_ms).seconds();
  };
  const double bytes = 4 * page;
  // Alone, an RPC waits for nothing; with two or more in flight the disk never rests.
  CHECK(rate(1) == Approx(bytes / rpc_time(4000).seconds()).epsilon(0.06));
  CHECK(rate(4) == Approx(bytes / disk_time(4000).seconds()).epsilon(0.06));
  CHECK(rate(1) < 0.85 * rate(4));
}

TEST_CASE("objects: a writer that has max_dirty bytes under way waits") {
  Setup setup{{0}, {{}}, parameters()};
  setup.parameters.objects.max_dirty = 8 * page;
  setup.asks[0] = {{1_ms, data(Operation::write, 0, 0, 8 * page)},
                   {1_ms + 1_us, data(Operation::write, 0, 8 * page, page)}};
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 2);
  check_near(replies[0].at - 1_ms, lock_time() + copy_time(8000));
  // The first RPC leaves when all has been copied that was there when it was made: 4 pages.
  check_near(replies[1].at - 1_ms, lock_time() + copy_time(4000) + rpc_time(4000) + copy_time(1000));
}

TEST_CASE("objects: dirty pages leave by themselves after flush_interval") {
  Setup setup{{0}, {{}}, parameters()};
  setup.parameters.objects.flush_interval = 200_ms;
  setup.asks[0] = {{1_ms, data(Operation::write, 0, 0, 3000)}, {400_ms, data(Operation::sync, 0, 0, 0)}};
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 2);
  check_near(replies[1].at - 400_ms, 0_ps);
}

TEST_CASE(
    "objects: pages that became dirty after the timer was set, for others that have left, stay as long") {
  Setup setup{{0}, {{}}, parameters()};
  setup.parameters.objects.flush_interval = 200_ms;
  // The sync at 50 ms leaves nothing dirty; the timer of 1 ms is for nothing then.
  setup.asks[0] = {{1_ms, data(Operation::write, 0, 0, 3000)},   {50_ms, data(Operation::sync, 0, 0, 0)},
                   {150_ms, data(Operation::write, 0, 0, 3000)}, {250_ms, data(Operation::sync, 0, 0, 0)},
                   {300_ms, data(Operation::write, 0, 0, 3000)}, {600_ms, data(Operation::sync, 0, 0, 0)}};
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 6);
  check_near(replies[3].at - 250_ms, rpc_time(3000));
  check_near(replies[5].at - 600_ms, 0_ps);
}

TEST_CASE("objects: a write that waits for room while a read is on its way goes on when that is answered") {
  Setup setup{{0}, {{}}, parameters()};
  setup.parameters.objects.max_dirty = 2 * page;  // less than an RPC: nothing leaves by itself
  setup.asks[0] = {{1_ms, data(Operation::write, 0, 0, 2 * page)},
                   {50_ms, tagged(Operation::read, 100 * page, page, 1)},
                   {51_ms, tagged(Operation::write, 10 * page, page, 2)}};
  SimTime read, written;
  const auto replies = replies_of(setup)[0];
  for (const Reply& reply : replies) {
    if (reply.what.tag == 1) read = reply.at;
    if (reply.what.tag == 2) written = reply.at;
  }
  REQUIRE(read > 51_ms);
  check_near(written - read, rpc_time(2 * page) + copy_time(page));
}

TEST_CASE("objects: two nodes that write one page in turn pay for a flush and two trips each time") {
  Setup setup{{0, 1}, {{}, {}}, parameters()};
  for (int turn = 0; turn < 6; ++turn)
    setup.asks[turn % 2].push_back({100_ms * (turn + 1), data(Operation::write, 0, 0, page)});
  const auto replies = replies_of(setup);
  const SimTime call = message(0) + 500_us;                    // of the holder
  const SimTime flush = rpc_time(page);                        // the holder's page
  const SimTime handed_over = message(0) + 3_ms + message(0);  // given back, granted
  for (int turn = 1; turn < 6; ++turn) {
    CAPTURE(turn);
    const Reply& reply = replies[static_cast<std::size_t>(turn % 2)][static_cast<std::size_t>(turn / 2)];
    check_near(reply.at - 100_ms * (turn + 1),
               message(0) + 3_ms + call + flush + handed_over + copy_time(page));
  }
}

TEST_CASE("objects: small records of two nodes in one page are read back before they are changed") {
  Setup setup{{0, 1}, {{}, {}}, parameters()};
  setup.asks[0] = {{100_ms, data(Operation::write, 0, 0, 400)}};
  setup.asks[1] = {{200_ms, data(Operation::write, 0, 500, 400)}};
  const auto replies = replies_of(setup);
  const SimTime lock =
      message(0) + 3_ms + message(0) + 500_us + rpc_time(400) + message(0) + 3_ms + message(0);
  const SimTime fetch = message(0) + 2_ms + disk_time(page) + message(page);
  check_near(replies[1][0].at - 200_ms, lock + fetch + copy_time(400));
}

TEST_CASE("objects: readers share a page, and a writer calls them all") {
  Setup setup{{0, 1, 2}, {{}, {}, {}}, parameters()};
  setup.asks[0] = {{100_ms, data(Operation::read, 0, 0, page)}, {400_ms, data(Operation::read, 0, 0, page)}};
  setup.asks[1] = {{200_ms, data(Operation::read, 0, 0, page)}};
  setup.asks[2] = {{300_ms, data(Operation::write, 0, 0, page)}};
  const auto replies = replies_of(setup);
  const SimTime fetch = message(0) + 2_ms + disk_time(page) + message(page) + copy_time(page);
  check_near(replies[1][0].at - 200_ms, lock_time() + fetch);
  // Both calls leave the server's port after each other, both locks come back to it after each other.
  CHECK(replies[2][0].at - 300_ms > message(0) * 4 + 3_ms * 2 + 500_us);
  CHECK(replies[2][0].at - 300_ms < message(0) * 4 + 3_ms * 2 + 500_us + 20_us);
  CHECK(replies[0][1].what.tally.cnode_hits == 0);  // what it had has gone
}

TEST_CASE("objects: nothing is read ahead beyond the end of a file") {
  pfs::Parameters all = parameters();
  all.objects.read_ahead = 10 * page;
  pfs::TransactionData open = data(Operation::open, 0, 0, 6 * page);  // that was there before the run
  open.name = 7;
  const auto read = [](std::uint64_t first, std::uint64_t pages) {
    return data(Operation::read, 0, first * page, pages * page);
  };
  // Page 6 is not read by anybody but who asks for it.
  const auto before = replies_of(
      {{0}, {{{1_ms, open}, {100_ms, read(0, 1)}, {300_ms, read(1, 5)}, {500_ms, read(6, 1)}}}, all})[0];
  REQUIRE(before.size() == 4);
  CHECK(before[1].what.tally.misses == 1);
  CHECK(before[2].what.tally.cnode_hits == 5);
  CHECK(before[3].what.tally.misses == 1);

  // What another node has written in the run, as the lock tells; a later opener's size does not count.
  open.bytes = 0;
  pfs::TransactionData late = open;
  late.bytes = 20 * page;
  const auto written =
      replies_of({{0, 1},
                  {{{1_ms, open}, {100_ms, data(Operation::write, 0, 0, 6 * page)}},
                   {{300_ms, late}, {500_ms, read(0, 1)}, {700_ms, read(1, 5)}, {900_ms, read(6, 1)}}},
                  all})[1];
  REQUIRE(written.size() == 4);
  CHECK(written[2].what.tally.cnode_hits == 5);
  CHECK(written[3].what.tally.misses == 1);
}

TEST_CASE("objects: n files take n / threads times as long as one to create") {
  const auto last = [](std::uint32_t files, std::uint32_t threads) {
    Setup setup{{0}, {{}}, parameters()};
    setup.parameters.open_cost = 10_ms;
    setup.parameters.metadata.servers = 1;
    setup.parameters.metadata.threads = threads;
    setup.parameters.metadata.create_cost = 30_ms;
    setup.parameters.metadata.remove_cost = 5_ms;
    for (std::uint32_t file = 0; file < files; ++file) {
      pfs::TransactionData open = data(Operation::open, 0, 0, 0);
      open.name = file;
      setup.asks[0].push_back({1_ms, open});
    }
    return replies_of(setup)[0].back().at - 1_ms;
  };
  const SimTime trip = message(0) * 2 + tick;
  check_near(last(1, 4), trip + 40_ms);
  // The last ones wait for the client's port, too: 1 us for each message before.
  CHECK(last(64, 4) >= trip + 40_ms * 16);
  CHECK(last(64, 4) <= trip + 40_ms * 16 + 200_us);
  CHECK(last(64, 1) >= 40_ms * 64);
}

TEST_CASE("metadata servers: each name has one, numbers do not meet") {
  pfs::Parameters all = parameters();
  Setup setup{{0}, {{}}, all};
  setup.parameters.metadata.servers = 3;
  setup.parameters.metadata_cost = 1_ms;
  for (std::uint32_t file = 0; file < 9; ++file) {
    pfs::TransactionData open = data(Operation::open, 0, 0, 0);
    open.name = file;
    setup.asks[0].push_back({10_ms * (file + 1), open});
  }
  pfs::TransactionData again = data(Operation::open, 0, 0, 0);
  again.name = 4;
  setup.asks[0].push_back({200_ms, again});
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 10);
  std::map<std::uint32_t, int> numbers;
  for (std::size_t i = 0; i < 9; ++i) ++numbers[replies[i].what.file];
  CHECK(numbers.size() == 9);
  CHECK(replies[9].what.file == replies[4].what.file);
}

namespace {

Setup random_program(std::uint64_t seed, std::size_t requests) {
  pfs::CachingParameters caching;
  caching.versions = true;
  Setup setup = random_requests(seed, caching, requests);
  pfs::ObjectParameters& objects = setup.parameters.objects;
  objects.on = true;
  objects.page = random_block;
  objects.rpc_size = (1 + seed % 3) * random_block;
  objects.rpcs_in_flight = 1 + static_cast<std::uint32_t>(seed % 2);
  objects.max_dirty = (seed % 4 == 0 ? 1 : 3) * random_block;
  objects.cache = (seed % 3 == 0 ? 4 : 20) * random_block;
  objects.threads = 1 + static_cast<std::uint32_t>(seed % 3);
  objects.lock_cost = seed % 2 == 0 ? 0_ps : 20_us;
  objects.read_ahead = seed % 5 == 0 ? 3 * random_block : 0;
  objects.flush_interval = seed % 3 == 1 ? 10_ms : 300_ms;
  if (seed % 2 == 1) objects.growth = {0, 0, random_block};
  return setup;
}

}  // namespace

TEST_CASE("objects: no read returns what is older than a write that was done before it") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Setup setup = random_program(seed, 120);
    const auto replies = replies_of(setup);
    CAPTURE(seed);
    for (const auto& asker : replies) REQUIRE(asker.size() == 120);
    REQUIRE(stale_reads(setup, replies) == 0);
  }
}

TEST_CASE("objects: the same replies at the same times on any number of host processes") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Setup setup = random_program(seed, 40);
    setup.parameters.metadata.servers = static_cast<std::uint32_t>(seed % 3);
    const auto expected = replies_of(setup);
    for (const int hosts : {2, 3}) {
      CAPTURE(seed, hosts);
      REQUIRE(same(replies_of(setup, hosts, seed), expected));
    }
  }
}
