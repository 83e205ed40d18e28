// Scan and Exscan; all algorithms keep rank order.
#include "mpisim/collectives/algorithms.hpp"

namespace mpisim::mpi::collectives {
namespace {

/// `partial` covers the aligned block of ranks that have exchanged so far; what comes from a lower block is
/// handed to `from_lower` as well.
template <typename FromLower>
void exchange_partials(const Call& call, const Reduction& reduction, const void* input, std::uint64_t count,
                       const FromLower& from_lower) {
  const Datatype& type = reduction.type();
  ElementScratch room(count, type);
  Accumulator partial(reduction, input, room.address(), count);
  for (int mask = 1; mask < call.size; mask *= 2) {
    const int partner = call.rank ^ mask;
    if (partner >= call.size) continue;
    send_recv(call, {partial.value(), count, &type}, partner, {partial.spare(), count, &type}, partner);
    if (partner < call.rank) from_lower(partial.spare());
    partial.combine(partner < call.rank);
  }
}

}  // namespace

void scan_recursive_doubling(const Call& call, const Reduction& reduction, const void* input, void* output,
                             std::uint64_t count) {
  if (count == 0) return;
  const Datatype& type = reduction.type();
  copy({const_cast<void*>(input), count, &type}, {output, count, &type});
  exchange_partials(call, reduction, output, count,
                    [&](const void* lower) { reduction.combine(lower, output, count); });
}

void exscan_recursive_doubling(const Call& call, const Reduction& reduction, const void* input, void* output,
                               std::uint64_t count) {
  if (count == 0) return;
  const Datatype& type = reduction.type();
  bool empty = true;
  exchange_partials(call, reduction, input, count, [&](void* lower) {
    if (empty)
      copy({lower, count, &type}, {output, count, &type});
    else
      reduction.combine(lower, output, count);
    empty = false;
  });
}

void scan_linear(const Call& call, const Reduction& reduction, const void* input, void* output,
                 std::uint64_t count) {
  if (count == 0) return;
  const Datatype& type = reduction.type();
  copy({const_cast<void*>(input), count, &type}, {output, count, &type});
  if (call.rank > 0) {
    ElementScratch lower(count, type);
    recv(call, {lower.address(), count, &type}, call.rank - 1);
    reduction.combine(lower.address(), output, count);
  }
  if (call.rank + 1 < call.size) send(call, {output, count, &type}, call.rank + 1);
}

void exscan_linear(const Call& call, const Reduction& reduction, const void* input, void* output,
                   std::uint64_t count) {
  if (count == 0) return;
  const Datatype& type = reduction.type();
  const bool last = call.rank + 1 == call.size;
  // What goes on: this rank's input, taken before the output may overwrite it.
  ElementScratch room(last ? 0 : count, type);
  const Piece onward{room.address(), count, &type};
  if (!last) copy({const_cast<void*>(input), count, &type}, onward);
  if (call.rank > 0) {
    recv(call, {output, count, &type}, call.rank - 1);
    if (!last) reduction.combine(output, onward.address, count);
  }
  if (!last) send(call, onward, call.rank + 1);
}

}  // namespace mpisim::mpi::collectives
