// Burst buffers: the rate of writes before and after the buffer is full, hits, stage-outs, no stale data.
#include <catch2/catch.hpp>

#include "pfssim/buffered_bytes.hpp"
#include "tests/unit/pfssim/random_programs.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pfs::BufferedBytes;
using pfs::Operation;

namespace {

/// One buffer of 100,000 B whose device takes 10 us + 0.1 us per byte, in front of a disk of 1 ms + 10 us per
/// byte; drains of 10,000 B, one at a time; 20 us of server; 100 B of header.
pfs::Parameters parameters() {
  pfs::Parameters all;
  all.stripe_unit = 1'000'000'000;
  all.client_overhead = 500_us;
  all.server_overhead = 20_us;
  all.header = kernel::Bytes(100);
  all.disk = analytic_disk(1_ms, 0_ps, 1e5);
  all.burst.place = pfs::BurstParameters::Place::dedicated;
  all.burst.nodes = 1;
  all.burst.capacity = 100'000;
  all.burst.stripe = 1'000'000;
  all.burst.transfer = 10'000;
  all.burst.drains = 1;
  all.burst.drain_delay = 10'000_ms;
  all.burst.device = analytic_disk(10_us, 0_ps, 1e7);
  return all;
}

constexpr SimTime message(std::int64_t bytes) {
  return latency + byte_on_wire * (100 + bytes);
}
constexpr SimTime device_time(std::int64_t bytes) {
  return 10_us + 100_ns * bytes;
}
constexpr SimTime rounding = 20_ps;

void check_near(SimTime found, SimTime expected) {
  INFO("found " << found.ps() << " expected " << expected.ps());
  CHECK(found >= expected);
  CHECK(found <= expected + rounding);
}

}  // namespace

TEST_CASE("burst buffer: a write is answered when it is on the device, a read comes from there") {
  Setup setup{{0}, {{}}, parameters()};
  setup.asks[0] = {{1_ms, data(Operation::write, 0, 0, 5000)},
                   {50_ms, data(Operation::read, 0, 1000, 2000)},
                   {90_ms, data(Operation::sync, 0, 0, 0)}};
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 3);
  check_near(replies[0].at - 1_ms, message(5000) + 20_us + device_time(5000) + message(0));
  check_near(replies[1].at - 50_ms, message(0) + 20_us + device_time(2000) + message(2000));
  check_near(replies[2].at - 90_ms, message(0) + 20_us + message(0));  // nothing to wait for
}

TEST_CASE("burst buffer: what is not here is read from below, and does not stay") {
  Setup setup{{0}, {{}}, parameters()};
  for (int i = 1; i <= 2; ++i) setup.asks[0].push_back({100_ms * i, data(Operation::read, 0, 0, 1000)});
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 2);
  const SimTime below = message(0) + 20_us + 1_ms + 10_us * 1000 + message(1000);
  for (std::size_t i = 0; i < 2; ++i)
    check_near(replies[i].at - 100_ms * static_cast<int>(i + 1), message(0) + 20_us + below + message(1000));
}

TEST_CASE("burst buffer: the rate is the device's until it is full, then that of drains") {
  Setup setup{{0}, {{}}, parameters()};
  constexpr int writes = 60;  // of 10,000 B: six times the capacity
  for (int i = 0; i < writes; ++i)
    setup.asks[0].push_back(
        {1_ms, data(Operation::write, 0, static_cast<std::uint64_t>(i) * 10'000, 10'000)});
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == writes);
  const auto between = [&](std::size_t from, std::size_t to) {
    return (replies[to].at - replies[from].at).seconds() / static_cast<double>(to - from);
  };
  // The device also reads what drains: one transfer while the first ten come.
  CHECK(between(0, 8) == Approx(device_time(10'000).seconds() * 9 / 8).epsilon(0.05));
  const SimTime drain = device_time(10'000) + message(10'000) + 20_us + 1_ms + 10_us * 10'000 + message(0);
  CHECK(between(20, 50) == Approx(drain.seconds()).epsilon(0.02));
}

TEST_CASE("burst buffer: drains keep to their bandwidth") {
  Setup setup{{0}, {{}}, parameters()};
  setup.parameters.burst.drain_time = kernel::ByteTime::from_bandwidth(2e4);
  for (int i = 0; i < 40; ++i)
    setup.asks[0].push_back(
        {1_ms, data(Operation::write, 0, static_cast<std::uint64_t>(i) * 10'000, 10'000)});
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 40);
  const double rate = 20 * 10'000.0 / (replies[35].at - replies[15].at).seconds();
  CHECK(rate == Approx(2e4).epsilon(0.01));
}

TEST_CASE("burst buffer: with stage_out a sync waits until all of the file is below") {
  Setup setup{{0}, {{}}, parameters()};
  setup.parameters.burst.stage_out = true;
  setup.asks[0] = {{1_ms, data(Operation::write, 0, 0, 5000)},
                   {50_ms, data(Operation::sync, 0, 0, 0)},
                   {500_ms, data(Operation::sync, 0, 0, 0)}};
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 3);
  const SimTime drain = device_time(5000) + message(5000) + 20_us + 1_ms + 10_us * 5000 + message(0);
  check_near(replies[1].at - 50_ms, message(0) + 20_us + drain + message(0));
  check_near(replies[2].at - 500_ms, message(0) + 20_us + message(0));
}

