#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/unit/runtime/fake_rank.hpp"

using namespace mpisim::runtime;

WRAPPED(printf);
WRAPPED(atexit);
WRAPPED(on_exit);
extern "C" void __wrap_exit(int status);
extern "C" void __wrap__exit(int status);
extern "C" int __wrap_system(const char* command);
extern "C" int __wrap_fork(void);

TEST_CASE("exit runs the rank's handlers in reverse order and flushes", "[runtime]") {
  FakeRank a(0), b(1);
  b([] { __wrap_atexit([] { __wrap_printf("b"); }); });
  const int status = a.status_of([] {
    __wrap_atexit([] { __wrap_printf("first"); });
    __wrap_on_exit([](int code, void* text) { __wrap_printf("%s%d ", static_cast<char*>(text), code); },
                   const_cast<char*>("status "));
    __wrap_atexit([] {
      __wrap_printf("last ");
      __wrap_atexit([] { __wrap_printf("added "); });
    });
    __wrap_exit(258);
  });
  CHECK(status == 2);
  CHECK(a.services.out == "last added status 258 first");
  CHECK(b.services.out.empty());
}

TEST_CASE("_exit runs no handlers", "[runtime]") {
  FakeRank rank;
  CHECK(rank.status_of([] {
    __wrap_atexit([] { __wrap_printf("never\n"); });
    __wrap__exit(5);
  }) == 5);
  CHECK(rank.services.out.empty());
}

TEST_CASE("What a simulated rank cannot do is refused by name", "[runtime]") {
  FakeRank rank(3);
  CHECK(rank.status_of([] {
    __wrap_printf("before");
    __wrap_system("true");
  }) == 2);
  CHECK(rank.services.out == "before");
  CHECK_THAT(rank.services.err, Catch::Contains("rank 3: system at ") && Catch::Contains("exit_test.cpp:"));
  CHECK(rank.status_of([] { __wrap_fork(); }) == 2);
  CHECK(rank([] { return __wrap_system(nullptr); }) == 0);
}

TEST_CASE("errno belongs to the rank that runs", "[runtime]") {
  FakeServices services_a(0), services_b(1);
  RankEnvironment a(services_a, 0), b(services_b, 0);
  set_current_environment(&a);
  errno = ENOENT;
  set_current_environment(&b);
  CHECK(errno == 0);
  errno = EINVAL;
  set_current_environment(&a);
  CHECK(errno == ENOENT);
  set_current_environment(nullptr);
}

TEST_CASE("A rank that only prints costs little", "[runtime]") {
  FakeServices services;
  RankEnvironment quiet(services, 0);
  CHECK(quiet.existing_libc() == nullptr);
  CHECK(sizeof(RankEnvironment) <= 48);
}
