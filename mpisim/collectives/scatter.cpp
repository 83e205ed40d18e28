// Scatter and Scatterv.
#include <algorithm>
#include <string>
#include <vector>

#include "mpisim/collectives/algorithms.hpp"
#include "mpisim/errors.hpp"
#include "mpisim/include/mpi.h"

namespace mpisim::mpi::collectives {

void scatter_linear(const Call& call, const Pieces& all, const Piece& mine, int root) {
  if (call.rank != root) {
    if (mine.bytes() > 0) recv(call, mine, root);
    return;
  }
  RequestWindow window;
  for (int target = 0; target < call.size; ++target) {
    const Piece block = all[target];
    if (target != root && block.bytes() > 0) window.add(begin_send(call, block, target));
  }
  copy(all[root], mine);
  window.finish();
}

namespace {

/// Largest mask of a binomial tree's children of relative rank `me`, or 0.
int first_child_mask(int me, int size) {
  int mask = 1;
  while (mask < size && !(me & mask)) mask *= 2;
  return mask / 2;
}

/// Packs the blocks of relative ranks [first, first + blocks) one behind the other.
void collect(const Call& call, const Pieces& all, int root, int first, int blocks, std::byte* packed) {
  for (int index = first; index < first + blocks; ++index) {
    const Piece block = all[absolute(index, root, call.size)];
    pack(block, packed);
    packed += block.bytes();
  }
}

}  // namespace

void scatter_binomial(const Call& call, const Pieces& all, const Piece& mine, int root) {
  const int me = relative(call.rank, root, call.size);
  const std::uint64_t block = mine.bytes();
  if (me == 0) copy(all[root], mine);
  if (block == 0) return;
  const int widest = first_child_mask(me, call.size);
  if (me == 0) {
    for (int mask = widest; mask > 0; mask /= 2) {
      const int blocks = std::min(mask, call.size - mask);
      const int child = absolute(mask, root, call.size);
      if (child + blocks <= call.size && all.is_uniform()) {
        send(call, all.run(child, blocks), child);
      } else {
        const std::uint64_t bytes = static_cast<std::uint64_t>(blocks) * block;
        Scratch packed(bytes);
        collect(call, all, root, mask, blocks, packed.data());
        send(call, bytes_piece(packed.data(), bytes), child);
      }
    }
    return;
  }
  const int parent_distance = me & -me;
  const int parent = absolute(me - parent_distance, root, call.size);
  const int subtree = std::min(parent_distance, call.size - me);
  if (subtree == 1) {
    recv(call, mine, parent);
    return;
  }
  const std::uint64_t bytes = static_cast<std::uint64_t>(subtree) * block;
  Scratch packed(bytes);
  recv(call, bytes_piece(packed.data(), bytes), parent);
  for (int mask = widest; mask > 0; mask /= 2) {
    if (me + mask >= call.size) continue;
    const auto blocks = static_cast<std::uint64_t>(std::min(mask, call.size - me - mask));
    send(call, bytes_piece(packed.data() + static_cast<std::uint64_t>(mask) * block, blocks * block),
         absolute(me + mask, root, call.size));
  }
  unpack(packed.data(), mine);
}

// Only the root knows all counts, so each rank learns the sizes of its subtree's blocks first.
void scatterv_binomial(const Call& call, const Pieces& all, const Piece& mine, int root) {
  const int me = relative(call.rank, root, call.size);
  const int parent_distance = me == 0 ? call.size : (me & -me);
  const int subtree = std::min(parent_distance, call.size - me);
  const int parent = me == 0 ? root : absolute(me - parent_distance, root, call.size);
  // starts[i]: packed bytes in front of the block of relative rank me + i.
  std::vector<std::uint64_t> starts(static_cast<std::size_t>(subtree) + 1, 0);
  if (me == 0) {
    copy(all[root], mine);
    for (int index = 1; index < subtree; ++index)
      starts[static_cast<std::size_t>(index) + 1] =
          starts[static_cast<std::size_t>(index)] + all[absolute(index, root, call.size)].bytes();
  } else {
    recv(call, bytes_piece(starts.data(), starts.size() * sizeof starts[0]), parent);
    const std::uint64_t base = starts[0];
    for (std::uint64_t& start : starts) start -= base;
  }
  Scratch packed(me == 0 ? 0 : starts.back());
  if (me != 0 && starts.back() > 0) recv(call, bytes_piece(packed.data(), starts.back()), parent);
  for (int mask = first_child_mask(me, call.size); mask > 0; mask /= 2) {
    if (me + mask >= call.size) continue;
    const auto first = static_cast<std::size_t>(mask);
    const auto blocks = static_cast<std::size_t>(std::min(mask, subtree - mask));
    const int child = absolute(me + mask, root, call.size);
    send(call, bytes_piece(&starts[first], (blocks + 1) * sizeof starts[0]), child);
    const std::uint64_t bytes = starts[first + blocks] - starts[first];
    if (bytes == 0) continue;
    if (me == 0) {
      Scratch part(bytes);
      collect(call, all, root, mask, static_cast<int>(blocks), part.data());
      send(call, bytes_piece(part.data(), bytes), child);
    } else {
      send(call, bytes_piece(packed.data() + starts[first], bytes), child);
    }
  }
  if (me == 0) return;
  if (starts[1] != mine.bytes())
    fatal(MPI_ERR_TRUNCATE, "MPI_Scatterv: rank " + std::to_string(root) + " sends " +
                                std::to_string(starts[1]) + " bytes, rank " + std::to_string(call.rank) +
                                " receives " + std::to_string(mine.bytes()));
  unpack(packed.data(), mine);
}

}  // namespace mpisim::mpi::collectives
