#pragma once
// A point-to-point core without a simulator: the ranks are coroutines of one thread that take turns. It is
// stricter than the real one (a send ends when it is received, and its buffer is read then, or at once: both
// are tried) and counts what algorithms do.
#include <cstdint>
#include <functional>

#include "mpisim/core.hpp"

namespace fake {

enum class Sends { rendezvous, eager };

struct Counts {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  /// Time until the last rank returns if each message takes one unit and occupies the sender's and the
  /// receiver's only port for it.
  std::uint64_t rounds = 0;
  std::uint64_t reduced_bytes = 0;  ///< charged to all ranks together, at 1 ps per byte
};

/// Runs `body` on each rank of a world. Throws std::runtime_error for a deadlock, a truncated message, or one
/// that nobody received.
Counts run(int ranks, const std::function<void(mpisim::mpi::Communicator&)>& body,
           Sends sends = Sends::rendezvous);

/// Rules that choose() sees during the next runs.
mpisim::mpi::Config& config();

}  // namespace fake
