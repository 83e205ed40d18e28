#include "simkernel/fiber.hpp"

#include <asm/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cfenv>
#include <csignal>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

using namespace mpisim::kernel;

namespace {

/// A fiber that runs a function and marks its end.
struct Task {
  Fiber fiber;
  std::function<void(Fiber&)> body;
  bool done = false;

  void prepare(const Stack& stack, std::function<void(Fiber&)> what) {
    body = std::move(what);
    fiber.prepare(stack, &Task::enter, this);
  }
  static void enter(void* self) {
    auto* task = static_cast<Task*>(self);
    task->body(task->fiber);
    task->done = true;
    task->fiber.suspend(true);
  }
};

#ifdef __x86_64__
std::uintptr_t gs_base() {
  std::uintptr_t base = 0;
  syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
  return base;
}
#endif

// Not optimised into a loop: every level needs its frame.
[[gnu::noinline]] std::size_t descend(std::size_t levels) {
  volatile char frame[200];
  frame[0] = static_cast<char>(levels);
  const std::size_t below = levels == 0 ? 0 : descend(levels - 1);
  return below + 1 + static_cast<std::size_t>(frame[0] - static_cast<char>(levels));
}

}  // namespace

TEST_CASE("fiber: runs, suspends and continues where it was") {
  StackArena arena(1, 256 << 10);
  std::vector<int> trace;
  Task task;
  task.prepare(arena.stack(0), [&](Fiber& fiber) {
    for (int i = 0; i < 3; ++i) {
      trace.push_back(i);
      fiber.suspend();
    }
  });
  for (int i = 0; i < 3; ++i) {
    task.fiber.resume();
    trace.push_back(100 + i);
    CHECK_FALSE(task.done);
  }
  task.fiber.resume();
  CHECK(task.done);
  CHECK(trace == std::vector<int>{0, 100, 1, 101, 2, 102});
}

TEST_CASE("fiber: runs on its own stack, aligned for the calling convention") {
  StackArena arena(16, 256 << 10);
  for (std::size_t index = 0; index < 16; ++index) {
    const Stack stack = arena.stack(index);
    std::uintptr_t place = 0;
    std::uintptr_t aligned = 1;
    Task task;
    task.prepare(stack, [&](Fiber&) {
      place = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
      alignas(32) volatile double vector[4] = {1, 2, 3, 4};
      aligned = reinterpret_cast<std::uintptr_t>(&vector[0]) % 32;
    });
    task.fiber.resume();
    CHECK(place > reinterpret_cast<std::uintptr_t>(stack.guard + stack.guard_size));
    CHECK(place < reinterpret_cast<std::uintptr_t>(stack.top));
    CHECK(aligned == 0);
  }
}

TEST_CASE("fiber: thousands of fibers, interleaved") {
  constexpr std::size_t count = 5'000;
  StackArena arena(count, 1 << 20);
  std::vector<std::unique_ptr<Task>> tasks;
  std::vector<std::size_t> sums(count);
  for (std::size_t index = 0; index < count; ++index) {
    tasks.push_back(std::make_unique<Task>());
    tasks.back()->prepare(arena.stack(index), [&sums, index](Fiber& fiber) {
      for (std::size_t step = 1; step <= 10; ++step) {
        sums[index] += index * step;
        fiber.suspend();
      }
    });
  }
  for (int step = 0; step < 11; ++step) {
    for (auto& task : tasks) task->fiber.resume();
  }
  for (std::size_t index = 0; index < count; ++index) {
    REQUIRE(tasks[index]->done);
    REQUIRE(sums[index] == index * 55);
  }
}

TEST_CASE("fiber: a stack can be used again after release") {
  StackArena arena(1, 512 << 10);
  const Stack stack = arena.stack(0);
  for (std::size_t round = 0; round < 50; ++round) {
    Task task;
    std::size_t depth = 0;
    task.prepare(stack, [&](Fiber& fiber) {
      depth = descend(500);
      fiber.suspend();
    });
    task.fiber.resume();  // ends while suspended: its frames are never unwound
    CHECK(depth == 501);
    arena.release(0);
  }
}

