// Waiting times at a disk beside those of queueing theory, and the order in which a disk serves its queue.
//
// Requests come by a Poisson process of rate l; a service takes S. First come, first served, the mean wait is
// that of Pollaczek and Khinchine, W = l E[S^2] / (2 (1 - l E[S])), where services are independent.
#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include "disk_models/nvme.hpp"
#include "tests/unit/pfssim/arm.hpp"
#include "tests/unit/pfssim/disk_harness.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pfs::Operation;

namespace {

constexpr int batches = 20;
constexpr int batch_size = 5000;
constexpr double t_99 = 2.861;  // Student, 19 degrees of freedom, two-sided 99 %

/// Uniform over (0, 1].
double uniform(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11) + 1) / 9007199254740992.0;
}

/// Poisson arrivals of rate `rate` per second, of sizes that `size` draws.
template <class Size>
std::vector<Ask> poisson(double rate, std::uint64_t seed, Size&& size) {
  std::mt19937_64 random(seed);
  std::vector<Ask> asks;
  double at = 0.001;
  for (int i = 0; i < batches * batch_size; ++i) {
    at += -std::log(uniform(random)) / rate;
    asks.push_back({SimTime::from_seconds(at), data(Operation::read, 0, 0, size(random))});
  }
  return asks;
}

struct Interval {
  double mean = 0;
  double half_width = 0;  ///< of the 99 % confidence interval
};

/// Of means of batches.
Interval interval(const std::vector<double>& values) {
  std::vector<double> means;
  for (int batch = 0; batch < batches; ++batch) {
    double sum = 0;
    for (int i = 0; i < batch_size; ++i) sum += values[static_cast<std::size_t>(batch * batch_size + i)];
    means.push_back(sum / batch_size);
  }
  Interval result;
  for (const double mean : means) result.mean += mean / batches;
  double squares = 0;
  for (const double mean : means) squares += (mean - result.mean) * (mean - result.mean);
  result.half_width = t_99 * std::sqrt(squares / (batches - 1) / batches);
  return result;
}

pfs::Parameters one_disk(const disk::Factory& disk, const char* queue) {
  pfs::Parameters parameters;
  parameters.disk = disk;
  parameters.queue = *disk::disciplines().find(queue);
  return parameters;
}

/// Times from arrival to the beginning of service, in seconds.
std::vector<double> waits(const std::vector<Ask>& asks, const std::vector<Reply>& served, double overhead,
                          double per_byte) {
  std::vector<double> result;
  for (std::size_t i = 0; i < asks.size(); ++i)
    result.push_back((served[i].at - asks[i].at).seconds() - overhead -
                     per_byte * static_cast<double>(asks[i].what.bytes));
  return result;
}

}  // namespace

TEST_CASE("M/D/1: constant services") {
  for (const double load : {0.3, 0.7, 0.9}) {
    constexpr double service = 10e-3;
    const auto asks = poisson(load / service, 7, [](std::mt19937_64& /*random*/) { return 512; });
    const auto disk = analytic_disk(10_ms - 512_ns, 0_ps, 1e9);
    const Interval wait = interval(waits(asks, served_by_disk(one_disk(disk, "fcfs"), asks), service, 0));
    const double expected = load * service / (2 * (1 - load));
    INFO("load " << load << ": " << wait.mean << " +- " << wait.half_width << ", theory " << expected);
    CHECK(std::abs(wait.mean - expected) < wait.half_width);
    CHECK(wait.half_width < 0.15 * expected);
  }
}

