// Numbers of messages, bytes and rounds are those of docs/collectives.md.
#include <bit>

#include <catch2/catch.hpp>

#include "buffers.hpp"
#include "fake_core.hpp"

using namespace mpisim::mpi;
using namespace mpisim::mpi::collectives;
using namespace testing;

namespace {

std::uint64_t log2_up(int ranks) {
  return std::bit_width(static_cast<unsigned>(ranks) - 1U);
}
std::uint64_t log2_down(int ranks) {
  return std::bit_width(static_cast<unsigned>(ranks)) - 1U;
}
bool two_power(int ranks) {
  return std::has_single_bit(static_cast<unsigned>(ranks));
}

class IntSum final : public Reduction {
 public:
  IntSum() : Reduction(int_type(), true) {}

 private:
  void apply(const void* lower, void* upper, std::uint64_t count) const override {
    for (std::uint64_t index = 0; index < count; ++index)
      static_cast<int*>(upper)[index] += static_cast<const int*>(lower)[index];
  }
};

fake::Counts count_barrier(void (*algorithm)(const Call&), int ranks) {
  return fake::run(ranks, [&](Communicator& comm) { algorithm(call_on(comm)); });
}

fake::Counts count_bcast(void (*algorithm)(const Call&, const Piece&, int), int ranks, std::uint64_t ints) {
  return fake::run(ranks, [&](Communicator& comm) {
    std::vector<int> data(ints);
    algorithm(call_on(comm), {data.data(), ints, &int_type()}, ranks / 2);
  });
}

fake::Counts count_allgather(void (*algorithm)(const Call&, const Piece&, const Pieces&), int ranks,
                             std::uint64_t ints) {
  return fake::run(ranks, [&](Communicator& comm) {
    std::vector<int> data(ints * static_cast<std::uint64_t>(ranks));
    const Pieces all = Pieces::uniform(data.data(), ints, int_type());
    algorithm(call_on(comm), all[comm.rank()], all);
  });
}

fake::Counts count_gather(void (*algorithm)(const Call&, const Piece&, const Pieces&, int), int ranks,
                          std::uint64_t ints) {
  return fake::run(ranks, [&](Communicator& comm) {
    std::vector<int> data(ints * static_cast<std::uint64_t>(ranks));
    const Pieces all = Pieces::uniform(data.data(), ints, int_type());
    algorithm(call_on(comm), all[comm.rank()], all, 0);
  });
}

fake::Counts count_alltoall(void (*algorithm)(const Call&, const Pieces&, const Pieces&, bool), int ranks,
                            std::uint64_t ints) {
  return fake::run(ranks, [&](Communicator& comm) {
    std::vector<int> out(ints * static_cast<std::uint64_t>(ranks));
    std::vector<int> in(out.size());
    algorithm(call_on(comm), Pieces::uniform(out.data(), ints, int_type()),
              Pieces::uniform(in.data(), ints, int_type()), false);
  });
}

fake::Counts count_allreduce(void (*algorithm)(const Call&, const Reduction&, const void*, void*,
                                               std::uint64_t),
                             int ranks, std::uint64_t ints) {
  return fake::run(ranks, [&](Communicator& comm) {
    std::vector<int> in(ints);
    std::vector<int> out(ints);
    algorithm(call_on(comm), IntSum(), in.data(), out.data(), ints);
  });
}

fake::Counts count_reduce(void (*algorithm)(const Call&, const Reduction&, const void*, void*, std::uint64_t,
                                            int),
                          int ranks, std::uint64_t ints) {
  return fake::run(ranks, [&](Communicator& comm) {
    std::vector<int> in(ints);
    std::vector<int> out(ints);
    algorithm(call_on(comm), IntSum(), in.data(), out.data(), ints, 0);
  });
}

}  // namespace

TEST_CASE("messages and rounds of barriers") {
  for (int ranks : rank_counts) {
    CAPTURE(ranks);
    const auto size = static_cast<std::uint64_t>(ranks);
    const std::uint64_t power = std::bit_floor(size);
    const fake::Counts dissemination = count_barrier(barrier_dissemination, ranks);
    CHECK(dissemination.messages == size * log2_up(ranks));
    CHECK(dissemination.rounds == log2_up(ranks));
    const fake::Counts doubling = count_barrier(barrier_recursive_doubling, ranks);
    CHECK(doubling.messages == power * log2_down(ranks) + 2 * (size - power));
    CHECK(doubling.rounds == log2_down(ranks) + (two_power(ranks) ? 0 : 2));
    CHECK(count_barrier(barrier_tree, ranks).messages == 2 * (size - 1));
    if (two_power(ranks)) CHECK(count_barrier(barrier_tree, ranks).rounds == 2 * log2_up(ranks));
    const fake::Counts linear = count_barrier(barrier_linear, ranks);
    CHECK(linear.messages == 2 * (size - 1));
    CHECK(linear.rounds == 2 * (size - 1));
    CHECK(dissemination.bytes + doubling.bytes + linear.bytes == 0);
  }
}

