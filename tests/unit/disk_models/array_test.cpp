// Arrays: what members do for requests, counted by hand, and capacities.
#include "disk_models/array.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "disk_models/analytic.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using disk::RaidLevel;
using kernel::Bytes;

namespace {

using Op = std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, bool>;  // member, address, bytes, write

std::vector<Op> ops(const std::vector<disk::MemberRequest>& requests) {
  std::vector<Op> result;
  for (const auto& each : requests)
    result.emplace_back(each.member, each.request.address, each.request.bytes.count(), each.request.write);
  return result;
}

const disk::Space member{1050, 10, 7};

disk::Array array(RaidLevel level, std::uint32_t members) {
  return {{level, members, 100}, member};
}

disk::Request reading(std::uint64_t address, std::uint64_t bytes) {
  return {address, Bytes(bytes), false};
}
disk::Request writing(std::uint64_t address, std::uint64_t bytes) {
  return {address, Bytes(bytes), true};
}

/// Serves eight requests at once, each in 1 ms; an error if starts go back.
class Ordered final : public disk::DiskModel {
 public:
  disk::Service serve(const disk::Request& /*request*/, kernel::SimTime start) override {
    if (start < last_start_) throw std::logic_error("a service begins before the one before it");
    last_start_ = start;
    return {1_ms, false, 0};
  }
  disk::Space space() const override { return {}; }
  std::uint32_t depth() const override { return 8; }

 private:
  kernel::SimTime last_start_;
};

}  // namespace

TEST_CASE("capacities: whole chunks of the members that have data") {
  CHECK(array(RaidLevel::none, 5).space().bytes == 1050);
  CHECK(array(RaidLevel::none, 5).members() == 1);
  CHECK(array(RaidLevel::raid0, 4).space().bytes == 4000);
  CHECK(array(RaidLevel::raid0, 4).space().unit == 400);
  CHECK(array(RaidLevel::raid1, 4).space().bytes == 1050);
  CHECK(array(RaidLevel::raid5, 4).space().bytes == 3000);
  CHECK(array(RaidLevel::raid5, 4).space().cylinders == 7);
}

TEST_CASE("level 0: chunks go round, neighbours on a member are one request") {
  const auto plan = array(RaidLevel::raid0, 3).plan(reading(150, 500));
  REQUIRE(plan.size() == 1);
  CHECK(plan[0].then.empty());
  CHECK(ops(plan[0].first) == std::vector<Op>{{1, 50, 150, false}, {2, 0, 200, false}, {0, 100, 150, false}});
}

TEST_CASE("level 1: writes go to all, reads to any") {
  CHECK(ops(array(RaidLevel::raid1, 2).plan(reading(30, 40))[0].first) ==
        std::vector<Op>{{disk::any_member, 30, 40, false}});
  CHECK(ops(array(RaidLevel::raid1, 2).plan(writing(30, 40))[0].first) ==
        std::vector<Op>{{0, 30, 40, true}, {1, 30, 40, true}});
}

TEST_CASE("level 5: a small write is two reads, then two writes") {
  // Row 1 of five members: parity on member 3, data chunk 1 on member 3 + 1 + 1 = 0.
  const auto plan = array(RaidLevel::raid5, 5).plan(writing(400 + 100 + 20, 30));
  REQUIRE(plan.size() == 1);
  CHECK(ops(plan[0].first) == std::vector<Op>{{0, 120, 30, false}, {3, 120, 30, false}});
  CHECK(ops(plan[0].then) == std::vector<Op>{{0, 120, 30, true}, {3, 120, 30, true}});
}

TEST_CASE("level 5: a write over the border of chunks has one parity, of both parts") {
  const auto plan = array(RaidLevel::raid5, 5).plan(writing(80, 50));
  REQUIRE(plan.size() == 1);
  // Row 0: parity on member 4, data from member 0 on. Bytes 80 to 100 and 0 to 30 of a chunk: all of them.
  CHECK(ops(plan[0].then) == std::vector<Op>{{0, 80, 20, true}, {1, 0, 30, true}, {4, 0, 100, true}});
  CHECK(plan[0].first.size() == 3);
}

