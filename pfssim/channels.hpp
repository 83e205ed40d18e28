#pragma once
// Messages between two nodes of the file system that do not overtake each other, whatever their sizes are: as
// in a connection, a message is taken at the other end when those before it are there.
#include <vector>

#include "pfssim/delays.hpp"

namespace mpisim::pfs {

class Channels {
 public:
  /// When a message to `peer`, which would arrive at `arrival`, is taken there.
  kernel::SimTime arrival(std::uint32_t peer, kernel::SimTime arrival) {
    if (peer >= last_.size()) last_.resize(peer + 1);
    return last_[peer] = kernel::max(last_[peer], arrival);
  }

 private:
  std::vector<kernel::SimTime> last_;  // of each peer, by number
};

}  // namespace mpisim::pfs