TEST_CASE("burst buffer: a stage-out asks for a sync below only where something may be behind") {
  const auto sync_time = [](void change(pfs::Parameters&)) {
    Setup setup{{0}, {{}}, parameters()};
    setup.parameters.burst.stage_out = true;
    setup.parameters.caching.block = 1000;
    change(setup.parameters);
    setup.asks[0] = {{500_ms, data(Operation::sync, 0, 0, 0)}};
    return replies_of(setup)[0].at(0).at - 500_ms;
  };
  const SimTime alone = message(0) + 20_us + message(0);
  const auto buffer = [](pfs::Parameters& all) { all.write_buffer.size = 1 << 20; };
  CHECK(sync_time(buffer) > alone + message(0));
  check_near(sync_time([](pfs::Parameters& all) {
               all.write_buffer.size = 1 << 20;
               all.caching.ionode.blocks = 10;  // write-through: such an I/O node has no write buffer
             }),
             alone);
}

TEST_CASE("burst buffer: what came after the timer was set, for bytes that have drained, stays as long") {
  Setup setup{{0}, {{}}, parameters()};
  setup.parameters.burst.drain_delay = 400_ms;
  // 5000 B wait for the delay. A transfer is there at 200 ms: 10,000 B leave, and 2000 B of 200 ms stay.
  setup.asks[0] = {{1_ms, data(Operation::write, 0, 0, 5000)},
                   {200_ms, data(Operation::write, 0, 5000, 7000)},
                   {500_ms, data(Operation::sync, 0, 0, 0)}};
  const auto sync_time = [&](SimTime at) {
    setup.parameters.burst.stage_out = true;
    setup.asks[0].back().at = at;
    return replies_of(setup)[0].back().at - at;
  };
  const SimTime nothing = message(0) + 20_us + message(0);
  const SimTime drain = device_time(2000) + message(2000) + 20_us + 1_ms + 10_us * 2000 + message(0);
  check_near(sync_time(550_ms), nothing + drain);  // the timer of the first bytes would have been at 401 ms
  check_near(sync_time(800_ms), nothing);
}

