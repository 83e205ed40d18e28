// Allgather and Allgatherv.
#include <algorithm>
#include <vector>

#include "mpisim/collectives/algorithms.hpp"

namespace mpisim::mpi::collectives {

void allgather_ring(const Call& call, const Piece& mine, const Pieces& all) {
  copy(mine, all[call.rank]);
  const int right = absolute(call.rank, 1, call.size);
  const int left = relative(call.rank, 1, call.size);
  int held = call.rank;
  for (int step = 1; step < call.size; ++step) {
    const int coming = relative(held, 1, call.size);
    send_recv(call, all[held], right, all[coming], left);
    held = coming;
  }
}

void allgather_recursive_doubling(const Call& call, const Piece& mine, const Pieces& all) {
  copy(mine, all[call.rank]);
  for (int mask = 1; mask < call.size; mask *= 2) {
    const int partner = call.rank ^ mask;
    send_recv(call, all.run(call.rank & ~(mask - 1), mask), partner, all.run(partner & ~(mask - 1), mask),
              partner);
  }
}

// Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications in multiport
// message-passing systems (1997). Position i of the packed buffer holds the block of rank + i.
void allgather_bruck(const Call& call, const Piece& mine, const Pieces& all) {
  const auto size = static_cast<std::size_t>(call.size);
  const auto owner = [&](std::size_t position) {
    return absolute(static_cast<int>(position), call.rank, call.size);
  };
  // starts[i]: bytes in front of position i; for equal blocks a multiplication would do, but then the packed
  // buffer itself is larger than this table.
  std::vector<std::uint64_t> starts(size + 1, 0);
  for (std::size_t position = 0; position < size; ++position)
    starts[position + 1] = starts[position] + all[owner(position)].bytes();
  Scratch packed(starts[size]);
  pack(mine, packed.data());
  for (std::size_t held = 1; held < size; held *= 2) {
    const std::size_t coming = std::min(held, size - held);
    send_recv(call, bytes_piece(packed.data(), starts[coming]),
              relative(call.rank, static_cast<int>(held), call.size),
              bytes_piece(packed.data() + starts[held], starts[held + coming] - starts[held]), owner(held));
  }
  copy(mine, all[call.rank]);
  for (std::size_t position = 1; position < size; ++position)
    unpack(packed.data() + starts[position], all[owner(position)]);
}

// Chen, Zhang, Sun, Yuan: Performance evaluation of allgather algorithms on terascale Linux cluster with fast
// ethernet (2005): P/2 steps, after the first one pairs of blocks move between alternating neighbours.
void allgather_neighbor_exchange(const Call& call, const Piece& mine, const Pieces& all) {
  copy(mine, all[call.rank]);
  const bool even = call.rank % 2 == 0;
  const int right = absolute(call.rank, 1, call.size);
  const int left = relative(call.rank, 1, call.size);
  const int first = even ? right : left;
  send_recv(call, all[call.rank], first, all[first], first);
  // The pair that goes out next begins at this even rank.
  int pair = call.rank & ~1;
  for (int step = 1; step < call.size / 2; ++step) {
    // Even ranks alternate left, right, ...; their partner's newest pair lies on the far side.
    const bool to_left = even == (step % 2 == 1);
    const int partner = to_left ? left : right;
    // What comes is the pair that the partner got in the step before: 2 * step ranks away from its own.
    const int distance = 2 * ((step + 1) / 2);
    const int base = call.rank & ~1;
    const int coming = to_left ? relative(base, distance % call.size, call.size)
                               : absolute(base, distance % call.size, call.size);
    send_recv(call, all.run(pair, 2), partner, all.run(coming, 2), partner);
    pair = coming;
  }
}

void allgatherv_gather_bcast(const Call& call, const Piece& mine, const Pieces& all) {
  // Rank 0 collects packed bytes, so that one broadcast moves everything whatever the displacements are.
  std::uint64_t total = 0;
  for (int rank = 0; rank < call.size; ++rank) total += all[rank].bytes();
  Scratch packed(total);
  if (call.rank == 0) {
    RequestWindow window;
    std::byte* next = packed.data();
    for (int rank = 0; rank < call.size; ++rank) {
      const std::uint64_t bytes = all[rank].bytes();
      if (rank == 0)
        pack(mine, next);
      else if (bytes > 0)
        window.add(irecv(call, bytes_piece(next, bytes), rank));
      next += bytes;
    }
    window.finish();
  } else if (mine.bytes() > 0) {
    send(call, mine, 0);
  }
  bcast(call, bytes_piece(packed.data(), total), 0);
  const std::byte* next = packed.data();
  for (int rank = 0; rank < call.size; ++rank) {
    if (rank == call.rank)
      copy(mine, all[rank]);
    else
      unpack(next, all[rank]);
    next += all[rank].bytes();
  }
}

}  // namespace mpisim::mpi::collectives
