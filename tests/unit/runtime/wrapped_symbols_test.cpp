// Every name in the list that mpisimcc links by has its wrapper, and every wrapper is in the list.
#include <catch2/catch.hpp>
#include <cstdio>
#include <set>
#include <string>

#define X(name) extern "C" void __wrap_##name();
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#endif
#include "runtime/libc_wrapped_symbols.def"
#undef X

namespace {

struct Entry {
  const char* name;
  const void* address;
};

// Tables, not a check for each: hundreds of checks take the compiler minutes with sanitizers.
const Entry functions[] = {
#define X(name) {#name, reinterpret_cast<const void*>(&__wrap_##name)},
#include "runtime/libc_wrapped_symbols.def"
#undef X
};

}  // namespace

TEST_CASE("Every listed function has a wrapper, and is listed once", "[runtime]") {
  std::set<std::string> names;
  for (const Entry& function : functions) {
    INFO(function.name);
    CHECK(function.address != nullptr);
    CHECK(names.insert(function.name).second);
  }
  CHECK(names.size() > 200);
}

extern "C" {
using mpisim_tzname_array = char* [2];
#define X(name, type) type* mpisim_libc_##name(void);
#include "runtime/libc_variables.def"
#undef X
}

TEST_CASE("Every listed variable has its address function", "[runtime]") {
  const Entry variables[] = {
#define X(name, type) {#name, mpisim_libc_##name()},
#include "runtime/libc_variables.def"
#undef X
  };
  for (const Entry& variable : variables) {
    INFO(variable.name);
    CHECK(variable.address != nullptr);
  }
}
