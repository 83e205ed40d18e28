#include "simkernel/ready_queue.hpp"

#include <sys/mman.h>
#include <unistd.h>

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

#ifndef __SANITIZE_ADDRESS__  // whose shadow memory hides what is resident
namespace {

bool resident(const Stack& stack) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(stack.top) - 1) / page * page;
  unsigned char in_memory = 0;
  return mincore(reinterpret_cast<void*>(last), page, &in_memory) == 0 && (in_memory & 1U) != 0;
}

/// The index of the first process whose stack is touched only by the process, or `count`; `without`: the one
/// whose stack does not exist.
std::size_t first_untouched(std::size_t count, std::size_t without) {
  Processes processes(static_cast<LpId>(count));
  StackArena arena(count, 128 << 10);
  ReadyQueue queue;
  for (std::size_t i = 0; i < count; ++i) {
    const Stack stack = arena.stack(i);
    if (i == without) munmap(stack.top - stack.usable(), stack.usable());
    processes[i].prepare(stack);
    queue.add_start(processes[i]);
  }
  std::size_t first = count;
  for (std::size_t i = 0; i < count; ++i) {
    const Stack& stack = queue.pop().stack();
    if (first == count && !resident(stack)) first = i;
    if (i > first && i % 64 == 0) CHECK_FALSE(resident(stack));  // not asked again
  }
  return first;
}

}  // namespace

TEST_CASE("ready queue: first pages of stacks come together, until the system refuses") {
  constexpr std::size_t count = 500;
  if (first_untouched(count, count) == 0) return;  // a system that does not do that
  CHECK(first_untouched(count, count) == count);
  CHECK(first_untouched(count, 100) == 100);
}
#endif

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
