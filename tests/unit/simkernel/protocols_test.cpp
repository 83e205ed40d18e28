// Every exact protocol gives what a sequential run gives, whatever the hosts, the partition and the delivery
// order; and what is particular to each.
#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>

#include "toy_models.hpp"

using namespace mpisim::kernel;
using namespace mpisim::kernel::toys;
using namespace mpisim::kernel::literals;

namespace {

const std::vector<std::string_view> exact_protocols{"null", "conditional", "combined", "quantum", "ideal"};

// Up to nine host processes are neighbours of host 0; eleven are a tree of two levels.
const std::vector<int> few_hosts{1, 2, 3, 4}, many_hosts{11};

void check_against_sequential(const Program& program, int seeds, std::uint64_t first_seed = 1,
                              const std::vector<int>& host_counts = few_hosts) {
  ArrivalOrder order;
  const Result expected = run_sequentially(program, &order);
  for (const std::string_view protocol : exact_protocols) {
    for (const int hosts : host_counts) {
      for (int i = 0; i < seeds; ++i) {
        const auto seed = first_seed + static_cast<std::uint64_t>(i);
        CAPTURE(protocol, hosts, seed);
        RunOptions options{.hosts = hosts, .seed = seed, .round_robin = seed % 2 == 0};
        options.protocol.order = &order;
        const Result result = run_under(protocol, program, options);
        REQUIRE(result.outcome == expected.outcome);
        for (LpId id = 0; id < program.lps; ++id) {
          CAPTURE(id);
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

/// Receives from anyone, with long computations in between.
Program seldom(LpId ranks) {
  return scripts(ranks, 5_ns, [ranks](Script& self) {
    for (int i = 0; i < 6; ++i) {
      self.compute(2_us);
      self.send((self.id() + 1) % ranks, 5_ns, self.id());
      self.receive_any();
    }
  });
}

}  // namespace

TEST_CASE("all exact protocols: PHOLD is the same as sequential") {
  check_against_sequential(phold(9, 3_ns, 100_ns), 4);
  check_against_sequential(phold(5, 1_ps, 200_ps), 2);
}

TEST_CASE("all exact protocols: random programs are the same as sequential") {
  int deadlocks = 0;
  for (std::uint64_t program_seed = 1; program_seed <= 12; ++program_seed) {
    CAPTURE(program_seed);
    const Program program = random_actors(7, 2_ns, program_seed, 40);
    if (run_sequentially(program).outcome == Outcome::deadlock) ++deadlocks;
    check_against_sequential(program, 2, program_seed);
  }
  CHECK(deadlocks > 1);
}

TEST_CASE("all exact protocols: processes and components together are the same as sequential") {
  for (std::uint64_t program_seed = 1; program_seed <= 4; ++program_seed)
    check_against_sequential(mixed(11, 4_ns, program_seed), 3, program_seed);
}

TEST_CASE("all exact protocols: LPs that answer each other at once are the same as sequential") {
  for (std::uint64_t program_seed = 1; program_seed <= 3; ++program_seed)
    check_against_sequential(clients(5, 9_ns, program_seed), 3, program_seed);
}

TEST_CASE("all exact protocols: host processes that agree over several levels are the same as sequential") {
  check_against_sequential(phold(14, 3_ns, 100_ns), 4, 1, many_hosts);
  check_against_sequential(phold(7, 3_ns, 100_ns), 4, 1, many_hosts);  // some host processes have no LP
  for (std::uint64_t program_seed = 1; program_seed <= 6; ++program_seed)
    check_against_sequential(random_actors(13, 2_ns, program_seed, 40), 2, program_seed, many_hosts);
}

TEST_CASE("all protocols: deterministic programs cause no protocol message") {
  ArrivalOrder order;
  const Result expected = run_sequentially(ring(8), &order);
  for (const std::string_view protocol : {"null", "conditional", "combined", "quantum", "ideal", "none"}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      RunOptions options{.hosts = 3, .seed = seed, .round_robin = seed % 2 == 0};
      options.protocol.order = &order;
      const Result result = run_under(protocol, ring(8), options);
      CAPTURE(protocol, seed);
      REQUIRE(result.same(expected));
      REQUIRE(result.statistics.rounds == 0);
      REQUIRE(result.statistics.null_messages == 0);
    }
  }
}

TEST_CASE("all protocols: deadlock is found, and a stop ends every host") {
  const Program waits = scripts(6, 1_ns, [](Script& self) {
    if (self.id() == 5) self.receive_any();
    if (self.id() == 0) self.poll();
  });
  const Program stops = scripts(6, 1_ns, [](Script& self) {
    if (self.id() == 4) {
      self.compute(30_ns);
      self.wait_until_safe();
      self.engine().stop();
    }
    self.receive_any();
  });
  for (const std::string_view protocol : {"null", "conditional", "combined", "quantum"}) {
    for (const int hosts : {1, 2, 4, 11}) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(protocol, hosts, seed);
        const RunOptions options{.hosts = hosts, .seed = seed, .round_robin = true};
        REQUIRE(run_under(protocol, waits, options).outcome == Outcome::deadlock);
        REQUIRE(run_under(protocol, stops, options).outcome == Outcome::stopped);
      }
    }
  }
}

TEST_CASE("null messages creep over long computations, conditional events jump") {
  std::vector<std::uint64_t> rounds;
  for (const std::string_view protocol : {"null", "combined", "conditional"}) {
    const Result result = run_under(protocol, seldom(4), {.hosts = 2, .round_robin = true});
    rounds.push_back(result.statistics.rounds);
  }
  CHECK(rounds[0] > 10 * rounds[2]);  // 2 us of computation are 400 lookaheads
  CHECK(rounds[1] < rounds[0]);
}

TEST_CASE("quantum: short windows are exact and many, long ones are few and repeatable") {
  const Program program = random_actors(7, 4_ns, 3, 60);
  const Result expected = run_sequentially(program);
  RunOptions options{.hosts = 3};
  options.protocol.quantum = 1_ns;
  const Result narrow = run_under("quantum", program, options);
  CHECK(narrow.same(expected));
  options.protocol.quantum = 4_ns;
  const Result exact = run_under("quantum", program, options);
  CHECK(exact.same(expected));
  CHECK(exact.statistics.rounds < narrow.statistics.rounds);
  options.protocol.quantum = 1_us;
  options.exact = false;
  const Result wide = run_under("quantum", program, options);
  CHECK(wide.statistics.rounds < exact.statistics.rounds);
  for (std::uint64_t seed = 2; seed <= 10; ++seed) {
    options.seed = seed;
    CHECK(run_under("quantum", program, options).same(wide));
  }
}

TEST_CASE("none: ends at the first LP that would need synchronisation") {
  for (const int hosts : {1, 3})
    CHECK(run_under("none", seldom(4), {.hosts = hosts, .round_robin = true}).outcome == Outcome::stopped);
}

TEST_CASE("ideal: an order of another simulation is refused") {
  ArrivalOrder order;
  run_sequentially(random_actors(7, 2_ns, 4, 40), &order);
  RunOptions options{.hosts = 1};
  options.protocol.order = &order;
  CHECK_THROWS_WITH(run_under("ideal", random_actors(7, 2_ns, 5, 40), options),
                    Catch::Contains("not of this simulation"));
  CHECK_THROWS_WITH(make_protocol("ideal", 2), Catch::Contains("needs a recorded order"));
  CHECK_THROWS_WITH(make_protocol("sequential", 2), Catch::Contains("one host process, not 2"));
  CHECK_THROWS_WITH(make_protocol("nul", 2), Catch::Contains("no protocol `nul`"));
}

TEST_CASE("a recorded order survives its file, and damage is told") {
  ArrivalOrder order;
  run_sequentially(phold(5, 3_ns, 100_ns), &order);
  const std::string file = "order_test.order";
  order.save(file);
  const ArrivalOrder again = ArrivalOrder::load(file);
  REQUIRE(again.lps() == order.lps());
  for (LpId id = 0; id < order.lps(); ++id) CHECK(again.times(id) == order.times(id));

  std::string bytes;
  {
    std::ifstream in(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::ofstream(file, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  CHECK_THROWS_WITH(ArrivalOrder::load(file), Catch::Contains("damaged"));
  std::ofstream(file, std::ios::binary) << "something else";
  CHECK_THROWS_WITH(ArrivalOrder::load(file), Catch::Contains("is no recorded order"));
  std::remove(file.c_str());
  CHECK_THROWS_WITH(ArrivalOrder::load(file), Catch::Contains("cannot read"));
  CHECK_THROWS_WITH(order.save("no/such/folder/order"), Catch::Contains("cannot write"));
}

TEST_CASE("combined: promises are for host processes that would else sleep") {
  const Result expected = run_sequentially(seldom(6));
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const bool rests : {false, true}) {
      CAPTURE(seed, rests);
      RunOptions::Habits habits{.rests_next = rests, .starves = false};
      const Result result = run_under("combined", seldom(6), {.hosts = 3, .seed = seed, .habits = &habits});
      REQUIRE(result.same(expected));
      REQUIRE((result.statistics.null_messages > 0) == rests);
    }
  }
}

TEST_CASE("a host process that has nothing to do gets events while their sender still runs") {
  constexpr int events = 40;
  const Program pipeline = scripts(2, 5_ns, [](Script& self) {
    for (int i = 0; i < events; ++i) {
      if (self.id() == 0) self.send(1, 5_ns, self.id());
      if (self.id() == 1) self.receive_from(0);
    }
  });
  for (const bool starves : {false, true}) {
    CAPTURE(starves);
    RunOptions::Habits habits{.rests_next = false, .starves = starves};
    const Result result = run_under("combined", pipeline, {.hosts = 2, .habits = &habits});
    REQUIRE(result.same(run_sequentially(pipeline)));
    REQUIRE((habits.packets >= events) == starves);
  }
}
