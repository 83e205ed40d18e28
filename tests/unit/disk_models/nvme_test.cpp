// A solid-state device beside closed forms.
#include "disk_models/nvme.hpp"

#include <catch2/catch.hpp>
#include <queue>
#include <vector>

using namespace mpisim;
using namespace mpisim::kernel::literals;
using kernel::Bytes;
using kernel::ByteTime;
using kernel::SimTime;

namespace {

constexpr std::uint64_t page = 4000;

/// Reads of a page: 60 us + 10 us on the channel, 4 us on the bus.
disk::NvmeParameters device() {
  disk::NvmeParameters parameters;
  parameters.capacity = 1000 * page;
  parameters.page = page;
  parameters.channels = 8;
  parameters.queue_depth = 64;
  parameters.overhead = 6_us;
  parameters.read_latency = 60_us;
  parameters.write_latency = 200_us;
  parameters.channel = ByteTime::from_bandwidth(400e6);
  parameters.bus = ByteTime::from_bandwidth(1e9);
  return parameters;
}

SimTime time_of(disk::Nvme& device, std::uint64_t first_page, std::uint64_t bytes, bool write,
                SimTime start = 0_ps) {
  return device.serve({first_page * page, Bytes(bytes), write}, start).time;
}

/// Pages per second with so many requests outstanding, of pages that go round the channels.
double throughput(const disk::NvmeParameters& parameters, std::uint32_t outstanding, bool write) {
  disk::Nvme device(parameters);
  std::priority_queue<SimTime, std::vector<SimTime>, std::greater<>> ends;
  constexpr std::uint64_t count = 20'000;
  SimTime now;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (ends.size() == outstanding) {
      now = ends.top();
      ends.pop();
    }
    ends.push(now + time_of(device, i % 1000, page, write, now));
  }
  while (ends.size() > 1) ends.pop();
  return static_cast<double>(count) / ends.top().seconds();
}

}  // namespace

TEST_CASE("a request alone: overhead, latency, channel, bus") {
  disk::Nvme device(::device());
  CHECK(time_of(device, 0, page, false) == 6_us + 60_us + 10_us + 4_us);
  CHECK(time_of(device, 0, page, true, 1_ms) == 6_us + 4_us + 200_us + 10_us);
  CHECK(time_of(device, 0, 0, false, 2_ms) == 6_us);
  CHECK(throughput(::device(), 1, false) == Approx(1 / 80e-6));
  CHECK(throughput(::device(), 1, true) == Approx(1 / 220e-6));
}

TEST_CASE("a large read: the channels work side by side, the bus is the limit or the pages are") {
  disk::Nvme device(::device());
  CHECK(time_of(device, 0, 8 * page, false) == 6_us + 70_us + 32_us);  // 8 pages on the bus
  CHECK(time_of(device, 0, 80 * page, false, 1_s) == 6_us + 70_us * 10 + 4_us);
  disk::NvmeParameters slow = ::device();
  slow.bus = ByteTime::from_bandwidth(100e6);  // 40 us for a page
  disk::Nvme behind(slow);
  CHECK(time_of(behind, 0, 80 * page, false) == 6_us + 70_us + 40_us * 80);
  CHECK(time_of(behind, 0, 80 * page, true, 1_s) == 6_us + 40_us * 80 + 210_us);
}

TEST_CASE("many at once: channels / service, or the rate of the bus") {
  CHECK(throughput(device(), 8, false) == Approx(8 / 80e-6).epsilon(0.01));   // one for each channel
  CHECK(throughput(device(), 64, false) == Approx(8 / 70e-6).epsilon(0.01));  // the channels never wait
  CHECK(throughput(device(), 64, true) == Approx(8 / 210e-6).epsilon(0.01));
  disk::NvmeParameters slow = device();
  slow.bus = ByteTime::from_bandwidth(100e6);
  CHECK(throughput(slow, 64, false) == Approx(100e6 / page).epsilon(0.01));
  CHECK(throughput(slow, 64, true) == Approx(100e6 / page).epsilon(0.01));
}

TEST_CASE("garbage collection stops a channel, and is off by default") {
  disk::NvmeParameters parameters = device();
  parameters.channels = 1;
  const double without = throughput(parameters, 4, true);
  CHECK(without == Approx(1 / 210e-6).epsilon(0.01));
  parameters.gc_pause = 5_ms;
  CHECK(throughput(parameters, 4, true) == without);
  parameters.gc_interval = 100 * page;
  CHECK(throughput(parameters, 4, true) == Approx(100 / (100 * 210e-6 + 5e-3)).epsilon(0.01));
  CHECK(throughput(parameters, 4, false) == Approx(1 / 70e-6).epsilon(0.01));
  disk::Nvme cleaning(parameters);
  for (int i = 0; i < 100; ++i) time_of(cleaning, 0, page, true, 1_s * (i + 1));
  CHECK(time_of(cleaning, 0, page, false, 100_s + 1_ms) == 5_ms + 6_us + 4_us + 210_us - 1_ms + 74_us);
}
