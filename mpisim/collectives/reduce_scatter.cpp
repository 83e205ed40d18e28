// Reduce_scatter and Reduce_scatter_block.
#include "mpisim/collectives/halving.hpp"

namespace mpisim::mpi::collectives {

Partition Partition::varying(const int* counts, int ranks) {
  Partition partition;
  partition.starts_.resize(static_cast<std::size_t>(ranks) + 1, 0);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    partition.starts_[index + 1] = partition.starts_[index] + static_cast<std::uint64_t>(counts[rank]);
  }
  return partition;
}

void reduce_scatter_pairwise(const Call& call, const Reduction& reduction, const void* input, void* output,
                             const Partition& partition) {
  const Datatype& type = reduction.type();
  const auto block = [&](int rank) -> Piece {
    return {element(input, static_cast<std::int64_t>(partition.start(rank)), type), partition.length(rank),
            &type};
  };
  const std::uint64_t count = partition.length(call.rank);
  // In place, the result would overwrite blocks that still have to leave.
  const bool in_place = input == output;
  ElementScratch room(in_place ? count : 0, type);
  const Piece result{in_place ? room.address() : output, count, &type};
  copy(block(call.rank), result);
  ElementScratch operand(count, type);
  for (int step = 1; step < call.size; ++step) {
    const int to = absolute(call.rank, step, call.size);
    const int from = relative(call.rank, step, call.size);
    send_recv(call, block(to), to, {operand.address(), count, &type}, from);
    reduction.combine(operand.address(), result.address, count);
  }
  if (in_place) copy(result, {output, count, &type});
}

void reduce_scatter_recursive_halving(const Call& call, const Reduction& reduction, const void* input,
                                      void* output, const Partition& partition) {
  const Datatype& type = reduction.type();
  const std::uint64_t total = partition.start(call.size);
  if (total == 0) return;
  const Folding folding(call.size);
  const Piece mine{output, partition.length(call.rank), &type};
  if (folding.folded_out(call.rank)) {
    fold_in(call, folding, reduction, const_cast<void*>(input), total);
    recv(call, mine, call.rank ^ 1);
    return;
  }
  ElementScratch room(total, type);
  copy({const_cast<void*>(input), total, &type}, {room.address(), total, &type});
  fold_in(call, folding, reduction, room.address(), total);
  // A rank that stands for two owns both blocks during the exchange.
  const auto first_owned = [&](int block) { return block <= folding.rem ? 2 * block : block + folding.rem; };
  const auto start = [&](int block) { return partition.start(first_owned(block)); };
  halve(call, folding, reduction, room.address(), start);
  const auto own_start = [&](int rank) { return partition.start(rank); };
  copy(blocks(room.address(), type, own_start, call.rank, call.rank + 1), mine);
  if (folding.stands_for_two(call.rank))
    send(call, blocks(room.address(), type, own_start, call.rank - 1, call.rank), call.rank - 1);
}

void reduce_scatter_reduce_scatterv(const Call& call, const Reduction& reduction, const void* input,
                                    void* output, const Partition& partition) {
  const Datatype& type = reduction.type();
  const std::uint64_t total = partition.start(call.size);
  const Piece mine{output, partition.length(call.rank), &type};
  ElementScratch room(call.rank == 0 ? total : 0, type);
  reduce(call, reduction, input, room.address(), total, 0);
  if (call.rank != 0) {
    if (mine.count > 0) recv(call, mine, 0);
    return;
  }
  const auto start = [&](int rank) { return partition.start(rank); };
  RequestWindow window;
  for (int rank = 1; rank < call.size; ++rank) {
    const Piece block = blocks(room.address(), type, start, rank, rank + 1);
    if (block.count > 0) window.add(begin_send(call, block, rank));
  }
  copy(blocks(room.address(), type, start, 0, 1), mine);
  window.finish();
}

}  // namespace mpisim::mpi::collectives
