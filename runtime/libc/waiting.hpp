#pragma once
// Waiting for what comes from outside of simulated time: data of a pipe, a socket or a terminal, a lock of a
// file. The host process must not block in such a call: another of its ranks may be who is waited for. So the
// others go on until the descriptor is ready. No simulated time passes meanwhile, and the host's time is no
// computation.
#include <poll.h>
#include <sys/types.h>

#include <cerrno>
#include <cstddef>

#include "runtime/rank_environment.hpp"

namespace mpisim::runtime {

/// Waits until a read (POLLIN) or write (POLLOUT) of the real descriptor would not block; at once if the
/// program has asked for calls that do not block. False with errno = EAGAIN: the time limit of a socket was
/// over first.
bool await_ready(RankEnvironment& rank, int real, short events);

/// Whether a read or write of the real descriptor may block: of a pipe, socket or terminal, unless the
/// program has asked for calls that do not.
bool may_block(int real);

/// A call that does not block has found nothing to do: the program may ask again at once, and for ever, while
/// another of its ranks is who has to do something. Keeps errno.
void look_again_later(RankEnvironment& rank);

/// Asks `done` until it says so; the others go on in between. Where none of them can, the host may rest.
template <class Done>
void wait_until(RankEnvironment& rank, Done done) {
  rank.services().take_compute_time();
  constexpr int rest_ms = 5;
  for (bool rest = false; !done(); rest = !rank.services().let_others_go_on())
    if (rest) ::poll(nullptr, 0, rest_ms);
}

/// Writes `size` bytes as a call that blocks: write(done) writes what it can behind the first `done` of them
/// without blocking, and returns as write() does. What was written before an error, else -1 with errno.
template <class Write>
ssize_t write_all_parts(RankEnvironment& rank, int real, std::size_t size, Write write) {
  std::size_t done = 0;
  const auto so_far = [&done] { return done > 0 ? static_cast<ssize_t>(done) : -1; };
  do {
    if (!await_ready(rank, real, POLLOUT)) return so_far();
    const ssize_t written = write(done);
    if (written >= 0)
      done += static_cast<std::size_t>(written);
    else if (errno == EAGAIN)
      rank.services().let_others_go_on();
    else
      return so_far();
  } while (done < size);
  return static_cast<ssize_t>(done);
}

}  // namespace mpisim::runtime
