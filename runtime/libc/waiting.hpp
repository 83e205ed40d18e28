#pragma once
// Waiting for what comes from outside of simulated time: data of a pipe, a socket or a terminal, a lock of a
// file. The host process must not block in such a call: another of its ranks may be who is waited for. So the
// others go on until the descriptor is ready. No simulated time passes meanwhile, and the host's time is no
// computation.
#include <poll.h>

#include "runtime/rank_environment.hpp"

namespace mpisim::runtime {

/// Waits until a read (POLLIN) or write (POLLOUT) of the real descriptor would not block; at once if the
/// program has asked for calls that do not block. False with errno = EAGAIN: the time limit of a socket was
/// over first.
bool await_ready(RankEnvironment& rank, int real, short events);

/// Whether a read or write of the real descriptor may block: of a pipe, socket or terminal, unless the
/// program has asked for calls that do not.
bool may_block(int real);

/// Asks `done` until it says so; the others go on in between. Where none of them can, the host may rest.
template <class Done>
void wait_until(RankEnvironment& rank, Done done) {
  rank.services().take_compute_time();
  constexpr int rest_ms = 5;
  for (bool rest = false; !done(); rest = !rank.services().let_others_go_on())
    if (rest) ::poll(nullptr, 0, rest_ms);
}

}  // namespace mpisim::runtime
