#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "simkernel/fiber.hpp"
#include "simkernel/memory_advice.hpp"

using namespace mpisim::kernel;

namespace {

/// The signal that ends a child process which runs `body`, 0 if it returns.
int signal_of(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    for (const int fault : {SIGSEGV, SIGBUS}) std::signal(fault, SIG_DFL);  // no report of the test's own
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

void write_at(std::byte* place) {
  *reinterpret_cast<volatile std::byte*>(place) = std::byte{1};
}

[[maybe_unused]] std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

[[maybe_unused]] std::size_t map_count() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) ++count;
  return count;
}

}  // namespace

TEST_CASE("stack arena: the whole usable range can be written, the guard cannot") {
  StackArena arena(3, 256 << 10);
  for (std::size_t index = 0; index < 3; ++index) {
    const Stack stack = arena.stack(index);
    CHECK(stack.guard_size >= 4096);
    CHECK(stack.usable() >= (128 << 10));
    std::byte* low = stack.guard + stack.guard_size;
    std::memset(low, 1, stack.usable());
    REQUIRE(arena.guarded());
    CHECK(signal_of([&] { write_at(low); }) == 0);
    CHECK(signal_of([&] { write_at(low - 1); }) == SIGSEGV);
    CHECK(signal_of([&] { write_at(stack.guard); }) == SIGSEGV);
  }
}

TEST_CASE("stack arena: stacks are disjoint, tops aligned and coloured") {
  StackArena arena(40, 128 << 10);
  std::vector<Stack> stacks;
  for (std::size_t index = 0; index < 40; ++index) stacks.push_back(arena.stack(index));
  for (std::size_t index = 0; index < 40; ++index) {
    CHECK(reinterpret_cast<std::uintptr_t>(stacks[index].top) % 64 == 0);
    if (index > 0) {
      CHECK(stacks[index - 1].top <= stacks[index].guard);
      CHECK(reinterpret_cast<std::uintptr_t>(stacks[index - 1].top) % 4096 !=
            reinterpret_cast<std::uintptr_t>(stacks[index].top) % 4096);
    }
  }
}

TEST_CASE("stack arena: release gives memory back and keeps the guard") {
  StackArena arena(1, 16 << 20);
  const Stack stack = arena.stack(0);
  std::byte* low = stack.guard + stack.guard_size;
  const std::size_t before = resident_bytes();
  std::memset(low, 0x5a, stack.usable());
  CHECK(resident_bytes() > before + (12 << 20));
  arena.release(0);
  CHECK(resident_bytes() < before + (4 << 20));
  CHECK(*low == std::byte{0});
  CHECK(signal_of([&] { write_at(low - 1); }) == SIGSEGV);
}

TEST_CASE("stack arena: every stack has its guard, whichever is asked for first") {
  constexpr std::size_t count = 1100;  // of more than two calls of the system
  StackArena arena(count, 256 << 10);
  for (const std::size_t index : {count - 1, std::size_t{0}, std::size_t{511}, std::size_t{512}}) {
    const Stack stack = arena.stack(index);
    REQUIRE(arena.guarded());
    CHECK(signal_of([&] { write_at(stack.guard + stack.guard_size - 1); }) == SIGSEGV);
    CHECK(signal_of([&] { write_at(stack.guard + stack.guard_size); }) == 0);
  }
}

TEST_CASE("advice: for many ranges, up to the first that cannot have it") {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  constexpr std::size_t count = 1200;
  auto* memory = static_cast<std::byte*>(
      mmap(nullptr, 2 * count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(memory != MAP_FAILED);
  std::vector<iovec> ranges;
  for (std::size_t i = 0; i < count; ++i) ranges.push_back({memory + 2 * i * page, page});
  for (std::size_t i = 0; i < count; ++i) write_at(memory + 2 * i * page);
  CHECK(advise_ranges(ranges, MADV_DONTNEED) == count);
  for (std::size_t i = 0; i < count; ++i) REQUIRE(memory[2 * i * page] == std::byte{0});
  CHECK(advise_ranges({}, MADV_DONTNEED) == 0);
  for (const std::size_t gone : {std::size_t{0}, std::size_t{7}, std::size_t{600}}) {
    const iovec range = ranges[gone];
    munmap(range.iov_base, range.iov_len);
    CHECK(advise_ranges(ranges, MADV_DONTNEED) == gone);
    REQUIRE(mmap(range.iov_base, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                 0) == range.iov_base);
  }
  munmap(memory, 2 * count * page);
}

TEST_CASE("stack arena: sizes are rounded up to something usable") {
  StackArena arena(2, 1);
  CHECK(arena.stack(0).usable() >= (32 << 10));
  CHECK(arena.stack(1).guard >= arena.stack(0).top);
}

TEST_CASE("stack arena: none at all") {
  StackArena arena(0, 8 << 20);
  CHECK(arena.guarded());
}

TEST_CASE("stack arena: too much is refused with the mend") {
  CHECK_THROWS_WITH(StackArena(std::size_t{1} << 24, std::size_t{1} << 30), Catch::Contains("--stack-size"));
  CHECK_THROWS_AS(StackArena(std::size_t{1} << 40, std::size_t{1} << 40), std::runtime_error);
}

#ifndef __SANITIZE_ADDRESS__  // counts what shadow memory takes, too
TEST_CASE("fiber: a stack is touched when its turn comes, or before on demand") {
  constexpr std::size_t count = 4096;
  StackArena arena(count, 256 << 10);
  std::vector<Stack> stacks;
  for (std::size_t index = 0; index < count; ++index) stacks.push_back(arena.stack(index));
  std::vector<const Stack*> all;
  for (const Stack& stack : stacks) all.push_back(&stack);
  std::vector<Fiber> fibers(count);
  const std::size_t before = resident_bytes();
  for (std::size_t index = 0; index < count; ++index)
    fibers[index].prepare(stacks[index], [](void*) {}, nullptr);
  CHECK(resident_bytes() < before + (4 << 20));
  touch_tops(all);
  CHECK(resident_bytes() >= before + (12 << 20));
  CHECK(resident_bytes() < before + (24 << 20));
}
#endif

#ifndef __SANITIZE_ADDRESS__  // its shadow memory of half a terabyte would be real
TEST_CASE("stack arena: tens of thousands of stacks cost neither memory nor maps") {
  constexpr std::size_t count = 65'536;
  const std::size_t before = resident_bytes();
  const std::size_t maps = map_count();
  StackArena arena(count, 8 << 20);
  for (std::size_t index = 0; index < count; ++index) {
    const Stack stack = arena.stack(index);
    if (index % 1024 == 0) write_at(stack.top - 1);
  }
  if (arena.guarded()) {
    CHECK(map_count() < maps + 100);
    const Stack last = arena.stack(count - 1);
    CHECK(signal_of([&] { write_at(last.guard); }) == SIGSEGV);
  }
  CHECK(resident_bytes() < before + (64 << 20));
}
#endif
