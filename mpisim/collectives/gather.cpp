// Gather and Gatherv.
#include <algorithm>

#include "mpisim/collectives/algorithms.hpp"

namespace mpisim::mpi::collectives {

void gather_linear(const Call& call, const Piece& mine, const Pieces& all, int root) {
  if (call.rank != root) {
    if (mine.bytes() > 0) send(call, mine, root);
    return;
  }
  RequestWindow window;
  for (int source = 0; source < call.size; ++source) {
    const Piece block = all[source];
    if (source != root && block.bytes() > 0) window.add(irecv(call, block, source));
  }
  copy(mine, all[root]);
  window.finish();
}

namespace {

/// The root's side of a binomial gather: places the packed blocks of relative ranks [first, first + blocks).
void place(const Call& call, const std::byte* packed, const Pieces& all, int root, int first, int blocks) {
  for (int index = first; index < first + blocks; ++index) {
    const Piece block = all[absolute(index, root, call.size)];
    unpack(packed, block);
    packed += block.bytes();
  }
}

}  // namespace

void gather_binomial(const Call& call, const Piece& mine, const Pieces& all, int root) {
  const int me = relative(call.rank, root, call.size);
  const std::uint64_t block = mine.bytes();
  if (me == 0) copy(mine, all[root]);
  if (block == 0) return;
  // What this rank collects: the blocks of relative ranks me ... me + subtree - 1.
  int subtree = 1;
  while (subtree < call.size && !(me & subtree)) subtree *= 2;
  subtree = std::min(subtree, call.size - me);
  if (me == 0) {
    // A child's blocks lie together in the user's buffer unless they wrap around its end.
    for (int mask = 1; mask < call.size; mask *= 2) {
      const int blocks = std::min(mask, call.size - mask);
      const int child = absolute(mask, root, call.size);
      if (child + blocks <= call.size && all.is_uniform()) {
        recv(call, all.run(child, blocks), child);
      } else {
        Scratch packed(static_cast<std::uint64_t>(blocks) * block);
        recv(call, bytes_piece(packed.data(), static_cast<std::uint64_t>(blocks) * block), child);
        place(call, packed.data(), all, root, mask, blocks);
      }
    }
    return;
  }
  const int parent_distance = me & -me;
  const int parent = absolute(me - parent_distance, root, call.size);
  if (subtree == 1) {
    send(call, mine, parent);
    return;
  }
  Scratch packed(static_cast<std::uint64_t>(subtree) * block);
  pack(mine, packed.data());
  for (int mask = 1; mask < parent_distance && me + mask < call.size; mask *= 2) {
    const auto blocks = static_cast<std::uint64_t>(std::min(mask, call.size - me - mask));
    recv(call, bytes_piece(packed.data() + static_cast<std::uint64_t>(mask) * block, blocks * block),
         absolute(me + mask, root, call.size));
  }
  send(call, bytes_piece(packed.data(), static_cast<std::uint64_t>(subtree) * block), parent);
}

// Only the root knows all counts, so each rank tells its parent how many bytes will come.
void gatherv_binomial(const Call& call, const Piece& mine, const Pieces& all, int root) {
  const int me = relative(call.rank, root, call.size);
  const int parent_distance = me == 0 ? call.size : (me & -me);
  const auto child = [&](int mask) { return absolute(me + mask, root, call.size); };
  const auto has_child = [&](int mask) { return mask < parent_distance && me + mask < call.size; };
  if (me == 0) {
    copy(mine, all[root]);
    for (int mask = 1; has_child(mask); mask *= 2) {
      std::uint64_t bytes = 0;
      recv(call, bytes_piece(&bytes, sizeof bytes), child(mask));
      if (bytes == 0) continue;
      Scratch packed(bytes);
      recv(call, bytes_piece(packed.data(), bytes), child(mask));
      place(call, packed.data(), all, root, mask, std::min(mask, call.size - mask));
    }
    return;
  }
  std::uint64_t subtree[32] = {};
  std::uint64_t total = mine.bytes();
  int children = 0;
  for (int mask = 1; has_child(mask); mask *= 2, ++children) {
    recv(call, bytes_piece(&subtree[children], sizeof subtree[0]), child(mask));
    total += subtree[children];
  }
  const int parent = absolute(me - parent_distance, root, call.size);
  send(call, bytes_piece(&total, sizeof total), parent);
  if (total == 0) return;
  Scratch packed(total);
  pack(mine, packed.data());
  std::byte* next = packed.data() + mine.bytes();
  for (int index = 0; index < children; ++index) {
    if (subtree[index] > 0) recv(call, bytes_piece(next, subtree[index]), child(1 << index));
    next += subtree[index];
  }
  send(call, bytes_piece(packed.data(), total), parent);
}

}  // namespace mpisim::mpi::collectives
