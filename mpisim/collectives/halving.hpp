#pragma once
// Recursive halving and doubling on vectors, shared by Rabenseifner's reductions and reduce-scatter.
// Rabenseifner: Optimization of collective reduction operations (ICCS 2004).
#include "mpisim/collectives/algorithms.hpp"

namespace mpisim::mpi::collectives {

/// The elements of `vector` from start(first) up to start(end).
template <typename Start>
Piece blocks(void* vector, const Datatype& type, const Start& start, int first, int end) {
  return {element(vector, static_cast<std::int64_t>(start(first)), type), start(end) - start(first), &type};
}

/// Before the exchange proper: ranks that are folded out send `vector` to their partner, which adds it to its
/// own. Commutative operations only.
inline void fold_in(const Call& call, const Folding& folding, const Reduction& reduction, void* vector,
                    std::uint64_t count) {
  const Piece whole{vector, count, &reduction.type()};
  if (folding.folded_out(call.rank)) {
    send(call, whole, call.rank ^ 1);
  } else if (folding.stands_for_two(call.rank)) {
    ElementScratch operand(count, reduction.type());
    recv(call, {operand.address(), count, &reduction.type()}, call.rank ^ 1);
    reduction.combine(operand.address(), vector, count);
  }
}

/// Afterwards participant b holds the reduced block b, elements start(b) ... start(b + 1) - 1, of `vector`;
/// the rest of it is garbage. Blocks are numbered 0 ... folding.power - 1.
template <typename Start>
void halve(const Call& call, const Folding& folding, const Reduction& reduction, void* vector,
           const Start& start) {
  const Datatype& type = reduction.type();
  const int me = folding.new_rank(call.rank);
  const int middle = folding.power / 2;
  const std::uint64_t widest =
      (me & middle) ? start(folding.power) - start(middle) : start(middle) - start(0);
  ElementScratch operand(widest, type);
  for (int mask = middle; mask > 0; mask /= 2) {
    const int partner = folding.old_rank(me ^ mask);
    const int kept_first = me & ~(mask - 1);
    const int given_first = kept_first ^ mask;
    const Piece kept = blocks(vector, type, start, kept_first, kept_first + mask);
    send_recv(call, blocks(vector, type, start, given_first, given_first + mask), partner,
              {operand.address(), kept.count, &type}, partner);
    reduction.combine(operand.address(), kept.address, kept.count);
  }
}

}  // namespace mpisim::mpi::collectives