#ifdef __x86_64__
TEST_CASE("fiber: GS base is that of the fiber that runs") {
  if ((gs_base() != 0)) SUCCEED("GS base in use already");
  StackArena arena(2, 256 << 10);
  Task tasks[2];
  const std::uintptr_t bases[2] = {0x1000, 0x7fff'0000'0040};
  std::vector<std::uintptr_t> seen[2];
  for (std::size_t index = 0; index < 2; ++index) {
    tasks[index].prepare(arena.stack(index), [&seen, index](Fiber& fiber) {
      for (int step = 0; step < 4; ++step) {
        seen[index].push_back(gs_base());
        fiber.suspend();
      }
    });
    tasks[index].fiber.set_segment_base(bases[index]);
  }
  for (int step = 0; step < 4; ++step) {
    for (auto& task : tasks) task.fiber.resume();
  }
  for (std::size_t index = 0; index < 2; ++index)
    CHECK(seen[index] == std::vector<std::uintptr_t>(4, bases[index]));
  syscall(SYS_arch_prctl, ARCH_SET_GS, 0);
}
#endif

TEST_CASE("fiber: the rounding mode belongs to the fiber") {
  StackArena arena(1, 256 << 10);
  int inside = -1;
  Task task;
  task.prepare(arena.stack(0), [&](Fiber& fiber) {
    std::fesetround(FE_UPWARD);
    fiber.suspend();
    inside = std::fegetround();
  });
  task.fiber.resume();
  CHECK(std::fegetround() == FE_TONEAREST);
  task.fiber.resume();
  CHECK(inside == FE_UPWARD);
  CHECK(std::fegetround() == FE_TONEAREST);
}

TEST_CASE("fiber: deep recursion within the stack") {
  StackArena arena(1, 64 << 20);
  std::size_t depth = 0;
  Task task;
  task.prepare(arena.stack(0), [&](Fiber&) { depth = descend(100'000); });
  task.fiber.resume();
  CHECK(depth == 100'001);
}

TEST_CASE("fiber: recursion beyond the stack hits the guard") {
  StackArena arena(2, 256 << 10);
  arena.stack(0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    static Task task;
    static Stack stack;
    stack = arena.stack(1);
    // The handler's place must be in the guard of this very stack. It runs on a stack of its own.
    static char signal_stack[64 << 10];
    const stack_t alternative{signal_stack, 0, sizeof signal_stack};
    sigaltstack(&alternative, nullptr);
    struct sigaction action{};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    action.sa_sigaction = [](int, siginfo_t* info, void*) {
      const auto* place = static_cast<std::byte*>(info->si_addr);
      _exit(place >= stack.guard && place < stack.guard + stack.guard_size ? 42 : 1);
    };
    sigaction(SIGSEGV, &action, nullptr);
    task.prepare(stack, [](Fiber&) { descend(1'000'000'000); });
    task.fiber.resume();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 42);
}

TEST_CASE("fiber: exceptions are thrown and caught inside of a fiber") {
  StackArena arena(2, 256 << 10);
  std::vector<std::string> caught;
  Task tasks[2];
  for (std::size_t index = 0; index < 2; ++index) {
    tasks[index].prepare(arena.stack(index), [&caught, index](Fiber& fiber) {
      for (int step = 0; step < 2; ++step) {
        try {
          fiber.suspend();
          throw std::runtime_error(std::to_string(index) + std::to_string(step));
        } catch (const std::exception& error) {
          caught.emplace_back(error.what());
        }
      }
    });
  }
  for (int step = 0; step < 3; ++step) {
    for (auto& task : tasks) task.fiber.resume();
  }
  CHECK(caught == std::vector<std::string>{"00", "10", "01", "11"});
}
