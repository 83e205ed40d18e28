#pragma once
// Division of numbers that may be large and seldom are: processors divide 32 bits several times faster than
// 64, and powers of two by shifts.
#include <cstdint>

namespace mpisim::kernel {

struct Divided {
  std::uint64_t quotient;
  std::uint64_t rest;
};

/// divisor > 0.
inline Divided divided(std::uint64_t number, std::uint64_t divisor) {
  if ((divisor & (divisor - 1)) == 0) return {number >> __builtin_ctzll(divisor), number & (divisor - 1)};
  if (((number | divisor) >> 32) != 0) return {number / divisor, number % divisor};
  const auto small = static_cast<std::uint32_t>(number);
  const auto by = static_cast<std::uint32_t>(divisor);
  return {small / by, small % by};
}

/// number % divisor for numbers that are most often smaller.
inline std::uint32_t remainder(std::uint32_t number, std::uint32_t divisor) {
  return number < divisor ? number : number % divisor;
}

}  // namespace mpisim::kernel
