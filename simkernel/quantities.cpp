#include "simkernel/quantities.hpp"

#include <cmath>
#include <stdexcept>

#include "simkernel/sim_time.hpp"

namespace mpisim::kernel {

ByteTime ByteTime::from_bandwidth(double bytes_per_second) {
  const double fs = std::round(1e15 / bytes_per_second);
  if (!(bytes_per_second > 0) || !(fs < 9e15))
    throw std::invalid_argument("bandwidth must be positive and at least 1 byte in 9 s");
  return ByteTime(static_cast<std::int64_t>(fs));
}

void ByteTime::too_long() {
  throw_time_overflow("a transfer");
}

}  // namespace mpisim::kernel
