// String functions that remember something between calls, and hash tables of the C library.
#include <math.h>
#include <search.h>
#include <string.h>

#include <cerrno>
#include <cstdio>

#include "runtime/export.hpp"
#include "runtime/libc/libc_state.hpp"

namespace mpisim::runtime {

struct StringState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::strings;
  explicit StringState(LibcState&) {}
  ~StringState() override {
    if (table.size != 0) hdestroy_r(&table);
  }

  char* next_token = nullptr;
  char error_text[64] = "";
  hsearch_data table{};
  int sign_of_gamma = 0;
};

}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT char* __wrap_strtok(char* text, const char* separators) {
  StringState* const state = current_part<StringState>();
  return state == nullptr ? strtok(text, separators) : strtok_r(text, separators, &state->next_token);
}

MPISIM_EXPORT char* __wrap_strerror(int error) {
  StringState* const state = current_part<StringState>();
  return state == nullptr ? strerror(error) : strerror_r(error, state->error_text, sizeof state->error_text);
}

MPISIM_EXPORT int __wrap_hcreate(size_t size) {
  StringState* const state = current_part<StringState>();
  return state == nullptr ? hcreate(size) : hcreate_r(size, &state->table);
}

MPISIM_EXPORT void __wrap_hdestroy(void) {
  if (StringState* const state = current_part<StringState>())
    hdestroy_r(&state->table);
  else
    hdestroy();
}

MPISIM_EXPORT ENTRY* __wrap_hsearch(ENTRY item, ACTION action) {
  StringState* const state = current_part<StringState>();
  if (state == nullptr) return hsearch(item, action);
  ENTRY* result = nullptr;
  hsearch_r(item, action, &result, &state->table);
  return result;
}

MPISIM_EXPORT int* mpisim_libc_signgam(void) {
  StringState* const state = current_part<StringState>();
  return state == nullptr ? &signgam : &state->sign_of_gamma;
}

MPISIM_EXPORT double __wrap_lgamma(double x) {
  return lgamma_r(x, mpisim_libc_signgam());
}
MPISIM_EXPORT double __wrap_gamma(double x) {
  return lgamma_r(x, mpisim_libc_signgam());
}
MPISIM_EXPORT float __wrap_lgammaf(float x) {
  return lgammaf_r(x, mpisim_libc_signgam());
}
MPISIM_EXPORT long double __wrap_lgammal(long double x) {
  return lgammal_r(x, mpisim_libc_signgam());
}
