// Reductions to one rank that move whole vectors.
#include "mpisim/collectives/algorithms.hpp"

namespace mpisim::mpi::collectives {

void reduce_linear(const Call& call, const Reduction& reduction, const void* input, void* output,
                   std::uint64_t count, int root) {
  const Piece mine{const_cast<void*>(input), count, &reduction.type()};
  if (call.rank != root) {
    if (count > 0) send(call, mine, root);
    return;
  }
  if (count == 0) return;
  // From the highest rank down, so that what arrives always stands on the lower side.
  ElementScratch own(input == output ? count : 0, reduction.type());
  Piece root_input = mine;
  if (input == output && call.size > 1) {
    root_input.address = own.address();
    copy(mine, root_input);
  }
  const Piece result{output, count, &reduction.type()};
  ElementScratch operand(call.size > 1 ? count : 0, reduction.type());
  const Piece arriving{operand.address(), count, &reduction.type()};
  for (int rank = call.size - 1; rank >= 0; --rank) {
    const bool first = rank == call.size - 1;
    if (rank == root) {
      first ? copy(root_input, result) : reduction.combine(root_input.address, output, count);
    } else {
      recv(call, first ? result : arriving, rank);
      if (!first) reduction.combine(arriving.address, output, count);
    }
  }
}

void reduce_binomial(const Call& call, const Reduction& reduction, const void* input, void* output,
                     std::uint64_t count, int root) {
  if (count == 0) return;
  // Rank order needs a tree over the ranks themselves; its top then hands the result to the root.
  const int top = reduction.commutative() ? root : 0;
  const int me = relative(call.rank, top, call.size);
  const Datatype& type = reduction.type();
  const bool leaf = (me & 1) || call.size - me == 1;
  if (me != 0 && leaf) {
    send(call, {const_cast<void*>(input), count, &type}, absolute(me - (me & -me), top, call.size));
  } else {
    ElementScratch room(call.rank == root ? 0 : count, type);
    Accumulator accumulator(reduction, input, call.rank == root ? output : room.address(), count);
    for (int mask = 1; mask < call.size; mask *= 2) {
      if (me & mask) {
        send(call, {accumulator.value(), count, &type}, absolute(me - mask, top, call.size));
        break;
      }
      if (me + mask >= call.size) continue;
      recv(call, {accumulator.spare(), count, &type}, absolute(me + mask, top, call.size));
      // With a rotated tree "higher" means nothing, but a commutative operation does not mind.
      accumulator.combine_higher();
    }
    if (call.rank == top && top != root)
      send(call, {accumulator.value(), count, &type}, root);
    else if (call.rank == root && top == root)
      accumulator.finish();
  }
  if (call.rank == root && top != root) recv(call, {output, count, &type}, top);
}

}  // namespace mpisim::mpi::collectives
