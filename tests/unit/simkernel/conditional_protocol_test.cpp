// The conditional protocol over hosts inside one process with adversarial delivery: whatever the partition,
// the number of hosts and the seed, every LP handles the same events at the same times as in a sequential
// run.
#include <catch2/catch.hpp>

#include "toy_models.hpp"

using namespace mpisim::kernel;
using namespace mpisim::kernel::toys;
using namespace mpisim::kernel::literals;

namespace {

void check_against_sequential(const Program& program, int seeds, std::uint64_t first_seed = 1) {
  const Result expected = run_sequentially(program);
  for (const int hosts : {1, 2, 3, 4}) {
    for (const bool round_robin : {false, true}) {
      for (int i = 0; i < seeds; ++i) {
        const auto seed = first_seed + static_cast<std::uint64_t>(i);
        CAPTURE(hosts, round_robin, seed);
        const Result result = run_conditionally(program, hosts, seed, round_robin);
        REQUIRE(result.outcome == expected.outcome);
        for (LpId id = 0; id < program.lps; ++id) {
          CAPTURE(id);
          REQUIRE(result.traces[id].size() == expected.traces[id].size());
          REQUIRE(result.traces[id] == expected.traces[id]);
        }
      }
    }
  }
}

/// A ring with named receives: deterministic.
Program ring(LpId ranks) {
  return scripts(ranks, 5_ns, [ranks](Script& self) {
    for (int i = 0; i < 20; ++i) {
      self.send((self.id() + 1) % ranks, 5_ns, self.id());
      self.receive_from((self.id() + ranks - 1) % ranks);
    }
  });
}

}  // namespace

TEST_CASE("conditional: PHOLD is the same as sequential") {
  check_against_sequential(phold(9, 3_ns, 200_ns), 15);
  check_against_sequential(phold(5, 1_ps, 25_ns), 5);
}

TEST_CASE("conditional: random programs are the same as sequential") {
  int deadlocks = 0;
  for (std::uint64_t program_seed = 1; program_seed <= 25; ++program_seed) {
    CAPTURE(program_seed);
    const Program program = random_actors(7, 2_ns, program_seed, 40);
    if (run_sequentially(program).outcome == Outcome::deadlock) ++deadlocks;
    check_against_sequential(program, 3, program_seed);
  }
  CHECK(deadlocks > 2);
}

TEST_CASE("conditional: processes and components together are the same as sequential") {
  for (std::uint64_t program_seed = 1; program_seed <= 5; ++program_seed)
    check_against_sequential(mixed(11, 4_ns, program_seed), 6, program_seed);
}

TEST_CASE("conditional: LPs that answer each other within a picosecond on one host process") {
  for (std::uint64_t program_seed = 1; program_seed <= 5; ++program_seed)
    check_against_sequential(clients(5, 4_ns, program_seed), 6, program_seed);
}

TEST_CASE("conditional: deterministic programs need no round") {
  const Result expected = run_sequentially(ring(8));
  CHECK(expected.outcome == Outcome::finished);
  for (const int hosts : {2, 3, 4}) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const Result result = run_conditionally(ring(8), hosts, seed, seed % 2 == 0);
      CAPTURE(hosts, seed);
      REQUIRE(result.same(expected));
      REQUIRE(result.statistics.rounds == 0);
    }
  }
}

TEST_CASE("conditional: deadlock is found on every host") {
  const Program all_receive = scripts(6, 1_ns, [](Script& self) { self.receive_from((self.id() + 1) % 6); });
  const Program one_waits = scripts(6, 1_ns, [](Script& self) {
    if (self.id() == 5) self.receive_any();
    if (self.id() == 0) self.poll();
  });
  for (const int hosts : {2, 3, 4}) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      CAPTURE(hosts, seed);
      REQUIRE(run_conditionally(all_receive, hosts, seed, false).outcome == Outcome::deadlock);
      REQUIRE(run_conditionally(one_waits, hosts, seed, true).outcome == Outcome::deadlock);
    }
  }
}

TEST_CASE("conditional: a host without LPs takes part") {
  const Program two = scripts(2, 1_ns, [](Script& self) {
    if (self.id() == 0) self.send(1, 1_ns, 4);
    if (self.id() == 1) self.receive_any();
  });
  const Result expected = run_sequentially(two);
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    REQUIRE(run_conditionally(two, 4, seed, true).same(expected));
}

TEST_CASE("conditional: stop ends every host") {
  const Program program = scripts(6, 1_ns, [](Script& self) {
    if (self.id() == 4) {
      self.compute(30_ns);
      self.wait_until_safe();
      self.engine().stop();
      self.receive_any();
    }
    while (self.now() < 1_s) {
      self.send((self.id() + 1) % 6, 1_ns, 0);
      self.poll();
    }
  });
  for (const int hosts : {2, 3, 4}) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      CAPTURE(hosts, seed);
      const Result result = run_conditionally(program, hosts, seed, true);
      REQUIRE(result.outcome == Outcome::stopped);
      REQUIRE(result.traces[4].empty());
    }
  }
}

TEST_CASE("conditional: several hosts stop at once") {
  const Program program = scripts(4, 1_ns, [](Script& self) {
    self.send((self.id() + 1) % 4, 1_ns, 0);
    self.engine().stop();
    self.receive_any();
  });
  for (std::uint64_t seed = 1; seed <= 100; ++seed)
    REQUIRE(run_conditionally(program, 4, seed, true).outcome == Outcome::stopped);
}

TEST_CASE("conditional: nothing is left of any event") {
  const auto before = numbers_alive();
  run_conditionally(phold(9, 3_ns, 300_ns), 3, 5, true);
  run_conditionally(random_actors(7, 2_ns, 3, 60), 3, 5, true);
  CHECK(numbers_alive() == before);
}
