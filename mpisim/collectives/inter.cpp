#include "mpisim/collectives/inter.hpp"

#include <algorithm>

#include "mpisim/collectives/halving.hpp"
#include "mpisim/include/mpi.h"

namespace mpisim::mpi::collectives {

InterCall::InterCall(Communicator& comm)
    : remote_(Call::next(comm)),
      side_(new Communicator(comm.shared().local_side, comm.rank())),
      local_{*side_, remote_.tag, comm.rank(), comm.size()} {
  remote_.size = comm.peers().size();
}

InterCall::~InterCall() {
  side_->release();
}

namespace {

/// Blocking exchange between the ranks 0 of both sides.
void leaders_exchange(const InterCall& call, const Piece& out, const Piece& in) {
  send_recv(call.remote(), out, 0, in, 0);
}

}  // namespace

void inter_barrier(const InterCall& call) {
  // Nobody leaves before all of the other side have entered: this side's barrier, the leaders' exchange, and
  // the release.
  barrier(call.local());
  if (call.local().rank == 0) leaders_exchange(call, signal(), signal());
  bcast_binomial(call.local(), signal(), 0);
}

void inter_bcast(const InterCall& call, const Piece& buffer, int root) {
  if (root == MPI_PROC_NULL) return;
  if (root == MPI_ROOT) {
    send(call.remote(), buffer, 0);
    return;
  }
  if (call.local().rank == 0) recv(call.remote(), buffer, root);
  bcast(call.local(), buffer, 0);
}

void inter_gather(const InterCall& call, const Piece& mine, const Pieces& all, int root) {
  if (root == MPI_PROC_NULL) return;
  if (root != MPI_ROOT) {
    if (mine.bytes() > 0) send(call.remote(), mine, root);
    return;
  }
  RequestWindow window;
  for (int source = 0; source < call.remote().size; ++source) {
    const Piece block = all[source];
    if (block.bytes() > 0) window.add(irecv(call.remote(), block, source));
  }
  window.finish();
}

void inter_scatter(const InterCall& call, const Pieces& all, const Piece& mine, int root) {
  if (root == MPI_PROC_NULL) return;
  if (root != MPI_ROOT) {
    if (mine.bytes() > 0) recv(call.remote(), mine, root);
    return;
  }
  RequestWindow window;
  for (int target = 0; target < call.remote().size; ++target) {
    const Piece block = all[target];
    if (block.bytes() > 0) window.add(begin_send(call.remote(), block, target));
  }
  window.finish();
}

void inter_allgather(const InterCall& call, const Piece& mine, const Pieces& all) {
  // All blocks go to the other side's rank 0, which knows their sizes and passes them on packed.
  Request* leaving = mine.bytes() > 0 ? isend(call.remote(), mine, 0) : nullptr;
  const int sources = call.remote().size;
  std::uint64_t total = 0;
  for (int source = 0; source < sources; ++source) total += all[source].bytes();
  Scratch packed(total);
  if (call.local().rank == 0) {
    RequestWindow window;
    std::byte* next = packed.data();
    for (int source = 0; source < sources; ++source) {
      const std::uint64_t bytes = all[source].bytes();
      if (bytes > 0) window.add(irecv(call.remote(), bytes_piece(next, bytes), source));
      next += bytes;
    }
    window.finish();
  }
  if (leaving) core::wait(leaving);
  bcast(call.local(), bytes_piece(packed.data(), total), 0);
  const std::byte* next = packed.data();
  for (int source = 0; source < sources; ++source) {
    unpack(next, all[source]);
    next += all[source].bytes();
  }
}

void inter_alltoall(const InterCall& call, const Pieces& out, const Pieces& in) {
  // Rank i of one side and j of the other meet in step (j - i) modulo the larger side, so that the windows of
  // all ranks hold the same steps.
  const int larger = std::max(call.local().size, call.remote().size);
  const int rank = call.local().rank;
  RequestWindow window;
  for (int first = 0; first < larger; first += 16) {
    const int last = std::min(first + 16, larger);
    for (int step = first; step < last; ++step) {
      const int source = relative(rank, step, larger);
      if (source < call.remote().size) window.add(irecv(call.remote(), in[source], source));
    }
    core::let_others_post();
    for (int step = first; step < last; ++step) {
      const int target = absolute(rank, step, larger);
      if (target < call.remote().size) window.add(begin_send(call.remote(), out[target], target));
    }
    window.finish();
  }
}

void inter_reduce(const InterCall& call, const Reduction& reduction, const void* input, void* output,
                  std::uint64_t count, int root) {
  if (root == MPI_PROC_NULL || count == 0) return;
  const Datatype& type = reduction.type();
  if (root == MPI_ROOT) {
    recv(call.remote(), {output, count, &type}, 0);
    return;
  }
  ElementScratch result(call.local().rank == 0 ? count : 0, type);
  reduce(call.local(), reduction, input, result.address(), count, 0);
  if (call.local().rank == 0) send(call.remote(), {result.address(), count, &type}, root);
}

void inter_allreduce(const InterCall& call, const Reduction& reduction, const void* input, void* output,
                     std::uint64_t count) {
  if (count == 0) return;
  const Datatype& type = reduction.type();
  ElementScratch result(call.local().rank == 0 ? count : 0, type);
  reduce(call.local(), reduction, input, result.address(), count, 0);
  const Piece whole{output, count, &type};
  if (call.local().rank == 0) leaders_exchange(call, {result.address(), count, &type}, whole);
  bcast(call.local(), whole, 0);
}

void inter_reduce_scatter(const InterCall& call, const Reduction& reduction, const void* input, void* output,
                          const Partition& partition) {
  const Call& local = call.local();
  const std::uint64_t total = partition.start(local.size);
  if (total == 0) return;
  const Datatype& type = reduction.type();
  const std::uint64_t room = local.rank == 0 ? total : 0;
  ElementScratch ours(room, type);
  ElementScratch theirs(room, type);
  reduce(local, reduction, input, ours.address(), total, 0);
  const Piece mine{output, partition.length(local.rank), &type};
  if (local.rank != 0) {
    if (mine.count > 0) recv(local, mine, 0);
    return;
  }
  leaders_exchange(call, {ours.address(), total, &type}, {theirs.address(), total, &type});
  const auto start = [&](int rank) { return partition.start(rank); };
  RequestWindow window;
  for (int rank = 1; rank < local.size; ++rank) {
    const Piece block = blocks(theirs.address(), type, start, rank, rank + 1);
    if (block.count > 0) window.add(begin_send(local, block, rank));
  }
  copy(blocks(theirs.address(), type, start, 0, 1), mine);
  window.finish();
}

}  // namespace mpisim::mpi::collectives
