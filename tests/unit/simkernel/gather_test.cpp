#include <catch2/catch.hpp>
#include <vector>

#include "simkernel/engine.hpp"
#include "simkernel/in_process_transport.hpp"
#include "simkernel/protocols.hpp"

using namespace mpisim::kernel;

namespace {

std::vector<std::byte> blob(std::size_t size, int host) {
  return std::vector<std::byte>(size, static_cast<std::byte>(host + 1));
}

/// What hosts contribute to the round-th gather; some nothing, some much.
std::vector<std::byte> contribution(int host, int round) {
  switch ((host + round) % 3) {
    case 0:
      return {};
    case 1:
      return blob(7, host);
    default:
      return blob(3 << 20, host);
  }
}

}  // namespace

TEST_CASE("gather: one host keeps its own") {
  Engine engine(EngineOptions{}, nullptr);
  const auto all = engine.gather(blob(5, 0));
  REQUIRE(all.size() == 1);
  CHECK(all[0] == blob(5, 0));
  CHECK(engine.gather({}).size() == 1);
}

TEST_CASE("gather: empty and large blobs of every host, several times in a row") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    run_in_process(4, seed, [seed](Transport& transport) {
      Engine engine(EngineOptions{}, &transport);
      for (int round = 0; round < 3; ++round) {
        const auto all = engine.gather(contribution(transport.host(), round));
        if (transport.host() != 0) {
          if (!all.empty()) throw std::runtime_error("only host 0 gets blobs");
          continue;
        }
        if (all.size() != 4) throw std::runtime_error("a blob is missing");
        for (int host = 0; host < 4; ++host) {
          if (all[static_cast<std::size_t>(host)] != contribution(host, round))
            throw std::runtime_error("wrong blob, seed " + std::to_string(seed));
        }
      }
    });
  }
  SUCCEED();
}

TEST_CASE("gather: after a run") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    run_in_process(3, seed, [](Transport& transport) {
      Engine engine(EngineOptions{}, &transport);
      engine.place({});
      const auto protocol = make_protocol("conditional", transport.hosts());
      if (engine.run(*protocol) != Outcome::finished) throw std::runtime_error("not finished");
      const auto all = engine.gather(blob(transport.host() == 1 ? 0 : 100, transport.host()));
      if (transport.host() == 0 && (all.size() != 3 || !all[1].empty() || all[2] != blob(100, 2)))
        throw std::runtime_error("wrong blobs");
    });
  }
  SUCCEED();
}

TEST_CASE("distribute: every host gets the blob of host 0, between gathers") {
  Engine alone(EngineOptions{}, nullptr);
  CHECK(alone.distribute(blob(5, 0)) == blob(5, 0));
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    run_in_process(4, seed, [seed](Transport& transport) {
      Engine engine(EngineOptions{}, &transport);
      for (int round = 0; round < 3; ++round) {
        const auto all = engine.gather(contribution(transport.host(), round));
        if (engine.distribute(contribution(transport.host(), round)) != contribution(0, round))
          throw std::runtime_error("wrong blob, seed " + std::to_string(seed));
        if (transport.host() == 0 && all.size() != 4) throw std::runtime_error("a blob is missing");
      }
    });
  }
  SUCCEED();
}
