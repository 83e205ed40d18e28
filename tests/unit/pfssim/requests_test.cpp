// One request at a time: closed forms.
#include <catch2/catch.hpp>

#include "disk_models/simple.hpp"
#include "tests/unit/pfssim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pfs::Operation;

namespace {

/// Analytic disks: 1 ms, 10 ms latency, 1 us per byte; 2 ms of server; 100 B of header; stripes of 1000 B.
pfs::Parameters parameters(std::uint32_t io_nodes, std::uint32_t disks = 1) {
  pfs::Parameters all;
  all.io_nodes = io_nodes;
  all.disks_per_node = disks;
  all.stripe_unit = 1000;
  all.server_overhead = 2_ms;
  all.header = kernel::Bytes(100);
  all.open_cost = 50_ms;
  all.metadata_cost = 5_ms;
  all.disk = analytic_disk(1_ms, 10_ms, 1e6);
  return all;
}

SimTime disk_time(std::int64_t bytes) {
  return 11_ms + 1_us * bytes;
}
SimTime message(std::int64_t bytes) {
  return latency + byte_on_wire * (100 + bytes);
}

Reply single(const pfs::Parameters& all, const pfs::TransactionData& what) {
  const auto replies = replies_of({{0}, {{{1_ms, what}}}, all});
  REQUIRE(replies[0].size() == 1);
  return replies[0][0];
}

}  // namespace

TEST_CASE("a write within a stripe: message with data, server, disk, answer") {
  const Reply reply = single(parameters(4), data(Operation::write, 0, 5000, 600));
  CHECK(reply.at == 1_ms + message(600) + 2_ms + disk_time(600) + message(0) + tick);
  CHECK(reply.what.tally.writes == 1);
  CHECK(reply.what.tally.reads == 0);
  CHECK(reply.what.tally.seeks == 1);
}

TEST_CASE("a read brings the data in the answer") {
  const Reply reply = single(parameters(4), data(Operation::read, 0, 0, 600));
  CHECK(reply.at == 1_ms + message(0) + 2_ms + disk_time(600) + message(600) + tick);
  CHECK(reply.what.tally.reads == 1);
}

TEST_CASE("a write over two I/O nodes: messages leave one after the other, disks work at the same time") {
  const Reply reply = single(parameters(2), data(Operation::write, 0, 0, 4000));
  // The second message leaves when the first (2000 B and its header) is out.
  const SimTime second = byte_on_wire * 2100;
  CHECK(reply.at == 1_ms + second + message(2000) + 2_ms + disk_time(2000) + message(0) + tick);
  CHECK(reply.what.tally.writes == 2);
  CHECK(reply.what.tally.seeks == 2);
}

TEST_CASE("a read from two I/O nodes: the answers wait for each other at the client's port") {
  const Reply reply = single(parameters(2), data(Operation::read, 0, 0, 4000));
  // The requests leave 1 us apart (100 B), so the answers come 1 us apart, and the port takes 21 us for each.
  const SimTime first = message(0) + 2_ms + disk_time(2000) + message(2000);
  CHECK(reply.at == 1_ms + first + byte_on_wire * 2100);
}

TEST_CASE("two disks of an I/O node share its processor and work at the same time") {
  const Reply reply = single(parameters(1, 2), data(Operation::read, 0, 0, 2000));
  // 1000 B on each. The second is served 2 ms after the first; its answer finds the port free.
  CHECK(reply.at == 1_ms + message(0) + 2_ms * 2 + disk_time(1000) + message(1000) + tick);
  CHECK(reply.what.tally.reads == 2);
}

TEST_CASE("requests of a rank one after the other: only the first seeks") {
  Setup setup{{0}, {{}}, parameters(1)};
  for (int i = 0; i < 3; ++i)
    setup.asks[0].push_back(
        {100_ms * (i + 1), data(Operation::write, 0, 500 * static_cast<unsigned>(i), 500)});
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 3);
  CHECK(replies[0].at - 100_ms == message(500) + 2_ms + disk_time(500) + message(0) + tick);
  CHECK(replies[1].at - 200_ms == replies[0].at - 100_ms - 10_ms);
  CHECK(replies[2].what.tally.seeks == 0);
}

TEST_CASE("files get numbers by name, and their own places") {
  const auto named = [](Operation operation, std::uint64_t name) {
    pfs::TransactionData request = data(operation, 0, 0, 0);
    request.name = name;
    return request;
  };
  Setup setup{{0}, {{}}, parameters(3)};
  SimTime at;
  for (const auto& request :
       {named(Operation::open, 77), named(Operation::open, 5), named(Operation::open, 77),
        named(Operation::remove, 77), named(Operation::open, 77), named(Operation::inquire, 0)})
    setup.asks[0].push_back({at += 100_ms, request});
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 6);
  CHECK(replies[0].what.file == 0);
  CHECK(replies[1].what.file == 1);
  CHECK(replies[2].what.file == 0);
  CHECK(replies[4].what.file == 2);
  CHECK(replies[0].at == 100_ms + message(0) * 2 + 2_ms + 50_ms + tick);
  CHECK(replies[5].at == 600_ms + message(0) * 2 + 2_ms + 5_ms + tick);

  // A file that is renamed keeps its number; a name that is made without being opened has none.
  pfs::TransactionData rename = named(Operation::rename, 5);
  rename.meeting = 6;
  Setup names{{0}, {{}}, parameters(3)};
  names.parameters.metadata.create_cost = 3_ms;
  at = 0_ps;
  for (const auto& request :
       {named(Operation::open, 77), named(Operation::open, 5), rename, named(Operation::open, 6),
        named(Operation::open, 5), named(Operation::make, 9), named(Operation::look_up, 9)})
    names.asks[0].push_back({at += 100_ms, request});
  const auto renamed = replies_of(names)[0];
  REQUIRE(renamed.size() == 7);
  CHECK(renamed[3].what.file == 1);
  CHECK(renamed[4].what.file == 2);
  CHECK(renamed[2].at == 300_ms + message(0) * 2 + 2_ms + 8_ms + tick);
  CHECK(renamed[5].at == 600_ms + message(0) * 2 + 2_ms + 8_ms + tick);
  CHECK(renamed[6].at == 700_ms + message(0) * 2 + 2_ms + 5_ms + tick);

  // File 1 begins on the second cell: its first stripes are where those of file 0 are not.
  const auto ends =
      replies_of({{0},
                  {{{1_ms, data(Operation::write, 0, 0, 1000)}, {1_ms, data(Operation::write, 1, 0, 1000)}}},
                  parameters(2)})[0];
  REQUIRE(ends.size() == 2);
  CHECK(ends[1].at - ends[0].at < 100_us);
}

TEST_CASE("the simple disk of an I/O node rotates with the simulation's time") {
  pfs::Parameters all = parameters(1);
  disk::SimpleParameters drive;
  drive.overhead = 0_ps;
  drive.rotation = disk::Rotation::position;
  drive.turn = 20_ms;
  all.disk = disk::factory<disk::Simple>(drive);
  all.server_overhead = 0_ps;
  const SimTime bytes = drive.transfer * kernel::Bytes(512);
  // The disk has the request a tick after its message, and waits for the first sector to come round.
  const Reply reply = single(all, data(Operation::read, 0, 0, 512));
  CHECK(reply.at == 20_ms + bytes + message(512) + tick);
}
