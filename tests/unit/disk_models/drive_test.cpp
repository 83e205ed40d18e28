// The HP 97560 and zoned disks beside closed forms.
#include "disk_models/drive.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <stdexcept>

using namespace mpisim;
using namespace mpisim::kernel::literals;
using kernel::Bytes;
using kernel::SimTime;

namespace {

constexpr std::uint64_t sector = 512;
constexpr std::uint64_t track = 72 * sector;
constexpr std::uint64_t cylinder = 19 * track;
constexpr std::uint64_t cylinders = 1962;
constexpr double turn = 60.0 / 4002;

/// Without cache.
disk::DriveParameters bare() {
  disk::DriveParameters parameters;
  parameters.heads = 19;
  parameters.zones = {{cylinders, 72, 8, 18}};
  parameters.head_switch = 1600_us;
  parameters.turn = 14'992'503'748_ps;
  parameters.overhead = 2200_us;
  parameters.bus = kernel::ByteTime::from_bandwidth(10e6);
  return parameters;
}

disk::DriveParameters cached() {
  disk::DriveParameters parameters = bare();
  parameters.cache = 128 << 10;
  parameters.read_ahead = true;
  parameters.immediate_reporting = true;
  return parameters;
}

/// Requests one after the other, each a pause after the answer to the one before.
class Client {
 public:
  explicit Client(const disk::DriveParameters& parameters, SimTime start = 1_s)
      : drive_(parameters), now_(start) {}
  SimTime read(std::uint64_t address, std::uint64_t bytes) { return request(address, bytes, false); }
  SimTime write(std::uint64_t address, std::uint64_t bytes) { return request(address, bytes, true); }
  void pause(SimTime time) { now_ += time; }
  SimTime now() const { return now_; }

 private:
  SimTime request(std::uint64_t address, std::uint64_t bytes, bool write) {
    const SimTime time = drive_.serve({address, Bytes(bytes), write}, now_).time;
    now_ += time;
    return time;
  }
  disk::Drive drive_;
  SimTime now_;
};

SimTime bus(std::uint64_t bytes) {
  return kernel::ByteTime::from_bandwidth(10e6) * Bytes(bytes);
}

double mean_seek() {
  const disk::SeekCurve seek;
  double all = 0;
  for (std::uint64_t d = 1; d < cylinders; ++d)
    all += 2.0 * static_cast<double>(cylinders - d) * seek(d).seconds();
  return all / cylinders / cylinders;
}

}  // namespace

TEST_CASE("HP 97560: capacity, places and skews") {
  const disk::Drive drive(bare());
  CHECK(drive.space().bytes == 1'374'216'192);
  CHECK(drive.space().cylinders == cylinders);
  CHECK(drive.cylinder_of(cylinder * 100 - 1) == 99);
  const disk::Geometry geometry(19, {{cylinders, 72, 8, 18}});
  const disk::Place second_track = geometry.place(72);
  CHECK(second_track.head == 1);
  CHECK(second_track.slot == 8);
  const disk::Place next_cylinder = geometry.place(72 * 19);
  CHECK(next_cylinder.cylinder == 1);
  CHECK(next_cylinder.head == 0);
  CHECK(next_cylinder.slot == (18 * 8 + 18) % 72);
  const disk::Place last = geometry.place(geometry.sectors() - 1);
  CHECK(last.cylinder == cylinders - 1);
  CHECK(last.head == 18);
  CHECK(last.left_on_track == 1);
  // Skews are as long as what they are for.
  CHECK(8 * turn / 72 >= 1.6e-3);
  CHECK(18 * turn / 72 >= disk::SeekCurve()(1).seconds());
}

TEST_CASE("random reads: mean seek, and half a turn on average") {
  std::mt19937_64 random(1);
  disk::Drive drive(bare());
  constexpr int count = 40'000;
  double sum = 0;
  double squares = 0;
  SimTime now = 1_s;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t address = random() % (cylinders * cylinder) / sector * sector;
    now += 1_ns * static_cast<std::int64_t>(random() % 100'000'000);
    const SimTime time = drive.serve({address, Bytes(sector), false}, now).time;
    now += time;
    const double position = (time - 2200_us - bus(sector)).seconds() - turn / 72;
    sum += position;
    squares += position * position;
  }
  const double mean = sum / count;
  const double half_width = 2.576 * std::sqrt((squares / count - mean * mean) / count);
  // Head switches within a cylinder cost 1.6 ms, once in 1962 requests.
  const double expected = mean_seek() + turn / 2 + 18.0 / 19 / cylinders * 1.6e-3;
  INFO(mean << " +- " << half_width << ", theory " << expected);
  CHECK(std::abs(mean - expected) < half_width);
  CHECK(half_width < 0.005 * expected);
}