TEST_CASE("M/G/1: nine small requests for each large one") {
  constexpr double small = 1e-3 + 1e-3;
  constexpr double large = 1e-3 + 50e-3;
  constexpr double mean = 0.9 * small + 0.1 * large;
  constexpr double square = 0.9 * small * small + 0.1 * large * large;
  for (const double load : {0.4, 0.8}) {
    const double rate = load / mean;
    const auto asks = poisson(rate, 11, [](std::mt19937_64& random) {
      return uniform(random) <= 0.1 ? std::uint64_t{50'000} : std::uint64_t{1000};
    });
    const auto disk = analytic_disk(1_ms, 0_ps, 1e6);
    const Interval wait = interval(waits(asks, served_by_disk(one_disk(disk, "fcfs"), asks), 1e-3, 1e-6));
    const double expected = rate * square / (2 * (1 - load));
    INFO("load " << load << ": " << wait.mean << " +- " << wait.half_width << ", theory " << expected);
    CHECK(std::abs(wait.mean - expected) < wait.half_width);
    CHECK(wait.half_width < 0.15 * expected);
  }
}

namespace {

/// 100 us for a page of 4000 bytes, in the channel alone.
disk::NvmeParameters solid_state(std::uint32_t channels, std::uint32_t depth) {
  disk::NvmeParameters parameters;
  parameters.capacity = 1 << 30;
  parameters.page = 4000;
  parameters.channels = channels;
  parameters.queue_depth = depth;
  parameters.read_latency = 90_us;
  parameters.channel = kernel::ByteTime::from_bandwidth(400e6);
  return parameters;
}

/// Mean wait of M/D/c in units of the service time (Crommelin 1932), with a = load * c:
/// sum over i of e^(-i a) (sum over j >= i c of (i a)^j / j! - 1 / load * sum over j > i c of (i a)^j / j!).
double crommelin(double load, int servers) {
  const double offered = load * servers;
  double wait = 0;
  for (int i = 1; i <= 400; ++i) {
    const auto at_least = [mean = i * offered](int least) {
      double sum = 0;
      for (int j = least; j < least + 2000; ++j)
        sum += std::exp(j * std::log(mean) - mean - std::lgamma(j + 1.0));
      return sum;
    };
    wait += at_least(i * servers) - at_least(i * servers + 1) / load;
  }
  return wait;
}

/// Waits of Poisson reads of pages that `page` draws.
template <class Page>
Interval page_waits(const disk::NvmeParameters& parameters, double rate, Page&& page) {
  auto asks = poisson(rate, 17, [](std::mt19937_64& /*random*/) { return 4000; });
  std::mt19937_64 random(23);
  for (std::size_t i = 0; i < asks.size(); ++i) asks[i].what.offset = 4000 * page(i, random);
  const auto served = served_by_disk(one_disk(disk::factory<disk::Nvme>(parameters), "fcfs"), asks);
  return interval(waits(asks, served, 100e-6, 0));
}

}  // namespace

TEST_CASE("M/D/c: a solid-state device whose channels are never the limit serves c requests at once") {
  CHECK(crommelin(0.5, 1) == Approx(0.5));  // M/D/1
  for (const std::uint32_t depth : {2U, 8U}) {
    const double load = 0.8;
    const Interval wait = page_waits(solid_state(64, depth), load * depth / 100e-6,
                                     [](std::size_t i, std::mt19937_64& /*random*/) { return i % 1000; });
    const double expected = crommelin(load, static_cast<int>(depth)) * 100e-6;
    INFO(depth << " at once: " << wait.mean << " +- " << wait.half_width << ", theory " << expected);
    CHECK(std::abs(wait.mean - expected) < wait.half_width);
    CHECK(wait.half_width < 0.15 * expected);
  }
}

TEST_CASE("a deep queue over random pages: each channel is M/D/1") {
  const double load = 0.7;
  const Interval wait =
      page_waits(solid_state(8, 4096), load * 8 / 100e-6,
                 [](std::size_t /*i*/, std::mt19937_64& random) { return random() % 1000; });
  const double expected = load / (2 * (1 - load)) * 100e-6;
  INFO(wait.mean << " +- " << wait.half_width << ", theory " << expected);
  CHECK(std::abs(wait.mean - expected) < wait.half_width);
  CHECK(wait.half_width < 0.15 * expected);
}

namespace {

/// A thousand cylinders; 10 us per cylinder and 1 ms for all else.
disk::Factory thousand() {
  return arm(1000, 10_us, 1_ms);
}

Ask at_cylinder(SimTime at, std::uint64_t cylinder) {
  return {at, data(Operation::read, 0, cylinder * 1000, 1)};
}

/// Cylinders in the order in which they are served.
std::vector<std::uint64_t> service_order(const char* queue, const std::vector<Ask>& asks) {
  const auto served = served_by_disk(one_disk(thousand(), queue), asks);
  std::vector<std::size_t> order(asks.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return served[a].at < served[b].at; });
  std::vector<std::uint64_t> cylinders;
  for (const std::size_t i : order) cylinders.push_back(asks[i].what.offset / 1000);
  return cylinders;
}

}  // namespace