TEST_CASE("burst buffer: bytes that wait for older ones of their place hold no other file up") {
  Setup setup{{0}, {{}}, parameters()};
  setup.parameters.burst.stage_out = true;
  setup.parameters.burst.drains = 2;
  setup.parameters.io_nodes = 2;  // each file has a disk to itself
  setup.parameters.stripe_factor = 1;
  const auto of_file = [](Operation operation, std::uint32_t file, std::uint64_t bytes, std::uint32_t tag) {
    pfs::TransactionData what = data(operation, file, 0, bytes);
    what.tag = tag;
    return what;
  };
  const SimTime one = device_time(10'000) + message(10'000) + 20_us + 1_ms + 10_us * 10'000 + message(0);
  // File 0 has bytes on their way when they are written again: its stage-out waits for both, that of file 1
  // for its own.
  setup.asks[0] = {{1_ms, of_file(Operation::write, 0, 10'000, 1)},
                   {10_ms, of_file(Operation::write, 0, 5000, 2)},
                   {20_ms, of_file(Operation::sync, 0, 0, 3)},
                   {30_ms, of_file(Operation::write, 1, 5000, 4)},
                   {40_ms, of_file(Operation::sync, 1, 0, 5)}};
  std::map<std::uint32_t, SimTime> at;
  const auto replies = replies_of(setup)[0];
  for (const Reply& reply : replies) at[reply.what.tag] = reply.at;
  CHECK(at[3] > 1_ms + one + 50_ms);
  CHECK(at[5] < 40_ms + 60_ms);
}

TEST_CASE("burst buffer: bytes that are old enough do not wait for older ones of another file") {
  Setup setup{{0}, {{}}, parameters()};
  setup.parameters.burst.stage_out = true;
  setup.parameters.burst.drains = 2;
  setup.parameters.burst.drain_delay = 5_ms;
  setup.parameters.io_nodes = 2;  // each file has a disk to itself
  setup.parameters.stripe_factor = 1;
  // File 0 is on its way from 6 ms to 100 ms and more, and waits for that when it is written again; file 1
  // leaves at 25 ms and has arrived when it is asked for.
  setup.asks[0] = {{1_ms, data(Operation::write, 0, 0, 10'000)},
                   {10_ms, data(Operation::write, 0, 0, 5000)},
                   {20_ms, data(Operation::write, 1, 0, 5000)},
                   {90_ms, data(Operation::sync, 1, 0, 0)}};
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 4);
  CHECK(replies[3].at < 95_ms);
}

TEST_CASE("burst buffer: on the compute node nothing passes the network until the stage-out") {
  Setup setup{{0}, {{}}, parameters()};
  setup.parameters.burst.place = pfs::BurstParameters::Place::local;
  setup.asks[0] = {{1_ms, data(Operation::write, 0, 0, 5000)},
                   {50_ms, data(Operation::sync, 0, 0, 0)},
                   {500_ms, data(Operation::read, 0, 0, 5000)}};
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 3);
  check_near(replies[0].at - 1_ms, device_time(5000));
  const SimTime drain = device_time(5000) + message(5000) + 20_us + 1_ms + 10_us * 5000 + message(0);
  check_near(replies[1].at - 50_ms, drain);
  // After the sync another node may have changed it.
  check_near(replies[2].at - 500_ms, message(0) + 20_us + 1_ms + 10_us * 5000 + message(5000));
}

TEST_CASE("burst buffer: stripes of a file go round the buffers, which work side by side") {
  const auto time = [](std::uint32_t buffers) {
    Setup setup{{0}, {{}}, parameters()};
    setup.parameters.burst.nodes = buffers;
    setup.parameters.burst.stripe = 10'000;
    setup.asks[0] = {{1_ms, data(Operation::write, 0, 0, 40'000)}};
    return replies_of(setup)[0].at(0).at - 1_ms;
  };
  // Four transfers of one device; or one each, of which the last leaves the client behind three others.
  check_near(time(1), message(40'000) + 20_us + device_time(10'000) * 4 + message(0));
  check_near(time(4), byte_on_wire * 10'100 * 3 + message(10'000) + 20_us + device_time(10'000) + message(0));
}

namespace {

Setup random_program(std::uint64_t seed, std::size_t requests) {
  pfs::CachingParameters caching;
  caching.versions = true;
  caching.block = random_block;
  Setup setup = random_requests(seed, caching, requests);
  // A buffer keeps bytes, not blocks, so that a block's version means something for whole blocks only.
  for (std::vector<Ask>& asks : setup.asks)
    for (Ask& ask : asks) {
      ask.what.offset = ask.what.offset / random_block * random_block;
      ask.what.bytes = random_block;
    }
  pfs::BurstParameters& burst = setup.parameters.burst;
  burst.place = pfs::BurstParameters::Place::dedicated;
  burst.nodes = 1 + static_cast<std::uint32_t>(seed % 3);
  burst.capacity = (seed % 2 == 0 ? 3 : 12) * random_block;
  burst.stripe = (1 + seed % 2) * random_block;
  burst.transfer = (1 + seed % 3) * random_block;
  burst.drains = 1 + static_cast<std::uint32_t>(seed % 4);
  burst.drain_delay = seed % 5 == 0 ? 1_ms : 100_ms;
  burst.stage_out = seed % 2 == 0;
  burst.device = analytic_disk(10_us, 0_ps, 1e8);
  setup.parameters.objects.on = seed % 2 == 1;
  setup.parameters.objects.page = random_block;
  setup.parameters.objects.rpc_size = 2 * random_block;
  setup.parameters.objects.max_dirty = 4 * random_block;
  setup.parameters.objects.cache = 8 * random_block;
  return setup;
}

}  // namespace

TEST_CASE("burst buffers: no read returns what is older than a write that was done before it") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Setup setup = random_program(seed, 120);
    const auto replies = replies_of(setup);
    CAPTURE(seed);
    for (const auto& asker : replies) REQUIRE(asker.size() == 120);
    REQUIRE(stale_reads(setup, replies) == 0);
  }
}

TEST_CASE("burst buffers: the same replies at the same times on any number of host processes") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Setup setup = random_program(seed, 40);
    if (seed > 4) setup.parameters.burst.place = pfs::BurstParameters::Place::local;
    const auto expected = replies_of(setup);
    for (const int hosts : {2, 3}) {
      CAPTURE(seed, hosts);
      REQUIRE(same(replies_of(setup, hosts, seed), expected));
    }
  }
}

TEST_CASE("buffered bytes: runs join, leave in order, and are clean only if they were not written since") {
  BufferedBytes bytes;
  bytes.write(1, {100, 50});
  bytes.write(1, {200, 50});
  bytes.write(1, {150, 50});
  CHECK(bytes.used() == 150);
  CHECK(bytes.missing(1, {0, 300}) == 150);
  const auto first = bytes.take(60);
  REQUIRE(first.ranges.size() == 1);
  CHECK(first.ranges[0].offset == 100);
  CHECK(first.bytes == 60);
  bytes.write(1, {120, 10});  // on its way: the new bytes are dirty
  CHECK(bytes.used() == 150);
  CHECK(bytes.dirty() == 100);
  bytes.arrived(first);
  bytes.make_room(1000);
  CHECK(bytes.used() == 100);
  CHECK(bytes.missing(1, {100, 60}) == 50);
  const auto second = bytes.take(1000);
  bytes.write(1, {125, 2});
  CHECK(bytes.take(1000).bytes == 0);  // the older ones would perhaps arrive later
  bytes.arrived(second);
  CHECK(bytes.take(1000).bytes == 2);
  REQUIRE(second.ranges.size() == 2);
  CHECK(second.ranges[0].offset == 120);
  CHECK(second.ranges[0].bytes == 10);
  CHECK(second.ranges[1].offset == 160);
  CHECK(bytes.dirty() == 0);
}

TEST_CASE(
    "buffered bytes: what left together is one run when it is clean, and makes just the room that is "
    "needed") {
  BufferedBytes bytes;
  for (std::uint64_t at = 0; at < 100; ++at)
    bytes.write(1, {at * 10, 10}, kernel::SimTime::picoseconds(static_cast<std::int64_t>(at)));
  CHECK(bytes.runs(1) == 100);
  const auto all = bytes.take(1000);
  REQUIRE(all.bytes == 1000);
  bytes.write(1, {500, 10});
  bytes.arrived(all);
  CHECK(bytes.runs(1) == 3);
  bytes.make_room(7);
  CHECK(bytes.used() == 993);
  CHECK(bytes.missing(1, {0, 1000}) == 7);
  CHECK(bytes.missing(1, {0, 7}) == 7);
  bytes.make_room(2000);
  CHECK(bytes.used() == 10);
  CHECK(bytes.runs(1) == 1);
}

TEST_CASE("buffered bytes: since when the oldest have been dirty") {
  BufferedBytes bytes;
  const auto oldest_is = [&bytes](const kernel::SimTime since, std::uint32_t file) {
    return bytes.oldest() == BufferedBytes::Oldest{since, file};
  };
  bytes.write(1, {0, 10}, 1_ms);
  bytes.write(1, {10, 10}, 2_ms);
  bytes.write(2, {0, 10}, 3_ms);
  bytes.write(1, {0, 30}, 4_ms);  // the last ten are new
  CHECK(bytes.used() == 40);
  CHECK(bytes.dirty(1) == 30);
  CHECK(oldest_is(1_ms, 1));
  std::vector<pfs::Range> parts;
  bytes.for_each_part(1, {0, 40}, [&parts](const pfs::Range& range, bool) { parts.push_back(range); });
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].bytes == 30);  // one run for who asks
  const auto first = bytes.take(15);
  REQUIRE(first.ranges.size() == 1);
  CHECK(first.ranges[0].bytes == 15);
  CHECK(oldest_is(2_ms, 1));
  bytes.write(1, {0, 5}, 5_ms);  // on their way: dirty anew
  bytes.arrived(first);
  const auto second = bytes.take(100);
  CHECK(second.file == 1);
  CHECK(second.bytes == 20);
  CHECK(oldest_is(3_ms, 2));
  CHECK(bytes.take(100).file == 2);
  CHECK(bytes.dirty() == 0);
}

