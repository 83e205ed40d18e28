// The machine files that come with the simulator, and the arithmetic behind their derived numbers.
#include <catch2/catch.hpp>
#include <string>

#include "disk_models/simple.hpp"
#include "machine/calibration.hpp"
#include "machine/catalogue.hpp"
#include "machine/description.hpp"
#include "machine/show.hpp"
#include "runtime/target_abi.h"
#include "tests/unit/machine/files.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using kernel::Bytes;
using kernel::SimTime;

namespace {

/// Time of a message of `size` bytes between two idle neighbours, a receive being posted.
SimTime ping(const machine::Description& machine, std::uint64_t size) {
  const auto network = machine.build_network(2);
  const mpi::Config& mpi = machine.mpi_config();
  network::Adapter sender;
  network::Adapter receiver;
  const bool eager = Bytes(size) <= mpi.eager_limit;
  const SimTime ready = mpi.send_overhead + (eager ? mpi.send_copy * Bytes(size) : 0_ps);
  const network::Transit transit = network->transit(0, 1, Bytes(size), ready, sender);
  const SimTime taken = network->take_from(0, 1, Bytes(size), transit.arrival, receiver);
  return taken + mpi.receive_overhead + (eager ? mpi.receive_copy * Bytes(size) : 0_ps);
}

double megabytes_per_second(const machine::Description& machine, std::uint64_t size) {
  return static_cast<double>(size) / ping(machine, size).seconds() / 1e6;
}

}  // namespace

TEST_CASE("every machine file loads and shows a file that means the same") {
  for (const std::string name :
       {"ideal", "sp2", "paragon", "transputer", "cluster", "cluster-lustre", "cluster-burst-buffer"}) {
    CAPTURE(name);
    const machine::Description machine = config(name);
    CHECK(machine.build_network(50)->min_latency() >= 1_ps);
    CHECK(machine.cost_table().picoseconds.size() == MPISIM_COST_CLASSES);
    CHECK_FALSE(machine.description().empty());
    const Folder folder;
    const std::string shown = machine::show(machine);
    const machine::Description again = machine::load(folder.write("again.yaml", shown));
    CHECK(again.cost_table().picoseconds == machine.cost_table().picoseconds);
    CHECK(again.build_network(50)->describe() == machine.build_network(50)->describe());
    CHECK(ping(again, 1000) == ping(machine, 1000));
  }
}

TEST_CASE("reductions combine operands at the rate of the cost table") {
  for (const std::string name :
       {"ideal", "sp2", "paragon", "transputer", "cluster", "cluster-lustre", "cluster-burst-buffer"}) {
    CAPTURE(name);
    const machine::Description machine = config(name);
    const std::vector<double>& cost = machine.cost_table().picoseconds;
    const double element = 3 * cost[MPISIM_COST_MEMORY] + cost[MPISIM_COST_FP_ADD] + cost[MPISIM_COST_BRANCH];
    const auto thousand = static_cast<double>((machine.mpi_config().reduce_cost * Bytes(8000)).ps());
    CHECK(thousand == Approx(1000 * element).epsilon(0.02));
  }
}

TEST_CASE("the list of machines has every file with its description") {
  const auto machines = machine::list_machines();
  REQUIRE(machines.size() >= 7);
  CHECK(machines.front().name == "cluster");
  CHECK(machines.front().description.find("InfiniBand") != std::string::npos);
  CHECK(machine::find_machine("paragon").filename() == "paragon.yaml");
  CHECK(machine::find_machine("own/thing.yaml") == "own/thing.yaml");
}

