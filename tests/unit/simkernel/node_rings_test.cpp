#include "simkernel/node_rings.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "simkernel/node_memory.hpp"

using namespace mpisim::kernel;
using namespace std::chrono_literals;

namespace {

struct Memory {
  explicit Memory(int members) { REQUIRE(shared.make(NodeRings::memory_size(members))); }
  NodeMemory shared;
};

/// Packet `number` of a stream: its size and contents follow from its number.
std::vector<std::byte> packet(std::uint32_t number) {
  std::mt19937 random(number);
  // A few are many times as large as a ring.
  const std::size_t size = number % 61 == 7 ? random() % (std::size_t{5} << 20) : random() % 300;
  std::vector<std::byte> data(size);
  for (std::size_t at = 0; at < size; at += 97) data[at] = static_cast<std::byte>(random());
  return data;
}

/// Sends `count` packets to everybody and takes theirs; false if anything is not as it was sent, in order.
bool exchange(NodeRings& rings, int members, int me, std::uint32_t count) {
  std::vector<std::uint32_t> next(static_cast<std::size_t>(members));
  std::uint32_t sent = 0;
  for (std::uint32_t missing = count * static_cast<std::uint32_t>(members - 1);
       missing > 0 || sent < count || rings.sending();) {
    if (sent < count) {
      for (int to = 0; to < members; ++to)
        if (to != me) rings.send(to, packet(sent));
      ++sent;
    }
    Packet taken;
    if (!rings.receive(taken)) {
      if (sent == count) rings.wait(50ms);
      continue;
    }
    --missing;
    if (taken.data != packet(next[static_cast<std::size_t>(taken.source)]++)) return false;
  }
  return true;
}

bool exchange_in_threads(int members, bool alone, std::uint32_t count) {
  const Memory memory(members);
  std::vector<std::thread> threads;
  std::vector<char> good(static_cast<std::size_t>(members));
  for (int me = 0; me < members; ++me) {
    threads.emplace_back([&, me] {
      NodeRings rings(memory.shared.data(), members, me, alone);
      good[static_cast<std::size_t>(me)] = exchange(rings, members, me, count) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const char one : good)
    if (one == 0) return false;
  return true;
}

}  // namespace

TEST_CASE("packets through rings keep their order and contents, also if they are larger than a ring") {
  CHECK(exchange_in_threads(2, true, 400));
  CHECK(exchange_in_threads(2, false, 400));
  CHECK(exchange_in_threads(5, false, 130));
}

TEST_CASE("a packet is seen before it is received, and an empty one is a packet") {
  const Memory memory(2);
  NodeRings left(memory.shared.data(), 2, 0, true);
  NodeRings right(memory.shared.data(), 2, 1, true);
  Packet taken;
  CHECK_FALSE(right.arrived());
  CHECK_FALSE(right.receive(taken));
  left.send(1, {});
  left.send(1, packet(3));
  CHECK_FALSE(left.arrived());
  REQUIRE(right.arrived());
  REQUIRE(right.receive(taken));
  CHECK(taken.data.empty());
  CHECK(taken.source == 0);
  REQUIRE(right.receive(taken));
  CHECK(taken.data == packet(3));
  CHECK_FALSE(right.arrived());
  CHECK_FALSE(right.receive(taken));
}

TEST_CASE("what does not fit its ring goes on when the sender comes back") {
  const Memory memory(2);
  NodeRings left(memory.shared.data(), 2, 0, true);
  NodeRings right(memory.shared.data(), 2, 1, true);
  const std::vector<std::byte> large(NodeRings::memory_size(2) * 2, std::byte{42});
  left.send(1, large);
  left.send(1, packet(1));
  CHECK(left.sending());
  CHECK(left.rests_next());  // for as long as the reader likes
  Packet taken;
  int rounds = 0;
  while (!right.receive(taken)) {
    left.wait(50ms);
    REQUIRE(++rounds < 1000);
  }
  CHECK(rounds > 1);
  CHECK(taken.data == large);
  left.wait(50ms);
  CHECK_FALSE(left.sending());
  REQUIRE(right.receive(taken));
  CHECK(taken.data == packet(1));
}

TEST_CASE("who waits and has taken all that was sent starves") {
  const Memory memory(2);
  NodeRings left(memory.shared.data(), 2, 0, true);
  NodeRings right(memory.shared.data(), 2, 1, true);
  CHECK_FALSE(left.starves(1));
  right.wait(50ms);
  CHECK(left.starves(1));
  CHECK_FALSE(right.starves(0));
  Packet taken;
  left.send(1, packet(1));
  CHECK_FALSE(left.starves(1));  // has something to take
  REQUIRE(right.receive(taken));
  CHECK_FALSE(left.starves(1));  // works on it
  right.wait(50ms);
  CHECK(left.starves(1));
}

TEST_CASE("it is known when waits are going to sleep") {
  const Memory memory(2);
  NodeRings left(memory.shared.data(), 2, 0, true);
  NodeRings right(memory.shared.data(), 2, 1, false);
  Packet taken;
  CHECK_FALSE(right.rests_next());
  right.wait(50ms);
  CHECK(right.rests_next());  // there is no processor for it alone
  left.send(1, packet(1));
  REQUIRE(right.receive(taken));
  CHECK_FALSE(right.rests_next());
  for (int waits = 0; waits <= NodeRings::least_early_returns; ++waits) {
    REQUIRE_FALSE(left.rests_next());
    left.wait(50ms);
  }
}

TEST_CASE("who lost the processor before the first wait looks for packets as long as any other") {
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(sched_getcpu(), &here);
  std::atomic<bool> lost = false;
  const auto stay = [&here] { sched_setaffinity(0, sizeof here, &here); };
  std::thread competitor([&] {
    stay();
    while (!lost) {
    }
  });
  int waits = 0;
  std::thread member([&] {
    stay();
    rusage usage{};
    while (usage.ru_nivcsw == 0) getrusage(RUSAGE_THREAD, &usage);
    lost = true;
    const Memory memory(2);
    NodeRings rings(memory.shared.data(), 2, 0, true);
    for (; !rings.rests_next(); ++waits) rings.wait(1ms);
  });
  member.join();
  competitor.join();
  CHECK(waits > NodeRings::least_early_returns);
}

TEST_CASE("who sleeps is woken by a packet, or after the longest time") {
  const Memory memory(2);
  NodeRings left(memory.shared.data(), 2, 0, false);
  std::thread later([&] {
    NodeRings right(memory.shared.data(), 2, 1, false);
    Packet taken;
    while (!right.receive(taken)) right.wait(1h);
    right.send(0, taken.data);
  });
  left.send(1, packet(5));
  Packet taken;
  while (!left.receive(taken)) left.wait(1h);
  later.join();
  CHECK(taken.data == packet(5));
  left.wait(1ms);  // nothing comes any more
  CHECK_FALSE(left.arrived());
}

TEST_CASE("a sleeper is not woken for what can wait, unless it has a processor of its own") {
  for (const bool alone : {false, true}) {
    const Memory memory(2);
    NodeRings left(memory.shared.data(), 2, 0, alone);
    std::atomic<bool> slept = false;
    std::thread sleeper([&] {
      NodeRings right(memory.shared.data(), 2, 1, alone);
      Packet taken;
      while (!right.receive(taken)) right.wait(1h);
      slept = true;
    });
    // It comes to its sleep at some time, and then this does not change any more.
    if (alone) {
      while (!left.starves(1)) std::this_thread::yield();
    } else {
      while (!left.sleeps(1)) std::this_thread::yield();
      CHECK_FALSE(left.starves(1));
    }
    CHECK_FALSE(slept);
    left.send(1, packet(1));
    sleeper.join();
    CHECK(slept);
  }
}

TEST_CASE(
    "memory that another process has made is opened through that process, and found to be the right one") {
  NodeMemory made;
  constexpr std::size_t size = 100'000;
  REQUIRE(made.make(size));
  std::memcpy(made.data(), "from the parent", 16);
  const pid_t child = fork();
  if (child == 0) {
    NodeMemory opened;
    const bool good = opened.open(made.key(), size) &&
                      std::strcmp(reinterpret_cast<char*>(opened.data()), "from the parent") == 0;
    if (good) std::memcpy(opened.data(), "from the child", 15);
    _exit(good ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(std::strcmp(reinterpret_cast<char*>(made.data()), "from the child") == 0);

  NodeMemory::Key other = made.key();
  other.stamp += 1;
  CHECK_FALSE(NodeMemory().open(other, size));
  CHECK_FALSE(NodeMemory().open(made.key(), size + 1));
  const NodeMemory::Key before = made.key();
  made.seal();
  CHECK_FALSE(NodeMemory().open(before, size));
}