TEST_CASE("messages and rounds of broadcasts") {
  for (int ranks : rank_counts) {
    CAPTURE(ranks);
    const auto size = static_cast<std::uint64_t>(ranks);
    const std::uint64_t ints = 17 * 16 * 9 * 5 * 7;
    const fake::Counts binomial = count_bcast(bcast_binomial, ranks, ints);
    CHECK(binomial.messages == size - 1);
    CHECK(binomial.bytes == (size - 1) * 4 * ints);
    CHECK(binomial.rounds == log2_up(ranks));
    const fake::Counts linear = count_bcast(bcast_linear, ranks, ints);
    CHECK(linear.messages == size - 1);
    CHECK(linear.rounds == size - 1);
    const std::uint64_t segments = (4 * ints + bcast_segment_bytes - 1) / bcast_segment_bytes;
    CHECK(count_bcast(bcast_chain, ranks, ints).messages == (size - 1) * segments);
    if (ranks > 1) CHECK(count_bcast(bcast_chain, ranks, ints).rounds == size - 2 + segments);
    CHECK(count_bcast(bcast_binary, ranks, ints).messages == (size - 1) * segments);
    const fake::Counts geijn = count_bcast(bcast_scatter_allgather, ranks, ints);
    CHECK(geijn.messages == (size - 1) + size * (size - 1));
    if (two_power(ranks)) {
      CHECK(geijn.rounds == log2_up(ranks) + size - 1);
      CHECK(geijn.bytes == 4 * ints / size * (size * log2_up(ranks) / 2 + size * (size - 1)));
      const fake::Counts doubling = count_bcast(bcast_scatter_recursive_doubling, ranks, ints);
      CHECK(doubling.messages == (size - 1) + size * log2_up(ranks));
      CHECK(doubling.rounds == 2 * log2_up(ranks));
      CHECK(doubling.bytes == geijn.bytes);
    }
  }
}

TEST_CASE("messages and rounds of gathers and all-gathers") {
  for (int ranks : rank_counts) {
    CAPTURE(ranks);
    const auto size = static_cast<std::uint64_t>(ranks);
    CHECK(count_gather(gather_linear, ranks, 10).messages == size - 1);
    CHECK(count_gather(gather_linear, ranks, 10).rounds == size - 1);
    CHECK(count_gather(gather_binomial, ranks, 10).messages == size - 1);
    CHECK(count_gather(gatherv_binomial, ranks, 10).messages == 2 * (size - 1));
    if (two_power(ranks)) {
      CHECK(count_gather(gather_binomial, ranks, 10).rounds == log2_up(ranks));
      CHECK(count_gather(gather_binomial, ranks, 10).bytes == 40 * size / 2 * log2_up(ranks));
    }
    const fake::Counts ring = count_allgather(allgather_ring, ranks, 10);
    CHECK(ring.messages == size * (size - 1));
    CHECK(ring.rounds == size - 1);
    CHECK(ring.bytes == 40 * size * (size - 1));
    const fake::Counts bruck = count_allgather(allgather_bruck, ranks, 10);
    CHECK(bruck.messages == size * log2_up(ranks));
    CHECK(bruck.rounds == log2_up(ranks));
    CHECK(bruck.bytes == ring.bytes);
    if (two_power(ranks)) {
      const fake::Counts doubling = count_allgather(allgather_recursive_doubling, ranks, 10);
      CHECK(doubling.messages == size * log2_up(ranks));
      CHECK(doubling.rounds == log2_up(ranks));
      CHECK(doubling.bytes == ring.bytes);
    }
    if (ranks % 2 == 0) {
      const fake::Counts neighbors = count_allgather(allgather_neighbor_exchange, ranks, 10);
      CHECK(neighbors.messages == size * size / 2);
      CHECK(neighbors.rounds == size / 2);
      CHECK(neighbors.bytes == ring.bytes);
    }
  }
}

