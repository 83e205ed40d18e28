#include "simkernel/sim_time.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace mpisim::kernel {

SimTime SimTime::from_seconds(double seconds) {
  const double ps = std::round(seconds * 1e12);
  // 2^63 is exact in a double, so the comparison is exact too; NaN fails it.
  if (!(std::fabs(ps) < 9223372036854775808.0)) overflow("conversion from seconds");
  return SimTime(static_cast<std::int64_t>(ps));
}

void SimTime::overflow(const char* operation) {
  throw_time_overflow(operation);
}

namespace {
std::string (*overflow_place)() = nullptr;
}

void place_of_overflows(std::string (*place)()) {
  overflow_place = place;
}

void throw_time_overflow(const char* what) {
  const std::string place = overflow_place != nullptr ? overflow_place() : std::string();
  throw TimeOverflow(fmt::format("{}simulated time: {} beyond the range of 106 days", place, what));
}

std::string to_string(SimTime time) {
  if (time.is_infinite()) return "infinity";
  constexpr std::array<std::pair<double, const char*>, 5> units{
      {{1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}, {1, "ps"}}};
  const double ps = static_cast<double>(time.ps());
  if (std::fabs(ps) >= 1e16) return fmt::format("{:.0f} s", ps / 1e12);  // four digits would need an exponent
  for (const auto& [scale, unit] : units) {
    if (std::fabs(ps) >= scale) return fmt::format("{:.4g} {}", ps / scale, unit);
  }
  return "0 s";
}

}  // namespace mpisim::kernel
