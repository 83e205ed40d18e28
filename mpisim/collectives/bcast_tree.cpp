// Broadcasts that send the whole buffer along a tree, at once or in segments.
#include <algorithm>

#include "mpisim/collectives/algorithms.hpp"

namespace mpisim::mpi::collectives {

void bcast_linear(const Call& call, const Piece& buffer, int root) {
  if (call.rank != root) {
    recv(call, buffer, root);
    return;
  }
  RequestWindow window;
  for (int target = 0; target < call.size; ++target)
    if (target != root) window.add(begin_send(call, buffer, target));
  window.finish();
}

void bcast_binomial(const Call& call, const Piece& buffer, int root) {
  const int me = relative(call.rank, root, call.size);
  int mask = 1;
  for (; mask < call.size; mask *= 2) {
    if (me & mask) {
      recv(call, buffer, absolute(me - mask, root, call.size));
      break;
    }
  }
  for (mask /= 2; mask > 0; mask /= 2)
    if (me + mask < call.size) send(call, buffer, absolute(me + mask, root, call.size));
}

namespace {

/// Receives segment after segment from `parent` and passes each on to `children` while the next is on its
/// way. Relative ranks; -1: none.
void pass_segments(const Call& call, const Piece& buffer, int root, int parent, const int (&children)[2]) {
  PackedView view(buffer, parent < 0 ? PackedView::Contents::read : PackedView::Contents::write);
  const std::uint64_t bytes = view.bytes();
  const auto segment = [&](std::uint64_t start) {
    return bytes_piece(view.data() + start, std::min(bcast_segment_bytes, bytes - start));
  };
  const auto receive = [&](std::uint64_t start) -> Request* {
    if (parent < 0 || start >= bytes) return nullptr;
    return irecv(call, segment(start), absolute(parent, root, call.size));
  };
  Request* arriving = receive(0);
  RequestWindow leaving;
  for (std::uint64_t start = 0; start < bytes; start += bcast_segment_bytes) {
    if (arriving) {
      Request* next = receive(start + bcast_segment_bytes);
      core::wait(arriving);
      arriving = next;
    }
    for (int child : children)
      if (child >= 0 && child < call.size)
        leaving.add(begin_send(call, segment(start), absolute(child, root, call.size)));
  }
  leaving.finish();
  if (parent >= 0) view.store();
}

}  // namespace

void bcast_chain(const Call& call, const Piece& buffer, int root) {
  const int me = relative(call.rank, root, call.size);
  pass_segments(call, buffer, root, me - 1, {me + 1, -1});
}

void bcast_binary(const Call& call, const Piece& buffer, int root) {
  const int me = relative(call.rank, root, call.size);
  // 2 * me + 1 may not overflow: beyond half of the ranks there are no children.
  const bool inner = me <= (call.size - 2) / 2;
  pass_segments(call, buffer, root, me == 0 ? -1 : (me - 1) / 2,
                {inner ? 2 * me + 1 : -1, inner ? 2 * me + 2 : -1});
}

}  // namespace mpisim::mpi::collectives
