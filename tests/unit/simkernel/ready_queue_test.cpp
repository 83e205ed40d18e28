#include "simkernel/ready_queue.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "simkernel/engine.hpp"

using namespace mpisim::kernel;

namespace {

class Idle final : public ProcessLp {
 public:
  using ProcessLp::ProcessLp;
  void deliver(Event*) override {}
  Horizon horizon() const override { return {}; }
  void advance(SimTime) override {}

 protected:
  void run() override {}
};

struct Processes {
  explicit Processes(LpId count) {
    for (LpId id = 0; id < count; ++id) all.push_back(std::make_unique<Idle>(engine, id));
  }
  ProcessLp& operator[](std::size_t index) { return *all[index]; }
  Engine engine{{}, nullptr};
  std::vector<std::unique_ptr<Idle>> all;
};

}  // namespace

TEST_CASE("ready queue: the newest first, and starts only when nobody else can go on") {
  Processes processes(6);
  ReadyQueue queue;
  CHECK(queue.empty());
  queue.add_start(processes[0]);
  queue.add_start(processes[1]);
  CHECK(queue.pop().id() == 0);
  queue.push(processes[4]);
  queue.push(processes[5]);
  CHECK(queue.pop().id() == 5);
  CHECK(queue.pop().id() == 4);
  CHECK(queue.pop().id() == 1);
  CHECK(queue.empty());
}

TEST_CASE("ready queue: the oldest and the next start have their turn among others that keep coming") {
  Processes processes(4);
  ReadyQueue queue;
  queue.add_start(processes[0]);
  queue.push(processes[1]);
  std::vector<LpId> order;
  for (int turn = 0; turn < 40; ++turn) {
    queue.push(processes[2]);
    order.push_back(queue.pop().id());
  }
  CHECK(std::count(order.begin(), order.end(), LpId{0}) == 1);
  CHECK(std::count(order.begin(), order.end(), LpId{1}) == 1);
}

TEST_CASE("ready queue: one that lets others go first waits for starts too, but not for ever") {
  Processes processes(3);
  ReadyQueue queue;
  queue.push_last(processes[0]);
  queue.add_start(processes[1]);
  queue.push(processes[2]);
  CHECK(queue.pop().id() == 2);
  CHECK(queue.pop().id() == 1);
  CHECK(queue.pop().id() == 0);
  CHECK(queue.empty());
  queue.push_last(processes[0]);
  bool seen = false;
  for (int turn = 0; turn < 60 && !seen; ++turn) {
    queue.push(processes[2]);
    seen = queue.pop().id() == 0;
  }
  CHECK(seen);
}

TEST_CASE("ready queue: grows while it is in use") {
  Processes processes(500);
  ReadyQueue queue;
  std::vector<int> seen(500);
  for (std::size_t i = 0; i < 100; ++i) queue.push(processes[i]);
  for (int i = 0; i < 60; ++i) ++seen[queue.pop().id()];
  for (std::size_t i = 100; i < 500; ++i) queue.push(processes[i]);
  while (!queue.empty()) ++seen[queue.pop().id()];
  CHECK(std::count(seen.begin(), seen.end(), 1) == 500);
}
