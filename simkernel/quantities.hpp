#pragma once
// Amounts of data and their rates. Values with units are types at every interface; bare doubles appear only
// inside.
#include <compare>
#include <cstdint>

#include "simkernel/sim_time.hpp"

namespace mpisim::kernel {

/// An amount of data in bytes, never negative.
class Bytes {
 public:
  constexpr Bytes() = default;
  explicit constexpr Bytes(std::uint64_t count) : count_(count) {}
  constexpr std::uint64_t count() const { return count_; }
  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes operator+(Bytes other) const { return Bytes(count_ + other.count_); }

 private:
  std::uint64_t count_ = 0;
};

/// Time per byte, kept in femtoseconds per byte so that sums of many small costs stay exact integers and are
/// the same on every machine. Range: 0 to 9 s per byte (never negative); resolution 1 fs (1000 TB/s).
class ByteTime {
 public:
  constexpr ByteTime() = default;
  static constexpr ByteTime femtoseconds(std::int64_t fs) { return ByteTime(fs); }
  /// From a bandwidth in bytes per second, rounded to the nearest femtosecond per byte; infinite costs
  /// nothing. Throws std::invalid_argument unless it is positive and at least 1 byte in 9 s.
  static ByteTime from_bandwidth(double bytes_per_second);
  constexpr std::int64_t fs() const { return fs_; }
  constexpr auto operator<=>(const ByteTime&) const = default;
  /// Time for `amount`, rounded up to a whole picosecond.
  constexpr SimTime operator*(Bytes amount) const {
    std::uint64_t small = 0;  // a division of 128 bits costs as much as the rest of a message
    if (!__builtin_mul_overflow(amount.count(), static_cast<std::uint64_t>(fs_), &small) &&
        small <= UINT64_MAX - 999) [[likely]] {
      return SimTime::picoseconds(static_cast<std::int64_t>((small + 999) / 1000));
    }
    const unsigned __int128 fs =
        static_cast<unsigned __int128>(amount.count()) * static_cast<unsigned __int128>(fs_);
    const unsigned __int128 ps = (fs + 999) / 1000;
    if (ps >= static_cast<unsigned __int128>(SimTime::infinity().ps())) [[unlikely]]
      too_long();
    return SimTime::picoseconds(static_cast<std::int64_t>(ps));
  }

 private:
  explicit constexpr ByteTime(std::int64_t fs) : fs_(fs) {}
  [[noreturn]] static void too_long();
  std::int64_t fs_ = 0;
};

}  // namespace mpisim::kernel
