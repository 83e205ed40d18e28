#pragma once
// Host processes that sleep: the kernel of the simulation never does for long while a rank runs, so a call of
// the program keeps it waiting.
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <vector>

namespace mpisim::app {

class SleepWatch {
 public:
  /// To be called about once a second with the host processes of this machine. Asks those that have slept
  /// through several looks what they wait for.
  void look(const std::vector<pid_t>& processes);

 private:
  struct Seen {
    std::uint64_t processor_time = 0;  ///< of the thread that runs the ranks, in the kernel's ticks
    int asleep = 0;                    ///< looks since it has done much
  };
  std::map<pid_t, Seen> seen_;
};

}  // namespace mpisim::app
