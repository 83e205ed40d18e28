#include "machine/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

namespace mpisim::machine {

namespace {

struct Unit {
  std::string_view name;
  std::int64_t numerator;        ///< in the dimension's base unit
  std::int64_t denominator = 1;  ///< bits are eighths of bytes
};

constexpr std::array<Unit, 7> time_units{{{"ps", 1},
                                          {"ns", 1'000},
                                          {"us", 1'000'000},
                                          {"ms", 1'000'000'000},
                                          {"s", 1'000'000'000'000},
                                          {"min", 60'000'000'000'000},
                                          {"h", 3'600'000'000'000'000}}};
constexpr std::array<Unit, 9> byte_units{{{"B", 1},
                                          {"KB", 1'000},
                                          {"KiB", 1LL << 10},
                                          {"MB", 1'000'000},
                                          {"MiB", 1LL << 20},
                                          {"GB", 1'000'000'000},
                                          {"GiB", 1LL << 30},
                                          {"TB", 1'000'000'000'000},
                                          {"TiB", 1LL << 40}}};
constexpr std::array<Unit, 13> bandwidth_units{{{"B/s", 1},
                                                {"KB/s", 1'000},
                                                {"KiB/s", 1LL << 10},
                                                {"MB/s", 1'000'000},
                                                {"MiB/s", 1LL << 20},
                                                {"GB/s", 1'000'000'000},
                                                {"GiB/s", 1LL << 30},
                                                {"TB/s", 1'000'000'000'000},
                                                {"TiB/s", 1LL << 40},
                                                {"bit/s", 1, 8},
                                                {"kbit/s", 1'000, 8},
                                                {"Mbit/s", 1'000'000, 8},
                                                {"Gbit/s", 1'000'000'000, 8}}};
constexpr std::array<Unit, 4> frequency_units{
    {{"Hz", 1}, {"kHz", 1'000}, {"MHz", 1'000'000}, {"GHz", 1'000'000'000}}};
constexpr std::array<Unit, 4> rate_units{
    {{"op/s", 1}, {"kop/s", 1'000}, {"Mop/s", 1'000'000}, {"Gop/s", 1'000'000'000}}};
constexpr std::array<Unit, 2> cycle_units{{{"cycle", 1}, {"cycles", 1}}};

std::string names_of(std::span<const Unit> units) {
  std::string text;
  for (const Unit& unit : units) text += (text.empty() ? "" : ", ") + std::string(unit.name);
  return text;
}

/// A decimal number kept exactly: digits / 10^scale.
struct Decimal {
  bool negative = false;
  unsigned __int128 digits = 0;
  int scale = 0;  ///< negative for trailing zeros of an exponent
};

struct Split {
  Decimal number;
  std::string_view unit;
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

[[noreturn]] void not_a_number(std::string_view text, std::string_view what) {
  throw BadQuantity(fmt::format("`{}` is not {}", text, what));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Reads the number at the front; the rest, trimmed, is the unit.
Split split(std::string_view whole, std::string_view what) {
  const std::string_view text = trim(whole);
  std::size_t i = 0;
  Split result;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) result.number.negative = text[i++] == '-';
  int seen = 0;
  bool fraction = false;
  for (; i < text.size() && (is_digit(text[i]) || (text[i] == '.' && !fraction)); ++i) {
    if (text[i] == '.') {
      fraction = true;
      continue;
    }
    if (result.number.digits > 99'999'999'999'999'999ULL)
      throw BadQuantity(fmt::format("`{}` has more than 18 digits", text));
    result.number.digits = result.number.digits * 10 + static_cast<unsigned>(text[i] - '0');
    result.number.scale += fraction ? 1 : 0;
    ++seen;
  }
  if (seen == 0) not_a_number(text, what);
  if (i + 1 < text.size() && (text[i] == 'e' || text[i] == 'E') &&
      (is_digit(text[i + 1]) || ((text[i + 1] == '-' || text[i + 1] == '+') && i + 2 < text.size()))) {
    const char* begin = text.data() + i + (text[i + 1] == '+' ? 2 : 1);
    int exponent = 0;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), exponent);
    if (error != std::errc() || exponent > 30 || exponent < -30) not_a_number(text, what);
    result.number.scale -= exponent;
    i = static_cast<std::size_t>(end - text.data());
  }
  result.unit = trim(text.substr(i));
  return result;
}

const Unit* find(std::span<const Unit> units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

const Unit& unit_of(std::string_view text, const Split& parts, std::span<const Unit> units) {
  if (parts.unit.empty())
    throw BadQuantity(fmt::format("`{}` needs a unit: one of {}", text, names_of(units)));
  const Unit* unit = find(units, parts.unit);
  if (unit == nullptr)
    throw BadQuantity(fmt::format("`{}`: `{}` is not a unit that fits here: use one of {}", text, parts.unit,
                                  names_of(units)));
  return *unit;
}

void refuse_negative(std::string_view text, const Decimal& number) {
  if (number.negative && number.digits != 0)
    throw BadQuantity(fmt::format("must not be negative: `{}`", text));
}

double to_double(const Decimal& number) {
  return static_cast<double>(static_cast<long double>(number.digits) *
                             std::pow(10.0L, static_cast<long double>(-number.scale)));
}

/// number * factor, rounded to the nearest integer; `limit` is the largest that is allowed.
std::uint64_t scaled(std::string_view text, const Decimal& number, std::int64_t factor, std::uint64_t limit) {
  refuse_negative(text, number);
  // 10^18 * 3.6 * 10^15 fits 128 bits with room for three more digits.
  unsigned __int128 value = number.digits * static_cast<unsigned __int128>(factor);
  int scale = number.scale;
  for (; scale < 0 && value <= limit; ++scale) value *= 10;
  unsigned __int128 divisor = 1;
  for (; scale > 0 && divisor < static_cast<unsigned __int128>(1) << 123; --scale) divisor *= 10;
  value = (value + divisor / 2) / divisor;
  if (value > limit) throw BadQuantity(fmt::format("`{}` is too large", text));
  return static_cast<std::uint64_t>(value);
}

double positive(std::string_view text, std::string_view what, std::span<const Unit> units) {
  const Split parts = split(text, what);
  const Unit& unit = unit_of(text, parts, units);
  refuse_negative(text, parts.number);
  if (parts.number.digits == 0) throw BadQuantity(fmt::format("must be more than zero: `{}`", text));
  return to_double(parts.number) * static_cast<double>(unit.numerator) /
         static_cast<double>(unit.denominator);
}

constexpr auto longest_time =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) - 1;  // the maximum means infinity

}  // namespace

kernel::SimTime parse_time(std::string_view text) {
  const Split parts = split(text, "a time such as `40 ns`");
  const Unit& unit = unit_of(text, parts, time_units);
  return kernel::SimTime::picoseconds(
      static_cast<std::int64_t>(scaled(text, parts.number, unit.numerator, longest_time)));
}

kernel::Bytes parse_bytes(std::string_view text) {
  const Split parts = split(text, "an amount of data such as `64 KiB`");
  const Unit& unit = unit_of(text, parts, byte_units);
  return kernel::Bytes(
      scaled(text, parts.number, unit.numerator, std::numeric_limits<std::uint64_t>::max() - 1));
}

kernel::ByteTime parse_bandwidth(std::string_view text) {
  const double bytes_per_second = positive(text, "a bandwidth such as `175 MB/s`", bandwidth_units);
  try {
    return kernel::ByteTime::from_bandwidth(bytes_per_second);
  } catch (const std::invalid_argument& error) {
    throw BadQuantity(fmt::format("`{}`: {}", text, error.what()));
  }
}

double parse_frequency(std::string_view text) {
  return positive(text, "a frequency such as `50 MHz`", frequency_units);
}

double parse_rate(std::string_view text) {
  return positive(text, "a rate such as `30 Mop/s`", rate_units);
}

Cost parse_cost(std::string_view text) {
  const Split parts = split(text, "a cost such as `2 cycles` or `0.5 ns`");
  refuse_negative(text, parts.number);
  if (find(cycle_units, parts.unit) != nullptr) return {to_double(parts.number), true};
  const Unit* unit = find(time_units, parts.unit);
  if (unit == nullptr)
    throw BadQuantity(fmt::format("`{}`: {}; use cycles or one of {}", text,
                                  parts.unit.empty() ? "needs a unit" : "not a unit that fits here",
                                  names_of(time_units)));
  return {to_double(parts.number) * static_cast<double>(unit->numerator), false};
}

std::uint64_t parse_integer(std::string_view text) {
  const Split parts = split(text, "a whole number");
  if (!parts.unit.empty() || parts.number.scale > 0) not_a_number(text, "a whole number");
  return scaled(text, parts.number, 1, std::numeric_limits<std::int64_t>::max());
}

double parse_number(std::string_view text) {
  const Split parts = split(text, "a number");
  if (!parts.unit.empty()) not_a_number(text, "a number");
  refuse_negative(text, parts.number);
  return to_double(parts.number);
}

}  // namespace mpisim::machine
