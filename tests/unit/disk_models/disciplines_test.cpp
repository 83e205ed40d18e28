// Orders of service on queues made by hand.
#include <catch2/catch.hpp>

#include <vector>

#include "disk_models/queue_discipline.hpp"

using namespace mpisim;

namespace {

std::unique_ptr<disk::QueueDiscipline> made(const char* name) {
  const disk::Discipline* discipline = disk::disciplines().find(name);
  REQUIRE(discipline != nullptr);
  return discipline->make();
}

/// Cylinders in the order of service: all wait when the head is at `head`, which then moves to each.
std::vector<std::uint64_t> order(const char* name, std::uint64_t head,
                                 const std::vector<std::uint64_t>& cylinders) {
  const auto queue = made(name);
  for (std::size_t i = 0; i < cylinders.size(); ++i) queue->add({cylinders[i], i});
  std::vector<std::uint64_t> served;
  for (std::size_t i = 0; i < cylinders.size(); ++i) {
    head = cylinders[queue->take(head)];
    served.push_back(head);
  }
  return served;
}

std::uint64_t movement(std::uint64_t head, const std::vector<std::uint64_t>& served) {
  std::uint64_t moved = 0;
  for (const std::uint64_t cylinder : served) {
    moved += cylinder > head ? cylinder - head : head - cylinder;
    head = cylinder;
  }
  return moved;
}

// The queue of the textbooks (Silberschatz, Galvin, Gagne, "Operating system concepts"), the head at 53.
const std::vector<std::uint64_t> textbook{98, 183, 37, 122, 14, 124, 65, 67};

}  // namespace

TEST_CASE("the textbook's queue: orders and movements of the head") {
  using Order = std::vector<std::uint64_t>;
  CHECK(order("fcfs", 53, textbook) == textbook);
  CHECK(movement(53, order("fcfs", 53, textbook)) == 640);
  CHECK(order("sstf", 53, textbook) == Order{65, 67, 37, 14, 98, 122, 124, 183});
  CHECK(movement(53, order("sstf", 53, textbook)) == 236);
  CHECK(order("scan", 53, textbook) == Order{65, 67, 98, 122, 124, 183, 37, 14});
  CHECK(movement(53, order("scan", 53, textbook)) == 299);
  CHECK(order("c-look", 53, textbook) == Order{65, 67, 98, 122, 124, 183, 14, 37});
  CHECK(movement(53, order("c-look", 53, textbook)) == 322);
}

TEST_CASE("ties: the request that came first") {
  for (const char* name : {"fcfs", "sstf", "scan", "c-look"}) {
    CAPTURE(name);
    const auto queue = made(name);
    for (std::uint64_t arrival = 0; arrival < 5; ++arrival) queue->add({7, arrival});
    for (std::uint64_t arrival = 0; arrival < 5; ++arrival) CHECK(queue->take(7) == arrival);
  }
  const auto below_first = made("sstf");
  below_first->add({8, 0});
  below_first->add({12, 1});
  CHECK(below_first->take(10) == 0);
  const auto above_first = made("sstf");
  above_first->add({12, 0});
  above_first->add({8, 1});
  CHECK(above_first->take(10) == 0);
}

TEST_CASE("requests that come while the head is on its way") {
  const auto scan = made("scan");
  scan->add({50, 0});
  CHECK(scan->take(10) == 0);
  scan->add({40, 1});
  scan->add({60, 2});
  CHECK(scan->take(50) == 2);  // on upwards
  scan->add({70, 3});
  CHECK(scan->take(60) == 3);
  CHECK(scan->take(70) == 1);  // back
  scan->add({45, 4});
  scan->add({30, 5});
  CHECK(scan->take(40) == 5);  // on downwards
  CHECK(scan->take(30) == 4);

  const auto circular = made("c-look");
  circular->add({50, 0});
  CHECK(circular->take(10) == 0);
  circular->add({40, 1});
  circular->add({20, 2});
  circular->add({50, 3});
  CHECK(circular->take(50) == 3);
  CHECK(circular->take(50) == 2);
  CHECK(circular->take(20) == 1);
}