TEST_CASE("level 5: whole rows are written without reading, with what is left at their ends") {
  const auto plan = array(RaidLevel::raid5, 5).plan(writing(400 - 10, 10 + 3 * 400 + 20));
  REQUIRE(plan.size() == 3);
  CHECK(ops(plan[0].then) == std::vector<Op>{{3, 90, 10, true}, {4, 90, 10, true}});
  CHECK(ops(plan[1].first) == std::vector<Op>{{0, 100, 300, true},
                                              {1, 100, 300, true},
                                              {2, 100, 300, true},
                                              {3, 100, 300, true},
                                              {4, 100, 300, true}});
  CHECK(plan[1].then.empty());
  CHECK(ops(plan[2].then) == std::vector<Op>{{1, 400, 20, true}, {0, 400, 20, true}});
}

TEST_CASE("level 5: parity goes round, and each byte has a place of its own") {
  const disk::Array five = array(RaidLevel::raid5, 4);
  std::map<std::uint32_t, int> parities;
  std::set<std::pair<std::uint32_t, std::uint64_t>> places;
  for (std::uint64_t chunk = 0; chunk < 30; ++chunk) {
    const auto write = five.plan(writing(chunk * 100, 100));
    const Op data = ops(write[0].then)[0];
    const Op parity = ops(write[0].then)[1];
    CHECK(ops(five.plan(reading(chunk * 100, 100))[0].first)[0] ==
          Op{std::get<0>(data), std::get<1>(data), 100, false});
    CHECK(std::get<0>(data) != std::get<0>(parity));
    CHECK(places.insert({std::get<0>(data), std::get<1>(data)}).second);
    if (chunk % 3 == 0) CHECK(places.insert({std::get<0>(parity), std::get<1>(parity)}).second);
    ++parities[std::get<0>(parity)];
  }
  CHECK(places.size() == 40);
  for (const auto& [holder, count] : parities) CHECK((count == 6 || count == 9));
}

TEST_CASE("arrays of one client: members work side by side, phases one after the other") {
  const auto disk = disk::factory<disk::Analytic>(
      disk::AnalyticParameters{1_ms, 0_ps, kernel::ByteTime::from_bandwidth(1e6)});
  const auto time = [&](RaidLevel level, std::uint32_t members, const disk::Request& request) {
    return disk::array_factory({level, members, 1000}, disk)()->serve(request, 5_ms).time;
  };
  CHECK(time(RaidLevel::none, 4, writing(0, 4000)) == 5_ms);
  CHECK(time(RaidLevel::raid0, 4, writing(0, 4000)) == 2_ms);
  CHECK(time(RaidLevel::raid0, 4, reading(0, 8000)) == 3_ms);
  CHECK(time(RaidLevel::raid1, 4, writing(0, 4000)) == 5_ms);
  CHECK(time(RaidLevel::raid5, 5, writing(0, 4000)) == 2_ms);
  CHECK(time(RaidLevel::raid5, 5, writing(0, 500)) == 3_ms);
  CHECK(time(RaidLevel::raid5, 5, reading(0, 500)) == 1500_us);
  CHECK(time(RaidLevel::raid5, 5, writing(0, 4500)) == 5_ms);  // the small write waits for the large one
}

TEST_CASE("arrays of one client: starts of a member's services do not go back") {
  const disk::Factory ordered = [] { return std::make_unique<Ordered>(); };
  const auto array = disk::array_factory({RaidLevel::raid5, 3, 1000}, ordered)();
  // Parts of two rows that share two members; then parts of two rows with a whole one between them.
  CHECK(array->serve(writing(1500, 1000), 5_ms).time == 2_ms);
  CHECK(array->serve(writing(1500, 3000), 10_ms).time == 2_ms);
}
