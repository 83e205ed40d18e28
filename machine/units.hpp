#pragma once
// Quantities as people write them: a decimal number, an optional space, a unit.
//
//   time       ps ns us ms s min h             to whole picoseconds
//   bytes      B KB KiB MB MiB GB GiB TB TiB   to whole bytes
//   bandwidth  the byte units per second (MB/s), bit/s kbit/s Mbit/s Gbit/s   to femtoseconds per byte
//   frequency  Hz kHz MHz GHz
//   rate       op/s kop/s Mop/s Gop/s
//   cost       a time, or cycles of the processor's clock (cycle, cycles)
//
// Times and amounts are converted in integer arithmetic, rounded to the nearest picosecond or byte.
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "simkernel/quantities.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::machine {

/// A text that is no quantity of the wanted kind; what() says why and lists the units that would be right.
class BadQuantity : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Price of one operation: picoseconds, or cycles of a clock that is known later.
struct Cost {
  double amount = 0;
  bool in_cycles = false;
};

// All throw BadQuantity. Negative values are refused; so are zero bandwidths, frequencies and rates.
kernel::SimTime parse_time(std::string_view text);
kernel::Bytes parse_bytes(std::string_view text);
kernel::ByteTime parse_bandwidth(std::string_view text);
double parse_frequency(std::string_view text);  ///< in Hz
double parse_rate(std::string_view text);       ///< in operations per second
Cost parse_cost(std::string_view text);

/// A whole number without a unit, at least 0.
std::uint64_t parse_integer(std::string_view text);
/// A number without a unit, at least 0.
double parse_number(std::string_view text);

}  // namespace mpisim::machine
