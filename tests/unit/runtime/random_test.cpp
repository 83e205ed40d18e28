#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <catch2/catch.hpp>
#include <vector>

#include "tests/unit/runtime/fake_rank.hpp"

using namespace mpisim::runtime;

WRAPPED(rand);
WRAPPED(srand);
WRAPPED(random);
WRAPPED(initstate);
WRAPPED(setstate);
WRAPPED(drand48);
WRAPPED(srand48);
WRAPPED(lrand48);
WRAPPED(seed48);
WRAPPED(getrandom);
WRAPPED(strtok);
WRAPPED(strerror);
extern "C" double __wrap_lgamma(double x);
extern "C" int* mpisim_libc_signgam(void);

TEST_CASE("Each rank has the C library's sequence to itself, seeded or not", "[runtime]") {
  std::vector<long> expected;
  srandom(1);  // what an unseeded program starts with
  for (int i = 0; i < 4; ++i) expected.push_back(random());
  srand(42);
  for (int i = 0; i < 4; ++i) expected.push_back(rand());
  srand48(3);
  for (int i = 0; i < 4; ++i) expected.push_back(lrand48());

  FakeRank ranks[2] = {FakeRank(0), FakeRank(1)};
  std::vector<long> seen[2];
  const auto step = [&](auto draw) {
    for (int r = 0; r < 2; ++r) seen[r].push_back(ranks[r](draw));
  };
  for (int i = 0; i < 4; ++i) step([] { return __wrap_random(); });
  for (FakeRank& rank : ranks)
    rank([] {
      __wrap_srand(42);
      __wrap_srand48(3);
    });
  for (int i = 0; i < 4; ++i) step([] { return static_cast<long>(__wrap_rand()); });
  for (int i = 0; i < 4; ++i) step([] { return __wrap_lrand48(); });
  CHECK(seen[0] == expected);
  CHECK(seen[1] == expected);
}

TEST_CASE("initstate and setstate return the state before", "[runtime]") {
  FakeRank rank;
  rank([] {
    char mine[64];
    char* const before = __wrap_initstate(5, mine, sizeof mine);
    REQUIRE(before != nullptr);
    const long first = __wrap_random();
    CHECK(__wrap_setstate(before) == mine);
    const long from_default = __wrap_random();
    srandom(1);
    CHECK(from_default == random());
    CHECK(__wrap_setstate(mine) == before);
    char reference[64];
    char* const real_before = initstate(5, reference, sizeof reference);
    CHECK(first == random());
    CHECK(__wrap_random() == random());
    setstate(real_before);
  });
}

TEST_CASE("drand48 starts as the C library's does", "[runtime]") {
  FakeRank rank;
  unsigned short zero[3] = {0, 0, 0};
  const double expected = erand48(zero);
  CHECK(rank([] { return __wrap_drand48(); }) == expected);
  rank([] {
    unsigned short seed[3] = {1, 2, 3};
    __wrap_seed48(seed);
    unsigned short other[3] = {4, 5, 6};
    const unsigned short* const before = __wrap_seed48(other);
    CHECK(memcmp(before, seed, sizeof seed) == 0);
  });
}

TEST_CASE("True randomness is a fixed sequence that differs by rank", "[runtime]") {
  const auto draw = [](int number) {
    FakeRank rank(number);
    unsigned long value = 0;
    rank([&] { CHECK(__wrap_getrandom(&value, sizeof value, 0) == sizeof value); });
    return value;
  };
  CHECK(draw(1) == draw(1));
  CHECK(draw(1) != draw(2));
}

TEST_CASE("strtok, strerror and lgamma remember per rank", "[runtime]") {
  FakeRank a(0), b(1);
  char first[] = "a b c", second[] = "x,y";
  CHECK(std::string(a([&] { return __wrap_strtok(first, " "); })) == "a");
  CHECK(std::string(b([&] { return __wrap_strtok(second, ","); })) == "x");
  CHECK(std::string(a([] { return __wrap_strtok(nullptr, " "); })) == "b");
  CHECK(std::string(b([] { return __wrap_strtok(nullptr, ","); })) == "y");
  const char* const text = a([] { return __wrap_strerror(12345); });
  b([] { return __wrap_strerror(54321); });
  CHECK(std::string(text) == "Unknown error 12345");
  a([] { __wrap_lgamma(-0.5); });
  b([] { __wrap_lgamma(0.5); });
  CHECK(a([] { return *mpisim_libc_signgam(); }) == -1);
  CHECK(b([] { return *mpisim_libc_signgam(); }) == 1);
}
