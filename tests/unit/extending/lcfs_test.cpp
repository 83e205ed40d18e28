// The queue discipline of docs/extending.md: what comes last is served first, and the mean wait is that of
// first come, first served.
#include <catch2/catch.hpp>

#include "disk_models/queue_discipline.hpp"
#include "machine/description.hpp"
#include "tests/unit/pfssim/disk_harness.hpp"
#include "tests/unit/piosim/support.hpp"

namespace mpisim::disk {
Discipline lcfs_discipline();
}

using namespace mpisim;
using namespace mpisim::kernel::literals;
using namespace mpisim::test;
using kernel::SimTime;

namespace {

// What the line MODULE(lcfs) in disciplines.def does.
const bool registered = (disk::disciplines().add(disk::lcfs_discipline()), true);

/// Answers to requests of 10 ms that come at these times.
std::vector<SimTime> answers(const char* queue, const std::vector<SimTime>& times) {
  pfs::Parameters parameters;
  parameters.disk = analytic_disk(10_ms, 0_ps, 1e15);
  parameters.queue = *disk::disciplines().find(queue);
  std::vector<Ask> asks;
  for (const SimTime at : times) asks.push_back({at, data(pfs::Operation::read, 0, 0, 0)});
  std::vector<SimTime> at;
  for (const Reply& reply : served_by_disk(parameters, asks)) at.push_back(reply.at);
  return at;
}

}  // namespace

TEST_CASE("machine files know the discipline") {
  REQUIRE(registered);
  const Directory directory;
  const auto queue_of = [&](const std::string& disk) {
    write_content(directory.file("stack.yaml"),
                  "schema_version: 1\nname: stack\nnodes: {io: 1}\nnetwork: {model: ideal}\n"
                  "io: {model: pfs, disk: " +
                      disk + "}\n");
    const machine::Description machine = machine::load(directory.file("stack.yaml"));
    return machine.io_config(machine.placement(2)).pfs.queue.name;
  };
  CHECK(queue_of("{model: simple, queue: lcfs}") == "lcfs");
  CHECK(queue_of("{model: simple}") == "fcfs");
  CHECK_THROWS_WITH(queue_of("{model: simple, queue: lifo}"),
                    Catch::Contains("io.disk.queue: `lifo` is not known"));
  CHECK_THROWS_WITH(
      queue_of("{model: analytic, queue: sstf}"),
      Catch::Contains("io.disk.queue: sstf needs a disk whose head moves, which analytic has not"));
}

TEST_CASE("what comes last is served first, with the same mean wait") {
  const std::vector<SimTime> times{1_ms, 2_ms, 3_ms, 4_ms};
  const auto stack = answers("lcfs", times);
  CHECK(stack[0] == 11_ms + tick);
  CHECK(stack[3] == 21_ms + tick);
  CHECK(stack[2] == 31_ms + tick);
  CHECK(stack[1] == 41_ms + tick);
  const auto queue = answers("fcfs", times);
  SimTime of_stack, of_queue;
  for (std::size_t i = 0; i < times.size(); ++i) {
    of_stack += stack[i] - times[i];
    of_queue += queue[i] - times[i];
  }
  CHECK((of_stack - of_queue).ps() <= 4);  // ticks
}
