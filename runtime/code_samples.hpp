#pragma once
// Where ranks spend the host's processor time in a run that counts: in code with counters, in the C library,
// whose functions are priced by the call, or in code that nothing prices (objects of other compilers,
// libraries).
//
// A timer that runs with the thread's processor time interrupts it 250 times a second; where the interrupted
// rank was is counted by loaded object. It is a matter of the host and changes no prediction.
#include <cstdint>
#include <string>
#include <vector>

namespace mpisim::runtime {

/// Processor time for which a sample stands, in seconds.
inline constexpr double sample_seconds = 0.004;

struct CodeSamples {
  struct Place {
    std::string object;  ///< file name of a library, or of the program for its own objects without counters
    std::uint64_t samples = 0;
  };
  std::uint64_t all = 0;         ///< taken while code of a rank ran, not of the simulator
  std::vector<Place> uncounted;  ///< in code that nothing prices, most first
};

/// Begins to take samples on the calling thread. Does nothing where the system has no such timers.
void start_code_samples();
/// Ends it; returns what was seen since.
CodeSamples take_code_samples();

}  // namespace mpisim::runtime