TEST_CASE("rotation: a sector that has just gone by costs a turn") {
  disk::Drive drive(bare());
  const SimTime start = 14'992'503'748_ps * 100;
  // Commands are decoded 2.2 ms after they come: slot 10.57 is under the heads then.
  const auto at = [&](std::uint64_t slot) {
    return drive.serve({slot * sector, Bytes(sector), false}, start);
  };
  const auto expected = [](double slots) { return slots / 72 * turn + bus(sector).seconds(); };
  CHECK(at(11).time.seconds() == Approx(expected(12)).epsilon(1e-9));
  CHECK(at(10).time.seconds() == Approx(expected(72 + 11)).epsilon(1e-9));
}

TEST_CASE("sequential: 21.25 turns for each cylinder of 19 tracks") {
  // 18 switches of heads take 8 slots each, that of cylinders 18: 2.2 MB/s of a media rate of 2.46 MB/s.
  constexpr std::uint64_t count = 50;
  const SimTime begun = 14'992'503'748_ps * 100;
  disk::Drive drive(bare());
  const double time = drive.serve({0, Bytes(count * cylinder), false}, begun).time.seconds();
  const double first_turn = turn;  // decoded 2.2 ms after slot 0, it comes again at the next turn
  const double passing = count * 21.25 * turn - 18.0 / 72 * turn;
  CHECK(time == Approx(first_turn + passing + bus(sector).seconds()).epsilon(1e-9));
  CHECK(static_cast<double>(cylinder) / (21.25 * turn) == Approx(2.2e6).epsilon(0.002));
  CHECK(static_cast<double>(track) / turn == Approx(2.46e6).epsilon(0.002));
}

TEST_CASE("small sequential reads: a turn is lost for each without read-ahead, none with it") {
  constexpr std::uint64_t size = 8 << 10;
  Client plain(bare());
  plain.read(0, size);
  for (int i = 1; i < 4; ++i)  // still on the first track
    CHECK(plain.read(static_cast<std::uint64_t>(i) * size, size).seconds() == Approx(turn * (1 + 16.0 / 72)));

  Client ahead(cached());
  ahead.read(0, size);
  const SimTime begun = ahead.now();
  constexpr std::uint64_t count = 4000;
  for (std::uint64_t i = 1; i <= count; ++i) ahead.read(i * size, size);
  const double rate = static_cast<double>(count * size) / (ahead.now() - begun).seconds();
  CHECK(rate == Approx(static_cast<double>(cylinder) / (21.25 * turn)).epsilon(0.002));
}

TEST_CASE("what has been read ahead comes at the rate of the bus") {
  Client client(cached());
  client.read(0, 4096);
  client.pause(200_ms);  // the cache holds the 128 KiB behind the request
  CHECK(client.read(4096, 64 << 10) == 2200_us + bus(64 << 10));
  CHECK(client.read(4096 + (64 << 10), 64 << 10) == 2200_us + bus(64 << 10));
  client.pause(200_ms);  // it has read on
  CHECK(client.read(4096 + (128 << 10), 128 << 10) == 2200_us + bus(128 << 10));
  // Read again what is still there.
  CHECK(client.read(4096 + (192 << 10), 64 << 10) == 2200_us + bus(64 << 10));
  // Of this, the cache holds half; the rest passes the head first.
  client.pause(200_ms);
  const SimTime more = client.read(4096 + (256 << 10), 256 << 10);
  CHECK(more > 2200_us + bus(256 << 10));
  CHECK(more.seconds() < 256.0 * 1024 / 2.2e6);
  // Elsewhere, and back: the cache has forgotten.
  client.read(500 * cylinder, 4096);
  CHECK(client.read(4096 + (256 << 10), 4096) > 2200_us + bus(4096) + disk::SeekCurve()(499));
}

TEST_CASE("no cache, no hits; without read-ahead only what was read is there") {
  Client none(bare());
  none.read(0, 4096);
  CHECK(none.read(0, 4096) > 2200_us + bus(4096));
  disk::DriveParameters parameters = cached();
  parameters.read_ahead = false;
  Client some(parameters);
  some.read(0, 8192);
  some.pause(1_s);
  CHECK(some.read(4096, 4096) == 2200_us + bus(4096));
  CHECK(some.read(8192, 4096) > 2200_us + bus(4096));
}