TEST_CASE("messages and rounds of all-to-alls") {
  for (int ranks : rank_counts) {
    CAPTURE(ranks);
    const auto size = static_cast<std::uint64_t>(ranks);
    const fake::Counts pairwise = count_alltoall(alltoall_pairwise, ranks, 10);
    CHECK(pairwise.messages == size * (size - 1));
    CHECK(pairwise.rounds == size - 1);
    CHECK(pairwise.bytes == 40 * size * (size - 1));
    const fake::Counts linear = count_alltoall(alltoall_linear, ranks, 10);
    CHECK(linear.messages == pairwise.messages);
    CHECK(linear.bytes == pairwise.bytes);
    const fake::Counts bruck = count_alltoall(alltoall_bruck, ranks, 10);
    CHECK(bruck.messages == size * log2_up(ranks));
    CHECK(bruck.rounds == log2_up(ranks));
    if (two_power(ranks)) CHECK(bruck.bytes == 40 * size * size / 2 * log2_up(ranks));
  }
}

TEST_CASE("messages, rounds and arithmetic of reductions") {
  for (int ranks : rank_counts) {
    CAPTURE(ranks);
    const auto size = static_cast<std::uint64_t>(ranks);
    const std::uint64_t power = std::bit_floor(size);
    const std::uint64_t rest = size - power;
    const std::uint64_t ints = 16 * 17 * 9 * 5 * 7;
    const std::uint64_t bytes = 4 * ints;

    const fake::Counts binomial = count_reduce(reduce_binomial, ranks, ints);
    CHECK(binomial.messages == size - 1);
    CHECK(binomial.rounds == log2_up(ranks));
    CHECK(binomial.reduced_bytes == (size - 1) * bytes);
    const fake::Counts linear = count_reduce(reduce_linear, ranks, ints);
    CHECK(linear.messages == size - 1);
    CHECK(linear.reduced_bytes == (size - 1) * bytes);
    const fake::Counts reduce_scatter_gather = count_reduce(reduce_rabenseifner, ranks, ints);
    CHECK(reduce_scatter_gather.messages == power * log2_down(ranks) + (power - 1) + rest);
    CHECK(reduce_scatter_gather.reduced_bytes == (size - 1) * bytes);
    if (two_power(ranks)) CHECK(reduce_scatter_gather.rounds == 2 * log2_up(ranks));

    const fake::Counts doubling = count_allreduce(allreduce_recursive_doubling, ranks, ints);
    CHECK(doubling.messages == power * log2_down(ranks) + 2 * rest);
    CHECK(doubling.rounds == log2_down(ranks) + (two_power(ranks) ? 0 : 2));
    CHECK(doubling.reduced_bytes == (power * log2_down(ranks) + rest) * bytes);
    const fake::Counts halving = count_allreduce(allreduce_rabenseifner, ranks, ints);
    CHECK(halving.messages == 2 * power * log2_down(ranks) + 2 * rest);
    CHECK(halving.rounds == 2 * log2_down(ranks) + (two_power(ranks) ? 0 : 2));
    CHECK(halving.reduced_bytes == (size - 1) * bytes);
    CHECK(halving.bytes == 2 * (power - 1) * bytes + 2 * rest * bytes);
    const fake::Counts ring = count_allreduce(allreduce_ring, ranks, ints);
    CHECK(ring.messages == 2 * size * (size - 1));
    CHECK(ring.rounds == 2 * (size - 1));
    CHECK(ring.bytes == 2 * (size - 1) * bytes);
    CHECK(ring.reduced_bytes == (size - 1) * bytes);
  }
}

TEST_CASE("messages of prefix reductions") {
  for (int ranks : rank_counts) {
    CAPTURE(ranks);
    const auto size = static_cast<std::uint64_t>(ranks);
    CHECK(count_allreduce(scan_linear, ranks, 10).messages == size - 1);
    CHECK(count_allreduce(scan_linear, ranks, 10).rounds == size - 1);
    CHECK(count_allreduce(exscan_linear, ranks, 10).rounds == size - 1);
    if (two_power(ranks)) {
      CHECK(count_allreduce(scan_recursive_doubling, ranks, 10).messages == size * log2_up(ranks));
      CHECK(count_allreduce(scan_recursive_doubling, ranks, 10).rounds == log2_up(ranks));
      CHECK(count_allreduce(exscan_recursive_doubling, ranks, 10).rounds == log2_up(ranks));
    }
  }
}

TEST_CASE("a barrier and a short all-reduce of many ranks send a logarithmic number of messages per rank") {
  const int ranks = 4096;
  CHECK(count_barrier(barrier, ranks).messages == 4096U * 12U);
  const fake::Counts allreduce_counts = count_allreduce(allreduce, ranks, 2);
  CHECK(allreduce_counts.messages == 4096U * 12U);
  CHECK(allreduce_counts.rounds == 12);
}
