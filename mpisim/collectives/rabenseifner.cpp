// Reduce and Allreduce of long vectors: recursive-halving reduce-scatter, then a gather or all-gather.
#include "mpisim/collectives/halving.hpp"

namespace mpisim::mpi::collectives {

void reduce_rabenseifner(const Call& call, const Reduction& reduction, const void* input, void* output,
                         std::uint64_t count, int root) {
  if (count == 0) return;
  const Datatype& type = reduction.type();
  const Folding folding(call.size, root);
  if (folding.folded_out(call.rank)) {
    fold_in(call, folding, reduction, const_cast<void*>(input), count);
    return;
  }
  ElementScratch room(call.rank == root ? 0 : count, type);
  void* vector = call.rank == root ? output : room.address();
  copy({const_cast<void*>(input), count, &type}, {vector, count, &type});
  fold_in(call, folding, reduction, vector, count);
  const Split split{count, static_cast<std::uint64_t>(folding.power)};
  const auto start = [&](int block) { return split.start(static_cast<std::uint64_t>(block)); };
  halve(call, folding, reduction, vector, start);
  // Binomial gather in the order of (new rank xor root), so that the blocks that meet are neighbours.
  const int me = folding.new_rank(call.rank);
  const int distance = me ^ folding.new_rank(root);
  for (int mask = 1; mask < folding.power; mask *= 2) {
    const int partner = me ^ mask;
    if (distance & mask) {
      const int first = me & ~(mask - 1);
      send(call, blocks(vector, type, start, first, first + mask), folding.old_rank(partner));
      return;
    }
    const int first = partner & ~(mask - 1);
    recv(call, blocks(vector, type, start, first, first + mask), folding.old_rank(partner));
  }
}

void allreduce_rabenseifner(const Call& call, const Reduction& reduction, const void* input, void* output,
                            std::uint64_t count) {
  if (count == 0) return;
  const Datatype& type = reduction.type();
  const Piece whole{output, count, &type};
  const Folding folding(call.size);
  if (folding.folded_out(call.rank)) {
    fold_in(call, folding, reduction, const_cast<void*>(input), count);
    recv(call, whole, call.rank ^ 1);
    return;
  }
  copy({const_cast<void*>(input), count, &type}, whole);
  fold_in(call, folding, reduction, output, count);
  const Split split{count, static_cast<std::uint64_t>(folding.power)};
  const auto start = [&](int block) { return split.start(static_cast<std::uint64_t>(block)); };
  halve(call, folding, reduction, output, start);
  const int me = folding.new_rank(call.rank);
  for (int mask = 1; mask < folding.power; mask *= 2) {
    const int mine = me & ~(mask - 1);
    const int partner = folding.old_rank(me ^ mask);
    send_recv(call, blocks(output, type, start, mine, mine + mask), partner,
              blocks(output, type, start, mine ^ mask, (mine ^ mask) + mask), partner);
  }
  if (folding.stands_for_two(call.rank)) send(call, whole, call.rank ^ 1);
}

}  // namespace mpisim::mpi::collectives