TEST_CASE("sequential writes are reported from the cache until it is full") {
  constexpr std::uint64_t size = 8 << 10;
  Client client(cached());
  const SimTime first = client.write(0, size);
  CHECK(first > 2200_us + bus(size));  // on the medium
  CHECK(client.write(size, size) == 2200_us + bus(size));
  CHECK(client.write(2 * size, size) == 2200_us + bus(size));
  const SimTime begun = client.now();
  constexpr std::uint64_t count = 4000;
  for (std::uint64_t i = 3; i < 3 + count; ++i) client.write(i * size, size);
  const double rate = static_cast<double>(count * size) / (client.now() - begun).seconds();
  // Less than a cache full is not on the medium at the end.
  CHECK(rate == Approx(static_cast<double>(cylinder) / (21.25 * turn)).epsilon(0.005));

  // What does not continue waits for the medium: for what is still to be written, too.
  const SimTime apart = client.write(1000 * cylinder, size);
  CHECK(apart > disk::SeekCurve()(900) + 2200_us);
  disk::DriveParameters waiting = cached();
  waiting.immediate_reporting = false;
  Client slow(waiting);
  slow.write(0, size);
  for (int i = 1; i < 4; ++i)
    CHECK(slow.write(static_cast<std::uint64_t>(i) * size, size).seconds() == Approx(turn * (1 + 16.0 / 72)));
}

TEST_CASE("a read waits until reported writes are on the medium") {
  constexpr std::uint64_t size = 64 << 10;
  Client client(cached());
  client.write(0, size);
  const SimTime reported = client.write(size, size);
  CHECK(reported == 2200_us + bus(size));
  // 128 sectors pass in 1.9 turns at least, from where the first write ended.
  const SimTime done = client.read(200 * cylinder, 512);
  CHECK((reported + done).seconds() > 128.0 / 72 * turn + disk::SeekCurve()(198).seconds());
  Client idle(cached());
  idle.write(0, size);
  idle.write(size, size);
  idle.pause(1_s);
  CHECK(idle.read(200 * cylinder, 512).seconds() <
        2.2e-3 + disk::SeekCurve()(200).seconds() + turn * 74 / 72);
}

TEST_CASE("zones: rates are those of their tracks") {
  disk::DriveParameters parameters;
  parameters.heads = 2;
  parameters.zones = {{100, 200, 0, 0}, {50, 100, 0, 0}};
  parameters.turn = 10_ms;
  parameters.seek = {0_ps, 0_ps, 1, 0_ps, 0_ps};
  disk::Drive drive(parameters);
  CHECK(drive.space().bytes == (100 * 2 * 200 + 50 * 2 * 100) * sector);
  CHECK(drive.space().cylinders == 150);
  const std::uint64_t inner = 100 * 2 * 200 * sector;
  CHECK(drive.serve({0, Bytes(400 * sector), false}, 10_ms).time == 20_ms);
  CHECK(drive.serve({inner, Bytes(400 * sector), false}, 30_ms).time == 40_ms);
  CHECK(drive.cylinder_of(inner) == 100);
  // Across the border: the last outer track and the first inner one, a turn each.
  CHECK(drive.serve({inner - 200 * sector, Bytes(300 * sector), false}, 100_ms).time == 20_ms);
  // A part of a sector costs a whole one.
  CHECK(drive.serve({511, Bytes(2), false}, 200_ms).time == 100_us);
}

TEST_CASE("values that do not fit together are refused") {
  disk::DriveParameters parameters = bare();
  parameters.bus = kernel::ByteTime::from_bandwidth(2e6);
  CHECK_THROWS_WITH(disk::drive_factory(parameters),
                    Catch::StartsWith("bus: slower than a track of 36864 B"));
  parameters = bare();
  parameters.turn = 0_ps;
  CHECK_THROWS_WITH(disk::drive_factory(parameters), "rotation: must be more than 0");
  parameters = bare();
  parameters.zones = {{1'000'000'000, 1'000'000'000, 0, 0}, {1'000'000'000, 1'000'000'000, 0, 0}};
  CHECK_THROWS_WITH(disk::drive_factory(parameters), "zones: more than 2^62 sectors");
  parameters.zones = {{1'000'000'000, 100'000'000, 0, 0}};
  CHECK_THROWS_WITH(disk::drive_factory(parameters), "zones: more than 2^64 B");
}
