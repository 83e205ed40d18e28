// Barriers: messages without data.
#include "mpisim/collectives/algorithms.hpp"

namespace mpisim::mpi::collectives {

// Hensgen, Finkel, Manber: Two algorithms for barrier synchronization (1988).
void barrier_dissemination(const Call& call) {
  for (int distance = 1; distance < call.size; distance = 2 * distance) {
    const int to = absolute(call.rank, distance, call.size);
    const int from = relative(call.rank, distance, call.size);
    send_recv(call, signal(), to, signal(), from);
    if (distance > call.size / 2) break;  // before 2 * distance can overflow
  }
}

void barrier_recursive_doubling(const Call& call) {
  const Folding folding(call.size);
  if (folding.folded_out(call.rank)) {
    send(call, signal(), call.rank + 1);
    recv(call, signal(), call.rank + 1);
    return;
  }
  const bool stands_for_two = folding.stands_for_two(call.rank);
  if (stands_for_two) recv(call, signal(), call.rank - 1);
  const int me = folding.new_rank(call.rank);
  for (int mask = 1; mask < folding.power; mask *= 2) {
    const int partner = folding.old_rank(me ^ mask);
    send_recv(call, signal(), partner, signal(), partner);
  }
  if (stands_for_two) send(call, signal(), call.rank - 1);
}

void barrier_tree(const Call& call) {
  int mask = 1;
  for (; mask < call.size; mask *= 2) {
    if (call.rank & mask) {
      send(call, signal(), call.rank - mask);
      break;
    }
    if (call.rank + mask < call.size) recv(call, signal(), call.rank + mask);
  }
  if (call.rank != 0) recv(call, signal(), call.rank - mask);
  for (mask /= 2; mask > 0; mask /= 2)
    if (call.rank + mask < call.size) send(call, signal(), call.rank + mask);
}

void barrier_linear(const Call& call) {
  if (call.rank != 0) {
    send(call, signal(), 0);
    recv(call, signal(), 0);
    return;
  }
  RequestWindow arrivals;
  for (int source = 1; source < call.size; ++source) arrivals.add(irecv(call, signal(), source));
  arrivals.finish();
  RequestWindow releases;
  for (int target = 1; target < call.size; ++target) releases.add(begin_send(call, signal(), target));
  releases.finish();
}

}  // namespace mpisim::mpi::collectives
