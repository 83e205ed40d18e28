// What single requests of a system with caches cost: closed forms, and where blocks are found.
#include <catch2/catch.hpp>

#include "tests/unit/pfssim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pfs::Operation;

namespace {

constexpr std::int64_t block = 1000;

/// Analytic disks: 1 ms, 10 ms latency, 1 us per byte; 2 ms of server; 100 B of header; stripes and blocks of
/// 1000 B; copies of 1 ns per byte.
pfs::Parameters parameters(std::uint64_t cnode, std::uint64_t ionode, const char* policy = "base") {
  pfs::Parameters all;
  all.stripe_unit = block;
  all.client_overhead = 0_ps;
  all.server_overhead = 2_ms;
  all.header = kernel::Bytes(100);
  all.disk = analytic_disk(1_ms, 10_ms, 1e6);
  all.caching.policy = policy;
  all.caching.block = block;
  all.caching.copy = kernel::ByteTime::from_bandwidth(1e9);
  all.caching.cnode.blocks = cnode;
  all.caching.ionode.blocks = ionode;
  all.caching.cnode.flush_interval = all.caching.ionode.flush_interval = 1_s;
  return all;
}

constexpr SimTime copy = kernel::SimTime::picoseconds(1'000);
SimTime message(std::int64_t bytes) {
  return latency + byte_on_wire * (100 + bytes);
}
const SimTime disk_time = 11_ms + 1_us * block;
/// A fetch that the home's cache can answer, up to the arrival of the block.
const SimTime from_home = message(0) + 2_ms + copy * block + message(block);

/// One asker on each node; requests 100 ms apart, in this order.
struct Step {
  std::size_t asker;
  Operation operation;
  std::uint64_t offset;
  std::uint64_t bytes = block;
};
constexpr SimTime gap = kernel::SimTime::picoseconds(100'000'000'000);

std::vector<Reply> in_turn(const pfs::Parameters& parameters, const std::vector<Step>& steps) {
  Setup setup{{0, 1, 2}, {{}, {}, {}}, parameters};
  for (std::size_t i = 0; i < steps.size(); ++i)
    setup.asks[steps[i].asker].push_back({gap * static_cast<std::int64_t>(i + 1),
                                          data(steps[i].operation, 0, steps[i].offset, steps[i].bytes)});
  const auto replies = replies_of(setup);
  std::vector<std::size_t> next(3);
  std::vector<Reply> ordered;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::size_t& place = next[steps[i].asker];
    REQUIRE(place < replies[steps[i].asker].size());
    ordered.push_back(replies[steps[i].asker][place++]);
    ordered.back().at = ordered.back().at - gap * static_cast<std::int64_t>(i + 1);
  }
  return ordered;
}

/// "cnode remote ionode miss" of a reply.
std::string found(const Reply& reply) {
  const pfs::Tally& tally = reply.what.tally;
  return std::to_string(tally.cnode_hits) + std::to_string(tally.remote_hits) +
         std::to_string(tally.ionode_hits) + std::to_string(tally.misses);
}

constexpr Operation reads = Operation::read;
constexpr Operation writes = Operation::write;

}  // namespace

TEST_CASE("a miss reads a whole block; the next read is a copy in the node") {
  const auto replies =
      in_turn(parameters(4, 4), {{0, reads, 300, 200}, {0, reads, 0, 500}, {1, reads, 0, 1000}});
  CHECK(replies[0].at == from_home + disk_time + copy * 200 + tick);
  CHECK(found(replies[0]) == "0001");
  CHECK(replies[0].what.tally.reads == 1);
  CHECK(replies[1].at == copy * 500);
  CHECK(found(replies[1]) == "1000");
  CHECK(replies[1].what.tally.reads == 0);
  CHECK(replies[2].at == from_home + copy * block);
  CHECK(found(replies[2]) == "0010");
}

TEST_CASE("caches at I/O nodes alone: clients ask for bytes, disks read blocks") {
  const auto replies = in_turn(parameters(0, 4), {{0, reads, 300, 200}, {1, reads, 300, 200}});
  CHECK(replies[0].at == message(0) + 2_ms + disk_time + copy * 200 + message(200) + tick * 2);
  CHECK(found(replies[0]) == "0001");
  CHECK(replies[1].at == message(0) + 2_ms + copy * 200 + message(200) + tick);
  CHECK(found(replies[1]) == "0010");
}

TEST_CASE("a write passes through, and around what is not there") {
  const auto replies =
      in_turn(parameters(4, 4), {{0, writes, 0}, {0, reads, 0}, {0, writes, 0}, {0, reads, 0}});
  CHECK(replies[0].at == message(block) + 2_ms + disk_time + message(0) + tick * 2);
  CHECK(replies[0].what.tally.writes == 1);
  CHECK(found(replies[1]) == "0001");
  CHECK(found(replies[3]) == "1000");
}

TEST_CASE("a write is answered when other nodes' copies are gone; readers get the block again") {
  const auto replies = in_turn(parameters(4, 4), {{1, reads, 0}, {0, writes, 0}, {1, reads, 0}});
  // Invalidation and acknowledgement lie between the home's processor and the disk. The copy in the home's
  // cache is changed, not invalidated.
  CHECK(replies[1].at ==
        message(block) + 2_ms + message(0) + message(0) + 2_ms + disk_time + message(0) + tick * 2);
  CHECK(found(replies[2]) == "0010");
}

TEST_CASE("updated copies stay") {
  auto all = parameters(4, 4);
  all.caching.coherence = pfs::Coherence::update;
  const auto replies = in_turn(all, {{1, reads, 0}, {0, writes, 0}, {1, reads, 0}});
  CHECK(found(replies[2]) == "1000");
}

TEST_CASE("write-back: the right to change a block costs messages once, then writing is a copy") {
  auto all = parameters(4, 4);
  all.caching.cnode.write_back = all.caching.cnode.allocate = true;
  const auto replies =
      in_turn(all, {{0, writes, 0, 400}, {0, writes, 400, 600}, {0, reads, 0}, {1, reads, 0}});
  CHECK(replies[0].at == message(0) + 2_ms + message(0) + copy * 400);
  CHECK(replies[0].what.tally.writes == 0);
  CHECK(replies[1].at == copy * 600);
  CHECK(found(replies[2]) == "1000");
  // The block is recalled, goes to the disk, and is read from it (the home's cache does not allocate).
  CHECK(found(replies[3]) == "0001");
}

TEST_CASE("sync: everything changed is on the disk when it returns") {
  auto all = parameters(8, 8);
  all.caching.cnode.write_back = all.caching.cnode.allocate = true;
  all.caching.ionode.write_back = all.caching.ionode.allocate = true;
  std::vector<Step> steps;
  for (std::uint64_t i = 0; i < 3; ++i) steps.push_back({0, writes, 2 * i * block});
  steps.push_back({0, Operation::sync, 0});
  steps.push_back({0, Operation::sync, 0});
  const auto replies = in_turn(all, steps);
  for (int i = 0; i < 3; ++i) CHECK(replies[static_cast<std::size_t>(i)].at < 3_ms);
  CHECK(replies[3].at > disk_time * 3);
  CHECK(replies[4].at <= tick);  // nothing has been written since
}

TEST_CASE("the oldest changes leave when too many blocks are changed, and the writer waits") {
  auto all = parameters(10, 0);
  all.caching.cnode.write_back = all.caching.cnode.allocate = true;
  all.caching.cnode.high_water = 0.5;
  all.caching.cnode.low_water = 0.2;
  all.caching.cnode.flush_interval = 1000_s;
  std::vector<Step> steps;
  for (std::uint64_t i = 0; i < 6; ++i) steps.push_back({0, writes, i * block});
  const auto replies = in_turn(all, steps);
  for (std::size_t i = 0; i < 5; ++i) CHECK(replies[i].what.tally.writes == 0);
  CHECK(replies[5].what.tally.writes == 1);  // four neighbouring blocks
  CHECK(replies[5].at > disk_time);
}

TEST_CASE("blocks that were changed after the timer was set, for others that have left, stay as long") {
  using enum Operation;
  for (const bool at_home : {false, true}) {
    CAPTURE(at_home);
    auto all = at_home ? parameters(0, 8) : parameters(8, 0);
    auto& cache = at_home ? all.caching.ionode : all.caching.cnode;
    cache.write_back = cache.allocate = true;
    cache.flush_interval = 450_ms;
    // The timer of the first write ends at 550 ms, but its block has left with the sync.
    const auto early = in_turn(
        all, {{0, write, 0}, {0, sync, 0}, {0, write, 0}, {0, read, 9000}, {0, read, 8000}, {0, sync, 0}});
    CHECK(early[5].at > disk_time);
    const auto late = in_turn(all, {{0, write, 0},
                                    {0, sync, 0},
                                    {0, write, 0},
                                    {0, read, 9000},
                                    {0, read, 8000},
                                    {0, read, 9000},
                                    {0, read, 9000},
                                    {0, sync, 0}});
    CHECK(late[7].at < disk_time);
  }
}

TEST_CASE("a block under way is read once") {
  Setup setup{{0, 0, 1}, {}, parameters(4, 4)};
  for (int i = 0; i < 3; ++i) setup.asks.push_back({{1_ms, data(reads, 0, 0, block)}});
  const auto replies = replies_of(setup);
  CHECK(found(replies[0][0]) == "0001");
  CHECK(found(replies[1][0]) == "1000");  // waits on the node
  CHECK(found(replies[2][0]) == "0010");  // waits at the home
}

TEST_CASE("read-ahead at the I/O node: reading in order meets the disk once in a while") {
  auto all = parameters(0, 16);
  all.caching.ionode.read_ahead = 3;
  std::vector<Step> steps;
  for (std::uint64_t i = 0; i < 4; ++i) steps.push_back({0, reads, i * block});
  steps.push_back({0, reads, 9 * block});
  steps.push_back({0, reads, 10 * block});
  const auto replies = in_turn(all, steps);
  CHECK(found(replies[0]) == "0001");
  for (std::size_t i = 1; i < 4; ++i) CHECK(found(replies[i]) == "0010");
  CHECK(found(replies[4]) == "0001");  // out of order: nothing is read ahead of it
  CHECK(found(replies[5]) == "0001");
}

TEST_CASE("read-ahead at the compute node") {
  auto all = parameters(16, 0);
  all.caching.cnode.read_ahead = 2;
  const auto replies = in_turn(all, {{0, reads, 0}, {0, reads, 1000}, {0, reads, 2000}, {0, reads, 9000}});
  CHECK(found(replies[0]) == "0001");
  CHECK(found(replies[1]) == "1000");
  CHECK(found(replies[2]) == "1000");
  CHECK(found(replies[3]) == "0001");
}

TEST_CASE("greedy: another compute node sends what the home does not have") {
  const std::vector<Step> steps{{0, reads, 0}, {1, reads, 0}};
  const auto base = in_turn(parameters(4, 0), steps);
  const auto greedy = in_turn(parameters(4, 0, "greedy"), steps);
  CHECK(found(base[1]) == "0001");
  CHECK(found(greedy[1]) == "0100");
  CHECK(greedy[1].at == message(0) + 2_ms + message(0) + copy * block + message(block) + copy * block);
}

TEST_CASE("coordinated: what leaves the home's cache is in the share that homes manage") {
  auto all = parameters(4, 1, "coordinated");
  all.caching.coordinated = 0.5;
  // Block 0 leaves the home's cache for block 1, and node 0's own two places for blocks 1 and 2.
  const auto replies = in_turn(all, {{0, reads, 0}, {0, reads, 1000}, {0, reads, 2000}, {0, reads, 0}});
  CHECK(found(replies[3]) == "0100");
}

TEST_CASE("global: a block moves to its reader, and back to the home when there is no room") {
  const auto replies = in_turn(parameters(2, 2, "global"), {{0, reads, 0},
                                                            {1, reads, 0},
                                                            {1, reads, 0},
                                                            {0, reads, 0},
                                                            {0, reads, 1000},
                                                            {0, reads, 2000},
                                                            {1, reads, 0},
                                                            {1, reads, 1000}});
  CHECK(found(replies[0]) == "0001");
  CHECK(found(replies[1]) == "0100");
  CHECK(found(replies[2]) == "1000");
  CHECK(found(replies[3]) == "0100");  // it was on node 1 only
  CHECK(found(replies[6]) == "0010");  // block 2 has taken its place on node 0
  CHECK(found(replies[7]) == "0100");
}

TEST_CASE("global-spread: what the home has no room for goes where there is room") {
  std::vector<Step> steps;
  for (std::uint64_t i = 0; i < 4; ++i) steps.push_back({0, reads, i * block});
  steps.push_back({0, reads, 0});
  CHECK(found(in_turn(parameters(2, 1, "global"), steps)[4]) == "0001");
  // The home knows of room where it has heard of a node.
  steps.insert(steps.begin(), {1, reads, 9000});
  CHECK(found(in_turn(parameters(2, 1, "global-spread"), steps)[5]) == "0100");
}

TEST_CASE("n-chance: the last copy is passed on") {
  const std::vector<Step> steps{{0, reads, 0}, {0, reads, 1000}, {0, reads, 2000}, {2, reads, 0}};
  CHECK(found(in_turn(parameters(2, 0, "greedy"), steps)[3]) == "0001");
  const Reply passed = in_turn(parameters(2, 0, "n-chance"), steps)[3];
  CHECK(passed.what.tally.misses == 0);
}
