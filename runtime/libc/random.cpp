// Random numbers: every rank has its own generators, with the C library's algorithms and so its sequences.
// Sources of true randomness give a fixed sequence per rank: a prediction must come out the same again.
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/export.hpp"
#include "runtime/libc/libc_state.hpp"

namespace mpisim::runtime {

struct RandomState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::random;
  explicit RandomState(LibcState& state)
      : entropy(0x6d7069736dULL + static_cast<std::uint64_t>(state.rank.services().world_rank())) {
    initstate_r(1, initial, sizeof initial, &additive);
    // As the C library's own: all zeros until seeded or first used.
  }

  char initial[128];       // of rand and random, the size of the C library's default
  random_data additive{};  // rand and random share it, as in the C library
  drand48_data congruential{};
  unsigned short before_seed[3] = {0, 0, 0};  // what seed48 returned
  std::uint64_t entropy;
};

namespace {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
std::uint64_t next_entropy(RandomState& state) {
  std::uint64_t z = state.entropy += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

void fill(RandomState& state, void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const std::uint64_t value = next_entropy(state);
    const std::size_t piece = size < sizeof value ? size : sizeof value;
    std::memcpy(at, &value, piece);
    at += piece;
    size -= piece;
  }
}

}  // namespace
}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT long __wrap_random(void) {
  RandomState* const state = current_part<RandomState>();
  if (state == nullptr) return random();
  std::int32_t result = 0;
  random_r(&state->additive, &result);
  return result;
}

MPISIM_EXPORT int __wrap_rand(void) {
  return static_cast<int>(__wrap_random());
}

MPISIM_EXPORT void __wrap_srandom(unsigned seed) {
  if (RandomState* const state = current_part<RandomState>())
    srandom_r(seed, &state->additive);
  else
    srandom(seed);
}

MPISIM_EXPORT void __wrap_srand(unsigned seed) {
  __wrap_srandom(seed);
}

MPISIM_EXPORT char* __wrap_initstate(unsigned seed, char* buffer, size_t size) {
  RandomState* const state = current_part<RandomState>();
  if (state == nullptr) return initstate(seed, buffer, size);
  // The word before a state's numbers describes it; a state's buffer starts there.
  char* const before = reinterpret_cast<char*>(state->additive.state - 1);
  return initstate_r(seed, buffer, size, &state->additive) == 0 ? before : nullptr;
}

MPISIM_EXPORT char* __wrap_setstate(char* buffer) {
  RandomState* const state = current_part<RandomState>();
  if (state == nullptr) return setstate(buffer);
  char* const before = reinterpret_cast<char*>(state->additive.state - 1);
  return setstate_r(buffer, &state->additive) == 0 ? before : nullptr;
}

MPISIM_EXPORT double __wrap_drand48(void) {
  RandomState* const state = current_part<RandomState>();
  if (state == nullptr) return drand48();
  double result = 0;
  drand48_r(&state->congruential, &result);
  return result;
}

MPISIM_EXPORT double __wrap_erand48(unsigned short numbers[3]) {
  RandomState* const state = current_part<RandomState>();
  if (state == nullptr) return erand48(numbers);
  double result = 0;
  erand48_r(numbers, &state->congruential, &result);
  return result;
}

MPISIM_EXPORT long __wrap_lrand48(void) {
  RandomState* const state = current_part<RandomState>();
  if (state == nullptr) return lrand48();
  long result = 0;
  lrand48_r(&state->congruential, &result);
  return result;
}

MPISIM_EXPORT long __wrap_nrand48(unsigned short numbers[3]) {
  RandomState* const state = current_part<RandomState>();
  if (state == nullptr) return nrand48(numbers);
  long result = 0;
  nrand48_r(numbers, &state->congruential, &result);
  return result;
}

MPISIM_EXPORT long __wrap_mrand48(void) {
  RandomState* const state = current_part<RandomState>();
  if (state == nullptr) return mrand48();
  long result = 0;
  mrand48_r(&state->congruential, &result);
  return result;
}

MPISIM_EXPORT long __wrap_jrand48(unsigned short numbers[3]) {
  RandomState* const state = current_part<RandomState>();
  if (state == nullptr) return jrand48(numbers);
  long result = 0;
  jrand48_r(numbers, &state->congruential, &result);
  return result;
}

MPISIM_EXPORT void __wrap_srand48(long seed) {
  if (RandomState* const state = current_part<RandomState>())
    srand48_r(seed, &state->congruential);
  else
    srand48(seed);
}

MPISIM_EXPORT unsigned short* __wrap_seed48(unsigned short numbers[3]) {
  RandomState* const state = current_part<RandomState>();
  if (state == nullptr) return seed48(numbers);
  std::memcpy(state->before_seed, state->congruential.__x, sizeof state->before_seed);
  seed48_r(numbers, &state->congruential);
  return state->before_seed;
}

MPISIM_EXPORT void __wrap_lcong48(unsigned short parameters[7]) {
  if (RandomState* const state = current_part<RandomState>())
    lcong48_r(parameters, &state->congruential);
  else
    lcong48(parameters);
}

MPISIM_EXPORT ssize_t __wrap_getrandom(void* data, size_t size, unsigned flags) {
  RandomState* const state = current_part<RandomState>();
  if (state == nullptr) return getrandom(data, size, flags);
  fill(*state, data, size);
  return static_cast<ssize_t>(size);
}

MPISIM_EXPORT int __wrap_getentropy(void* data, size_t size) {
  RandomState* const state = current_part<RandomState>();
  if (state == nullptr) return getentropy(data, size);
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  fill(*state, data, size);
  return 0;
}

MPISIM_EXPORT std::uint32_t __wrap_arc4random(void) {
  std::uint32_t result = 0;
  __wrap_getentropy(&result, sizeof result);
  return result;
}

MPISIM_EXPORT void __wrap_arc4random_buf(void* data, size_t size) {
  __wrap_getrandom(data, size, 0);
}

MPISIM_EXPORT std::uint32_t __wrap_arc4random_uniform(std::uint32_t bound) {
  if (bound < 2) return 0;
  // Numbers of the last, incomplete row of multiples are drawn again.
  const std::uint32_t first_fair = -bound % bound;
  std::uint32_t result = 0;
  do result = __wrap_arc4random();
  while (result < first_fair);
  return result % bound;
}
