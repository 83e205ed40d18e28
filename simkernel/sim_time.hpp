#pragma once
// Simulated time: a strong 64-bit type in picoseconds.
//
// Range: about ±106 days. `SimTime::infinity()` saturates (infinity + anything = infinity, and so for
// differences and products whose left side is infinite); any other overflow, and any finite operation that
// would give the value of infinity(), is an error (TimeOverflow), never a wrap. Negative values are
// legal in differences only.
#include <compare>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace mpisim::kernel {

/// A time is beyond the range; what() says whose, if place_of_overflows() has been called.
struct TimeOverflow : std::overflow_error {
  using std::overflow_error::overflow_error;
};
[[noreturn]] void throw_time_overflow(const char* what);
/// `place` is called where the overflow is found, and put in front of its message: "rank 3 at 2 s (a.c:7): ".
void place_of_overflows(std::string (*place)());

class SimTime {
 public:
  constexpr SimTime() = default;
  static constexpr SimTime picoseconds(std::int64_t ps) { return SimTime(ps); }
  static constexpr SimTime zero() { return SimTime(0); }
  static constexpr SimTime infinity() { return SimTime(std::numeric_limits<std::int64_t>::max()); }
  /// Rounds to the nearest picosecond, halves away from zero. Throws TimeOverflow beyond the range or
  /// for NaN.
  static SimTime from_seconds(double seconds);

  constexpr std::int64_t ps() const { return ps_; }
  constexpr bool is_infinite() const { return *this == infinity(); }
  constexpr double seconds() const { return static_cast<double>(ps_) * 1e-12; }

  constexpr auto operator<=>(const SimTime&) const = default;

  constexpr SimTime operator+(SimTime other) const {
    // Of two that are not negative the sum without sign never wraps, and stays below infinity() exactly if
    // both are finite and it fits.
    const std::uint64_t sum = static_cast<std::uint64_t>(ps_) + static_cast<std::uint64_t>(other.ps_);
    if ((ps_ | other.ps_) >= 0 && sum < static_cast<std::uint64_t>(infinity().ps_)) [[likely]]
      return SimTime(static_cast<std::int64_t>(sum));
    return any_sum(other);
  }
  /// infinity() - finite = infinity(); finite - infinity() is an error.
  constexpr SimTime operator-(SimTime other) const {
    if (is_infinite()) [[unlikely]]
      return infinity();
    std::int64_t difference = 0;
    if (other.is_infinite() || __builtin_sub_overflow(ps_, other.ps_, &difference) ||
        SimTime(difference).is_infinite()) [[unlikely]]
      overflow("difference");
    return SimTime(difference);
  }
  constexpr SimTime operator*(std::int64_t factor) const {
    if (is_infinite()) [[unlikely]]
      return infinity();
    std::int64_t product = 0;
    if (__builtin_mul_overflow(ps_, factor, &product) || SimTime(product).is_infinite()) [[unlikely]]
      overflow("product");
    return SimTime(product);
  }
  constexpr SimTime& operator+=(SimTime other) { return *this = *this + other; }
  constexpr SimTime& operator-=(SimTime other) { return *this = *this - other; }

 private:
  explicit constexpr SimTime(std::int64_t ps) : ps_(ps) {}
  [[gnu::noinline, gnu::cold]] constexpr SimTime any_sum(SimTime other) const {
    if (is_infinite() || other.is_infinite()) return infinity();
    std::int64_t sum = 0;
    if (__builtin_add_overflow(ps_, other.ps_, &sum) || SimTime(sum).is_infinite()) overflow("sum");
    return SimTime(sum);
  }
  [[noreturn]] static void overflow(const char* operation);

  std::int64_t ps_ = 0;
};

constexpr SimTime max(SimTime a, SimTime b) {
  return a < b ? b : a;
}
constexpr SimTime min(SimTime a, SimTime b) {
  return b < a ? b : a;
}

/// "1.234 ms": four significant digits with the unit that fits (whole seconds from 10,000 s), "infinity" for
/// infinity().
std::string to_string(SimTime time);

namespace literals {
// Beyond the range they do not compile.
consteval SimTime scaled_literal(unsigned long long value, std::int64_t scale) {
  if (value > static_cast<unsigned long long>(std::numeric_limits<std::int64_t>::max()))
    throw "literal beyond the range of simulated time";
  return SimTime::picoseconds(static_cast<std::int64_t>(value)) * scale;
}
consteval SimTime operator""_ps(unsigned long long v) {
  return scaled_literal(v, 1);
}
consteval SimTime operator""_ns(unsigned long long v) {
  return scaled_literal(v, 1'000);
}
consteval SimTime operator""_us(unsigned long long v) {
  return scaled_literal(v, 1'000'000);
}
consteval SimTime operator""_ms(unsigned long long v) {
  return scaled_literal(v, 1'000'000'000);
}
consteval SimTime operator""_s(unsigned long long v) {
  return scaled_literal(v, 1'000'000'000'000);
}
}  // namespace literals

}  // namespace mpisim::kernel
