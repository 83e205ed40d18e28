// From a call to its algorithm: the machine file's rules, else the built-in defaults.
#include <array>
#include <bit>

#include "mpisim/collectives/algorithms.hpp"

namespace mpisim::mpi::collectives {

Folding::Folding(int size, int chosen_rank)
    : power(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))),
      rem(size - power),
      chosen(chosen_rank) {}

namespace {

std::size_t choose(CollectiveOperation operation, const CollectiveCase& situation) {
  const std::string_view name = collective_info(operation).operation;
  for (const CollectiveSelection& selection : core::config().collectives) {
    if (selection.operation != name) continue;
    for (const CollectiveRule& rule : selection.rules)
      if (situation.bytes <= rule.up_to_bytes &&
          static_cast<std::uint64_t>(situation.ranks) <= rule.up_to_ranks)
        return fitting_algorithm(operation, rule.algorithm, situation);
  }
  return default_algorithm(operation, situation);
}

/// Tables in the order of selection.cpp; a table that is too short or too long does not compile.
template <typename Function, typename... Arguments>
void run(CollectiveOperation operation, const CollectiveCase& situation,
         std::initializer_list<Function*> functions, Arguments&&... arguments) {
  functions.begin()[choose(operation, situation)](std::forward<Arguments>(arguments)...);
}

CollectiveCase reduction_case(const Call& call, const Reduction& reduction, std::uint64_t count) {
  return {.ranks = call.size,
          .bytes = count * reduction.type().size(),
          .elements = count,
          .commutative = reduction.commutative()};
}

}  // namespace

void barrier(const Call& call) {
  run(CollectiveOperation::barrier, {.ranks = call.size},
      {barrier_dissemination, barrier_recursive_doubling, barrier_tree, barrier_linear}, call);
}

void bcast(const Call& call, const Piece& buffer, int root) {
  if (buffer.bytes() == 0) return;
  run(CollectiveOperation::bcast, {.ranks = call.size, .bytes = buffer.bytes()},
      {bcast_binomial, bcast_linear, bcast_scatter_allgather, bcast_scatter_recursive_doubling, bcast_chain,
       bcast_binary},
      call, buffer, root);
}

void gather(const Call& call, const Piece& mine, const Pieces& all, int root) {
  run(CollectiveOperation::gather, {.ranks = call.size, .bytes = mine.bytes()},
      {gather_binomial, gather_linear}, call, mine, all, root);
}

void gatherv(const Call& call, const Piece& mine, const Pieces& all, int root) {
  run(CollectiveOperation::gatherv, {.ranks = call.size}, {gather_linear, gatherv_binomial}, call, mine, all,
      root);
}

void scatter(const Call& call, const Pieces& all, const Piece& mine, int root) {
  run(CollectiveOperation::scatter, {.ranks = call.size, .bytes = mine.bytes()},
      {scatter_binomial, scatter_linear}, call, all, mine, root);
}

void scatterv(const Call& call, const Pieces& all, const Piece& mine, int root) {
  run(CollectiveOperation::scatterv, {.ranks = call.size}, {scatter_linear, scatterv_binomial}, call, all,
      mine, root);
}

void allgather(const Call& call, const Piece& mine, const Pieces& all) {
  const std::uint64_t block = all[0].bytes();
  if (block == 0) return;
  run(CollectiveOperation::allgather, {.ranks = call.size, .bytes = block},
      {allgather_ring, allgather_recursive_doubling, allgather_bruck, allgather_neighbor_exchange}, call,
      mine, all);
}

void allgatherv(const Call& call, const Piece& mine, const Pieces& all) {
  std::uint64_t total = 0;
  for (int rank = 0; rank < call.size; ++rank) total += all[rank].bytes();
  if (total == 0) return;
  run(CollectiveOperation::allgatherv,
      {.ranks = call.size, .bytes = total / static_cast<std::uint64_t>(call.size)},
      {allgather_ring, allgather_bruck, allgatherv_gather_bcast}, call, mine, all);
}

void alltoall(const Call& call, const Pieces& out, const Pieces& in, bool in_place) {
  const std::uint64_t block = in[0].bytes();
  if (block == 0) return;
  run(CollectiveOperation::alltoall, {.ranks = call.size, .bytes = block, .in_place = in_place},
      {alltoall_pairwise, alltoall_linear, alltoall_bruck}, call, out, in, in_place);
}

void alltoallv(const Call& call, const Pieces& out, const Pieces& in, bool in_place,
               CollectiveOperation operation) {
  run(operation, {.ranks = call.size, .in_place = in_place}, {alltoall_linear, alltoall_pairwise}, call, out,
      in, in_place);
}

void reduce(const Call& call, const Reduction& reduction, const void* input, void* output,
            std::uint64_t count, int root) {
  run(CollectiveOperation::reduce, reduction_case(call, reduction, count),
      {reduce_binomial, reduce_linear, reduce_rabenseifner}, call, reduction, input, output, count, root);
}

void allreduce(const Call& call, const Reduction& reduction, const void* input, void* output,
               std::uint64_t count) {
  if (count == 0) return;
  run(CollectiveOperation::allreduce, reduction_case(call, reduction, count),
      {allreduce_recursive_doubling, allreduce_rabenseifner, allreduce_ring, allreduce_reduce_bcast}, call,
      reduction, input, output, count);
}

void reduce_scatter(const Call& call, const Reduction& reduction, const void* input, void* output,
                    const Partition& partition, CollectiveOperation operation) {
  const std::uint64_t total = partition.start(call.size);
  if (total == 0) return;
  CollectiveCase situation = reduction_case(call, reduction, total);
  situation.bytes /= static_cast<std::uint64_t>(call.size);
  run(operation, situation,
      {reduce_scatter_pairwise, reduce_scatter_recursive_halving, reduce_scatter_reduce_scatterv}, call,
      reduction, input, output, partition);
}

void scan(const Call& call, const Reduction& reduction, const void* input, void* output,
          std::uint64_t count) {
  run(CollectiveOperation::scan, reduction_case(call, reduction, count),
      {scan_recursive_doubling, scan_linear}, call, reduction, input, output, count);
}

void exscan(const Call& call, const Reduction& reduction, const void* input, void* output,
            std::uint64_t count) {
  run(CollectiveOperation::exscan, reduction_case(call, reduction, count),
      {exscan_recursive_doubling, exscan_linear}, call, reduction, input, output, count);
}

}  // namespace mpisim::mpi::collectives
