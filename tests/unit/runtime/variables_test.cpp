#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/runtime/fake_rank.hpp"

using namespace mpisim::runtime;

WRAPPED(getenv);
WRAPPED(setenv);
WRAPPED(unsetenv);
WRAPPED(putenv);
WRAPPED(clearenv);
extern "C" char*** mpisim_libc_environ(void);

TEST_CASE("Changes of the environment stay with the rank", "[runtime]") {
  FakeRank a(0), b(1);
  a([] {
    CHECK(__wrap_getenv("PATH") != nullptr);
    CHECK(__wrap_setenv("MPISIM_TEST", "one", 1) == 0);
    const char* const before = __wrap_getenv("MPISIM_TEST");
    CHECK(__wrap_setenv("MPISIM_TEST", "two", 0) == 0);
    CHECK(std::string(__wrap_getenv("MPISIM_TEST")) == "one");
    CHECK(__wrap_setenv("MPISIM_TEST", "three", 1) == 0);
    CHECK(std::string(__wrap_getenv("MPISIM_TEST")) == "three");
    CHECK(std::string(before) == "one");
    CHECK(__wrap_unsetenv("PATH") == 0);
    CHECK(__wrap_getenv("PATH") == nullptr);
    CHECK(__wrap_setenv("A=B", "x", 1) == -1);
  });
  b([] {
    CHECK(__wrap_getenv("MPISIM_TEST") == nullptr);
    CHECK(__wrap_getenv("PATH") != nullptr);
    static char text[] = "MPISIM_TEST=b";
    CHECK(__wrap_putenv(text) == 0);
    text[12] = 'c';  // putenv keeps the caller's text
    CHECK(std::string(__wrap_getenv("MPISIM_TEST")) == "c");
    bool found = false;
    for (char** variable = *mpisim_libc_environ(); *variable != nullptr; ++variable)
      found |= *variable == text;
    CHECK(found);
    CHECK(__wrap_clearenv() == 0);
    CHECK(__wrap_getenv("HOME") == nullptr);
    CHECK(__wrap_setenv("HOME", "/", 1) == 0);
    CHECK(std::string(__wrap_getenv("HOME")) == "/");
  });
  CHECK(getenv("MPISIM_TEST") == nullptr);
  CHECK(getenv("PATH") != nullptr);
}