TEST_CASE("a disk serves its queue in the order of the discipline") {
  // The first is served at once; the others come while the arm moves to cylinder 53.
  std::vector<Ask> asks{at_cylinder(1_ms, 53)};
  for (const std::uint64_t cylinder : {98, 183, 37, 122, 14, 124, 65, 67})
    asks.push_back(at_cylinder(1100_us, cylinder));
  using Order = std::vector<std::uint64_t>;
  CHECK(service_order("fcfs", asks) == Order{53, 98, 183, 37, 122, 14, 124, 65, 67});
  CHECK(service_order("sstf", asks) == Order{53, 65, 67, 37, 14, 98, 122, 124, 183});
  CHECK(service_order("scan", asks) == Order{53, 65, 67, 98, 122, 124, 183, 37, 14});
  CHECK(service_order("c-look", asks) == Order{53, 65, 67, 98, 122, 124, 183, 14, 37});
}

TEST_CASE("services follow each other without gaps; a late request is chosen when the disk is free") {
  std::vector<Ask> asks{at_cylinder(1_ms, 100), at_cylinder(1_ms, 500), at_cylinder(2500_us, 90)};
  const auto served = served_by_disk(one_disk(thousand(), "sstf"), asks);
  CHECK(served[0].at == 1_ms + 2_ms + tick);
  CHECK(served[2].at == 3_ms + 1_ms + 100_us + tick);
  CHECK(served[1].at == 4100_us + 1_ms + 4100_us + tick);
}

TEST_CASE("an idle disk that asks for its next request predicts what one does that serves in order") {
  disk::Discipline asking = disk::fcfs_discipline();
  asking.choice = disk::Choice::queue;
  std::mt19937_64 random(5);
  std::vector<Ask> asks;
  SimTime at = 1_ms;
  for (int i = 0; i < 3000; ++i) {
    at = at + 1_us * static_cast<std::int64_t>(random() % 7000);
    const auto write = random() % 2 == 0 ? Operation::write : Operation::read;
    asks.push_back(
        {at, data(write, static_cast<std::uint32_t>(random() % 3), random() % 900'000, random() % 5000)});
    if (random() % 4 == 0) {
      asks.back().what.bytes = 700;
      asks.back().list = {{100, 200}, {50'000, 500}};
    }
  }
  pfs::Parameters parameters = one_disk(thousand(), "fcfs");
  const auto in_order = served_by_disk(parameters, asks);
  parameters.queue = asking;
  const auto asked = served_by_disk(parameters, asks);
  for (std::size_t i = 0; i < asks.size(); ++i) {
    CAPTURE(i);
    // The one answers a tick after the end of the service, the other from its own event at the end.
    REQUIRE(in_order[i].at + tick >= asked[i].at);
    REQUIRE(asked[i].at >= in_order[i].at);
    REQUIRE(in_order[i].what.tally.seeks == asked[i].what.tally.seeks);
  }
}

TEST_CASE("under load disciplines that look at the arm wait less") {
  std::mt19937_64 random(3);
  std::vector<Ask> asks;
  double at = 0.001;
  for (int i = 0; i < 20'000; ++i) {
    at += -std::log(uniform(random)) * 4e-3;  // first come, first served: load 1.08
    asks.push_back(at_cylinder(SimTime::from_seconds(at), random() % 1000));
  }
  const auto mean = [&asks](const char* queue) {
    const auto served = served_by_disk(one_disk(thousand(), queue), asks);
    double sum = 0;
    for (std::size_t i = 0; i < asks.size(); ++i) sum += (served[i].at - asks[i].at).seconds();
    return sum / static_cast<double>(asks.size());
  };
  const double sstf = mean("sstf");
  const double scan = mean("scan");
  const double c_look = mean("c-look");
  CHECK(sstf < scan);
  CHECK(scan < c_look);
  CHECK(c_look < mean("fcfs") / 10);
}
