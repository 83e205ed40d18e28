// Every name in the list that mpisimcc links by has its wrapper, and every wrapper is in the list.
#include <catch2/catch.hpp>
#include <cstdio>
#include <set>
#include <string>

#define X(name) extern "C" void __wrap_##name();
#pragma GCC diagnostic ignored "-Wbuiltin-declaration-mismatch"
#include "runtime/libc_wrapped_symbols.def"
#undef X

TEST_CASE("Every listed function has a wrapper, and is listed once", "[runtime]") {
  std::set<std::string> names;
#define X(name)                                   \
  CHECK(reinterpret_cast<void*>(&__wrap_##name)); \
  CHECK(names.insert(#name).second);
#include "runtime/libc_wrapped_symbols.def"
#undef X
  CHECK(names.size() > 200);
}

extern "C" {
using mpisim_tzname_array = char* [2];
#define X(name, type) type* mpisim_libc_##name(void);
#include "runtime/libc_variables.def"
#undef X
}

TEST_CASE("Every listed variable has its address function", "[runtime]") {
#define X(name, type) CHECK(mpisim_libc_##name() != nullptr);
#include "runtime/libc_variables.def"
#undef X
}
