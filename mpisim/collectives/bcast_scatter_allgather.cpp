// Broadcasts of long buffers: the root scatters the bytes along a binomial tree, then all ranks gather them.
// Barnett, Gupta, Payne, Shuler, van de Geijn, Watts: Interprocessor collective communication library (1994);
// Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH (2005).
#include <algorithm>

#include "mpisim/collectives/algorithms.hpp"

namespace mpisim::mpi::collectives {
namespace {

/// Bytes of the packed buffer that belong to relative ranks [first, first + blocks).
Piece blocks_of(std::byte* data, const Split& split, int first, int blocks, int size) {
  const std::uint64_t start = split.start(static_cast<std::uint64_t>(first));
  const std::uint64_t end = split.start(static_cast<std::uint64_t>(std::min(first + blocks, size)));
  return bytes_piece(data + start, end - start);
}

/// Afterwards relative rank r holds block r. Empty blocks are not sent.
void scatter_blocks(const Call& call, std::byte* data, const Split& split, int root, int me) {
  int mask = 1;
  for (; mask < call.size; mask *= 2) {
    if (me & mask) {
      const Piece subtree = blocks_of(data, split, me, mask, call.size);
      if (subtree.count > 0) recv(call, subtree, absolute(me - mask, root, call.size));
      break;
    }
  }
  for (mask /= 2; mask > 0; mask /= 2) {
    if (me + mask >= call.size) continue;
    const Piece subtree = blocks_of(data, split, me + mask, mask, call.size);
    if (subtree.count > 0) send(call, subtree, absolute(me + mask, root, call.size));
  }
}

}  // namespace

void bcast_scatter_allgather(const Call& call, const Piece& buffer, int root) {
  const int me = relative(call.rank, root, call.size);
  PackedView view(buffer, me == 0 ? PackedView::Contents::read : PackedView::Contents::write);
  const Split split{view.bytes(), static_cast<std::uint64_t>(call.size)};
  scatter_blocks(call, view.data(), split, root, me);
  const int right = absolute(absolute(me, 1, call.size), root, call.size);
  const int left = absolute(relative(me, 1, call.size), root, call.size);
  int held = me;
  for (int step = 1; step < call.size; ++step) {
    const int coming = held == 0 ? call.size - 1 : held - 1;
    send_recv(call, blocks_of(view.data(), split, held, 1, call.size), right,
              blocks_of(view.data(), split, coming, 1, call.size), left);
    held = coming;
  }
  if (me != 0) view.store();
}

void bcast_scatter_recursive_doubling(const Call& call, const Piece& buffer, int root) {
  const int me = relative(call.rank, root, call.size);
  PackedView view(buffer, me == 0 ? PackedView::Contents::read : PackedView::Contents::write);
  const Split split{view.bytes(), static_cast<std::uint64_t>(call.size)};
  scatter_blocks(call, view.data(), split, root, me);
  for (int mask = 1; mask < call.size; mask *= 2) {
    const int partner = me ^ mask;
    send_recv(call, blocks_of(view.data(), split, me & ~(mask - 1), mask, call.size),
              absolute(partner, root, call.size),
              blocks_of(view.data(), split, partner & ~(mask - 1), mask, call.size),
              absolute(partner, root, call.size));
  }
  if (me != 0) view.store();
}

}  // namespace mpisim::mpi::collectives
