// Allreduce by recursive doubling, by a ring, and as Reduce and Bcast. Every rank gets the same bits: blocks
// are reduced once and copied, or both partners of an exchange combine the same two operands in rank order.
#include "mpisim/collectives/algorithms.hpp"

namespace mpisim::mpi::collectives {

void allreduce_recursive_doubling(const Call& call, const Reduction& reduction, const void* input,
                                  void* output, std::uint64_t count) {
  if (count == 0) return;
  const Datatype& type = reduction.type();
  const Folding folding(call.size);
  if (folding.folded_out(call.rank)) {
    send(call, {const_cast<void*>(input), count, &type}, call.rank ^ 1);
    recv(call, {output, count, &type}, call.rank ^ 1);
    return;
  }
  Accumulator accumulator(reduction, input, output, count);
  if (folding.stands_for_two(call.rank)) {
    recv(call, {accumulator.spare(), count, &type}, call.rank ^ 1);
    accumulator.combine_lower();
  }
  const int me = folding.new_rank(call.rank);
  for (int mask = 1; mask < folding.power; mask *= 2) {
    const int partner = folding.old_rank(me ^ mask);
    send_recv(call, {accumulator.value(), count, &type}, partner, {accumulator.spare(), count, &type},
              partner);
    accumulator.combine(partner < call.rank);
  }
  accumulator.finish();
  if (folding.stands_for_two(call.rank)) send(call, {output, count, &type}, call.rank ^ 1);
}

// Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations (2009).
void allreduce_ring(const Call& call, const Reduction& reduction, const void* input, void* output,
                    std::uint64_t count) {
  if (count == 0) return;
  const Datatype& type = reduction.type();
  copy({const_cast<void*>(input), count, &type}, {output, count, &type});
  const Split split{count, static_cast<std::uint64_t>(call.size)};
  const auto block = [&](int index) -> Piece {
    const auto part = static_cast<std::uint64_t>(index);
    return {element(output, static_cast<std::int64_t>(split.start(part)), type), split.length(part), &type};
  };
  const int right = absolute(call.rank, 1, call.size);
  const int left = relative(call.rank, 1, call.size);
  ElementScratch operand(split.length(0), type);
  int leaving = call.rank;
  for (int step = 1; step < call.size; ++step) {
    const int coming = relative(leaving, 1, call.size);
    const Piece kept = block(coming);
    send_recv(call, block(leaving), right, {operand.address(), kept.count, &type}, left);
    reduction.combine(operand.address(), kept.address, kept.count);
    leaving = coming;
  }
  // The block that this rank completed last goes around.
  for (int step = 1; step < call.size; ++step) {
    const int coming = relative(leaving, 1, call.size);
    send_recv(call, block(leaving), right, block(coming), left);
    leaving = coming;
  }
}

void allreduce_reduce_bcast(const Call& call, const Reduction& reduction, const void* input, void* output,
                            std::uint64_t count) {
  reduce(call, reduction, input, output, count, 0);
  bcast(call, {output, count, &reduction.type()}, 0);
}

}  // namespace mpisim::mpi::collectives