TEST_CASE("buffered bytes: a file that waits for older bytes lets the next one leave") {
  BufferedBytes bytes;
  bytes.write(1, {0, 10});
  const auto first = bytes.take(100);
  bytes.write(1, {0, 10});
  bytes.write(2, {0, 10});
  CHECK(bytes.take(100).file == 2);
  CHECK(bytes.take(100).bytes == 0);
  bytes.arrived(first);
  CHECK(bytes.take(100).file == 1);
}

TEST_CASE(
    "buffered bytes: files leave in the order in which they became dirty; clean bytes go oldest first") {
  BufferedBytes bytes;
  bytes.write(7, {0, 10});
  bytes.write(3, {0, 10});
  const auto seven = bytes.take(100);
  CHECK(seven.file == 7);
  const std::uint32_t none_dirty = 7;
  CHECK(bytes.take(100, &none_dirty).bytes == 0);
  const auto three = bytes.take(100);
  CHECK(three.file == 3);
  bytes.arrived(three);
  bytes.arrived(seven);
  bytes.make_room(5);
  CHECK(bytes.missing(3, {0, 10}) == 5);
  bytes.make_room(5);
  CHECK(bytes.missing(3, {0, 10}) == 10);
  CHECK(bytes.missing(7, {0, 10}) == 0);
  bytes.forget_clean(7);
  CHECK(bytes.used() == 0);
}
