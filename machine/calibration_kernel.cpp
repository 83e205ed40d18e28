// Compiled with flags of its own, see CMakeLists.txt.
#include <array>
#include <cstdint>

#include "machine/calibration.hpp"

namespace mpisim::machine {

double calibration_kernel(int sweeps) {
  constexpr int size = calibration_iterations + 2;
  // Local, not thread_local: in a shared library compilers ask for the address of such a variable by a call,
  // and may do so in every iteration of the inner loop.
  std::array<double, size> first;
  std::array<double, size> second{};
  std::array<std::uint32_t, size> words;
  for (int i = 0; i < size; ++i) {
    first[static_cast<std::size_t>(i)] = i % 17;
    words[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(i) * 2654435761U;
  }
  double* from = first.data();
  double* to = second.data();
  const std::uint32_t* word = words.data();
  std::uint32_t hash = 1;
  std::uint32_t count = 0;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    // One iteration has the operations of calibration_mix: 2 multiplications and 2 additions, 5 loads and
    // stores, 1 integer multiplication, 4 integer operations with the loop's own, 1 branch.
    for (int i = 1; i <= calibration_iterations; ++i) {
      to[i] = 0.5 * from[i] + 0.25 * (from[i - 1] + from[i + 1]);
      hash = hash * 1664525U + word[i];
      count += hash >> 31;
    }
    double* swap = from;
    from = to;
    to = swap;
  }
  return from[size / 2] + static_cast<double>(count);
}

}  // namespace mpisim::machine