TEST_CASE("Paragon: 43 to 48 us for an empty message, 85 MB/s for large ones") {
  const machine::Description paragon = config("paragon");
  CHECK(ping(paragon, 0) == 44'540_ns);
  CHECK(ping(paragon, 0) >= 43_us);
  CHECK(ping(paragon, 0) <= 48_us);
  CHECK(megabytes_per_second(paragon, 64 << 20) == Approx(85).epsilon(0.01));
  CHECK(paragon.compute_nodes() + paragon.io_nodes() == 64);
  CHECK(paragon.build_network(56)->capacity() == 64);
}

TEST_CASE("Paragon: disks seek for 8.5 ms on average and read 1 MiB as table 7-5 has it") {
  const machine::Description paragon = config("paragon");
  const pio::Config io = paragon.io_config(paragon.placement(56));
  CHECK(io.model == pio::Model::pfs);
  CHECK(io.pfs.io_nodes == 8);
  CHECK(io.pfs.first_io_node == 56);
  const auto drive_at_rest = io.disk();
  const auto& drive = dynamic_cast<const disk::Simple&>(*drive_at_rest).parameters();
  double seeks = 0;  // over all pairs of cylinders
  for (std::uint64_t distance = 1; distance < drive.cylinders; ++distance)
    seeks += 2.0 * static_cast<double>(drive.cylinders - distance) * drive.seek(distance).seconds();
  const auto cylinders = static_cast<double>(drive.cylinders);
  CHECK(seeks / cylinders / cylinders == Approx(8.5e-3).epsilon(0.005));
  CHECK(60.0 / 6300 == Approx(drive.turn.seconds()).epsilon(0.001));
  CHECK(static_cast<double>(drive.cylinders * drive.cylinder_size) == Approx(1.24e9).epsilon(0.001));
  const double reads = 0.384 + 0.327 + 0.302, writes = 0.311 + 0.357 + 0.296 + 0.331 + 0.447 + 0.370;
  const double transfer = (drive.transfer * Bytes(1 << 20)).seconds();
  CHECK(drive.overhead.seconds() + drive.turn.seconds() / 2 + transfer ==
        Approx((reads + writes) / 9).epsilon(0.005));
  // The client's part of a write of 128 KiB to one disk, table 7-6. Nothing was chosen for that.
  const SimTime client = io.pfs.client_overhead + io.pfs.client_copy * Bytes(128 << 10) +
                         io.pfs.server_overhead + ping(paragon, 128 << 10) - ping(paragon, 0);
  CHECK(client.seconds() >= 5.5e-3);
  CHECK(client.seconds() <= 6.2e-3);
  const double copy = 1e12 / paragon.cost_table().picoseconds[MPISIM_COST_BYTE];  // bytes per second
  CHECK((io.pfs.client_copy * Bytes(1 << 20)).seconds() == Approx(2 * (1 << 20) / copy).epsilon(0.01));
}

TEST_CASE("SP2: 40 us and 35 MB/s under MPI, copies by the cost table") {
  const machine::Description sp2 = config("sp2");
  CHECK(ping(sp2, 0) == 40_us);
  CHECK(megabytes_per_second(sp2, 64 << 20) == Approx(35).epsilon(0.01));
  const double copy = 1e12 / sp2.cost_table().picoseconds[MPISIM_COST_BYTE] / 1e6;
  CHECK(copy == Approx(445).epsilon(0.01));
  CHECK(4 * sp2.clock_hz() / 1e6 == Approx(266).epsilon(0.01));
}

TEST_CASE("transputers: several hundred us per message, link and header rates") {
  const machine::Description transputer = config("transputer");
  CHECK(ping(transputer, 0) > 300_us);
  CHECK(ping(transputer, 0) < 500_us);
  CHECK(transputer.build_network(72)->capacity() == 72);
  // 20 Mbit/s with 11 bits on the wire per byte is the ceiling of the payload rate.
  CHECK(20.0 / 11 == Approx(1.82).epsilon(0.01));
  CHECK(1.74 < 20.0 / 11);
  CHECK(50 / 1.74 + 10 == Approx(38.7).epsilon(0.01));
  const auto& costs = transputer.cost_table().picoseconds;
  CHECK(costs[MPISIM_COST_FP_ADD] == Approx(350e3));
  CHECK(costs[MPISIM_COST_FP_MUL] == Approx(1000e3));
  CHECK(costs[MPISIM_COST_FP_DIV] == Approx(1550e3));
  CHECK(1e12 / costs[MPISIM_COST_BYTE] == Approx(10e6));
}

TEST_CASE("cluster: 1 us MPI latency between nodes, less inside one") {
  const machine::Description cluster = config("cluster", {"placement.ranks_per_node=1"});
  CHECK(ping(cluster, 0) == 1_us);
  CHECK(megabytes_per_second(cluster, 64 << 20) == Approx(12500).epsilon(0.01));
  CHECK(1e12 / cluster.cost_table().picoseconds[MPISIM_COST_BYTE] == Approx(25e9));
  const auto network = config("cluster").build_network(8);
  CHECK(network->min_latency(0, 0) == 300_ns);
  CHECK(network->min_latency(0, 1) == 570_ns);
  CHECK(network->min_latency() == 300_ns);
}

TEST_CASE("ideal: one operation per ns, one message per us") {
  const machine::Description ideal = config("ideal");
  CHECK(ping(ideal, 1 << 20) == 1_us);
  CHECK(ideal.cost_table().picoseconds[MPISIM_COST_FP_DIV] == Approx(1000));
  CHECK(ideal.score() == Approx(1e9));
}

TEST_CASE("machines are ordered by speed as in life") {
  const double transputer = config("transputer").score();
  const double paragon = config("paragon").score();
  const double sp2 = config("sp2").score();
  const double cluster = config("cluster").score();
  CHECK(transputer < paragon);
  CHECK(paragon < sp2);
  CHECK(sp2 < cluster);
}
