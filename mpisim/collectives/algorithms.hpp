#pragma once
// The algorithms, one function each, and the functions that choose among them (choose.cpp). Messages, rounds
// and costs: docs/collectives.md. All work for every communicator size and count unless their entry in
// selection.cpp says what they need.
#include <cstdint>
#include <vector>

#include "mpisim/collectives/pieces.hpp"
#include "mpisim/collectives/plumbing.hpp"
#include "mpisim/collectives/selection.hpp"

namespace mpisim::mpi::collectives {

/// How the vector of a reduce-scatter is divided among the ranks.
class Partition {
 public:
  static Partition uniform(std::uint64_t count) {
    Partition partition;
    partition.count_ = count;
    return partition;
  }
  static Partition varying(const int* counts, int ranks);
  /// First element of `rank`'s block; start(size) is the total.
  std::uint64_t start(int rank) const {
    return starts_.empty() ? count_ * static_cast<std::uint64_t>(rank)
                           : starts_[static_cast<std::size_t>(rank)];
  }
  std::uint64_t length(int rank) const { return start(rank + 1) - start(rank); }

 private:
  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> starts_;
};

/// Ranks that take part in a power-of-two exchange when the communicator has other sizes: one of each pair of
/// the first 2 * rem ranks stands for both, the odd one unless the other is `chosen`; the rest keep their
/// order.
struct Folding {
  explicit Folding(int size, int chosen = -1);
  int power;  ///< largest power of two <= size
  int rem;    ///< size - power
  int chosen;
  int participant(int pair) const { return chosen / 2 == pair && chosen >= 0 ? chosen : 2 * pair + 1; }
  bool paired(int rank) const { return rank < 2 * rem; }
  bool folded_out(int rank) const { return paired(rank) && participant(rank / 2) != rank; }
  bool stands_for_two(int rank) const { return paired(rank) && participant(rank / 2) == rank; }
  int new_rank(int rank) const { return paired(rank) ? rank / 2 : rank - rem; }
  int old_rank(int new_one) const { return new_one < rem ? participant(new_one) : new_one + rem; }
};

void barrier_dissemination(const Call& call);
void barrier_recursive_doubling(const Call& call);
void barrier_tree(const Call& call);
void barrier_linear(const Call& call);

void bcast_binomial(const Call& call, const Piece& buffer, int root);
void bcast_linear(const Call& call, const Piece& buffer, int root);
void bcast_scatter_allgather(const Call& call, const Piece& buffer, int root);
void bcast_scatter_recursive_doubling(const Call& call, const Piece& buffer, int root);
void bcast_chain(const Call& call, const Piece& buffer, int root);
void bcast_binary(const Call& call, const Piece& buffer, int root);
/// Segment size of chain and binary.
inline constexpr std::uint64_t bcast_segment_bytes = 16384;

// Gather and scatter: `mine` is this rank's block (at the root with MPI_IN_PLACE: its block in `all`), `all`
// is read at the root only.
void gather_binomial(const Call& call, const Piece& mine, const Pieces& all, int root);
void gather_linear(const Call& call, const Piece& mine, const Pieces& all, int root);
void gatherv_binomial(const Call& call, const Piece& mine, const Pieces& all, int root);
void scatter_binomial(const Call& call, const Pieces& all, const Piece& mine, int root);
void scatter_linear(const Call& call, const Pieces& all, const Piece& mine, int root);
void scatterv_binomial(const Call& call, const Pieces& all, const Piece& mine, int root);

// All-gather: `mine` goes to block `rank` of `all` on every rank.
void allgather_ring(const Call& call, const Piece& mine, const Pieces& all);
void allgather_recursive_doubling(const Call& call, const Piece& mine, const Pieces& all);
void allgather_bruck(const Call& call, const Piece& mine, const Pieces& all);
void allgather_neighbor_exchange(const Call& call, const Piece& mine, const Pieces& all);
void allgatherv_gather_bcast(const Call& call, const Piece& mine, const Pieces& all);

// All-to-all: `in_place`: `out` is not read, the blocks of `in` are exchanged.
void alltoall_pairwise(const Call& call, const Pieces& out, const Pieces& in, bool in_place);
void alltoall_linear(const Call& call, const Pieces& out, const Pieces& in, bool in_place);
void alltoall_bruck(const Call& call, const Pieces& out, const Pieces& in, bool in_place);

// Reductions. `input` equals `output` where MPI_IN_PLACE was given; `output` of a Reduce is used at the root
// only.
void reduce_binomial(const Call& call, const Reduction& reduction, const void* input, void* output,
                     std::uint64_t count, int root);
void reduce_linear(const Call& call, const Reduction& reduction, const void* input, void* output,
                   std::uint64_t count, int root);
void reduce_rabenseifner(const Call& call, const Reduction& reduction, const void* input, void* output,
                         std::uint64_t count, int root);
void allreduce_recursive_doubling(const Call& call, const Reduction& reduction, const void* input,
                                  void* output, std::uint64_t count);
void allreduce_rabenseifner(const Call& call, const Reduction& reduction, const void* input, void* output,
                            std::uint64_t count);
void allreduce_ring(const Call& call, const Reduction& reduction, const void* input, void* output,
                    std::uint64_t count);
void allreduce_reduce_bcast(const Call& call, const Reduction& reduction, const void* input, void* output,
                            std::uint64_t count);
// `input`: the whole vector; with MPI_IN_PLACE `input` equals `output`, whose first elements get the result.
void reduce_scatter_pairwise(const Call& call, const Reduction& reduction, const void* input, void* output,
                             const Partition& partition);
void reduce_scatter_recursive_halving(const Call& call, const Reduction& reduction, const void* input,
                                      void* output, const Partition& partition);
void reduce_scatter_reduce_scatterv(const Call& call, const Reduction& reduction, const void* input,
                                    void* output, const Partition& partition);

void scan_recursive_doubling(const Call& call, const Reduction& reduction, const void* input, void* output,
                             std::uint64_t count);
void scan_linear(const Call& call, const Reduction& reduction, const void* input, void* output,
                 std::uint64_t count);
// The output of rank 0 is left alone.
void exscan_recursive_doubling(const Call& call, const Reduction& reduction, const void* input, void* output,
                               std::uint64_t count);
void exscan_linear(const Call& call, const Reduction& reduction, const void* input, void* output,
                   std::uint64_t count);

// Choice by the machine file's rules, else the built-in defaults.
void barrier(const Call& call);
void bcast(const Call& call, const Piece& buffer, int root);
void gather(const Call& call, const Piece& mine, const Pieces& all, int root);
void gatherv(const Call& call, const Piece& mine, const Pieces& all, int root);
void scatter(const Call& call, const Pieces& all, const Piece& mine, int root);
void scatterv(const Call& call, const Pieces& all, const Piece& mine, int root);
void allgather(const Call& call, const Piece& mine, const Pieces& all);
void allgatherv(const Call& call, const Piece& mine, const Pieces& all);
void alltoall(const Call& call, const Pieces& out, const Pieces& in, bool in_place);
/// operation: alltoallv or alltoallw.
void alltoallv(const Call& call, const Pieces& out, const Pieces& in, bool in_place,
               CollectiveOperation operation);
void reduce(const Call& call, const Reduction& reduction, const void* input, void* output,
            std::uint64_t count, int root);
void allreduce(const Call& call, const Reduction& reduction, const void* input, void* output,
               std::uint64_t count);
/// operation: reduce_scatter or reduce_scatter_block.
void reduce_scatter(const Call& call, const Reduction& reduction, const void* input, void* output,
                    const Partition& partition, CollectiveOperation operation);
void scan(const Call& call, const Reduction& reduction, const void* input, void* output, std::uint64_t count);
void exscan(const Call& call, const Reduction& reduction, const void* input, void* output,
            std::uint64_t count);

}  // namespace mpisim::mpi::collectives
