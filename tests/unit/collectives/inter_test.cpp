// Collectives between the two sides of an inter-communicator.
#include "mpisim/collectives/inter.hpp"

#include <catch2/catch.hpp>

#include "buffers.hpp"
#include "fake_core.hpp"

using namespace mpisim::mpi;
using namespace mpisim::mpi::collectives;
using namespace testing;

namespace {

void must(bool condition, const char* what) {
  if (!condition) throw std::runtime_error(what);
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

/// Runs `body(comm, low side?)` on an inter-communicator between ranks [0, low) and [low, low + high).
void run_between(int low, int high, const std::function<void(Communicator&, bool)>& body) {
  const auto side = [&](bool is_low) {
    auto inside = std::make_shared<CommunicatorShared>();
    inside->context = is_low ? 77 : 78;
    inside->local = is_low ? make_strided_group(0, 1, low) : make_strided_group(low, 1, high);
    auto shared = std::make_shared<CommunicatorShared>();
    shared->context = 76;
    shared->local = inside->local;
    shared->remote = is_low ? make_strided_group(low, 1, high) : make_strided_group(0, 1, low);
    shared->local_side = inside;
    return shared;
  };
  const auto low_side = side(true);
  const auto high_side = side(false);
  fake::run(low + high, [&](Communicator& world) {
    const bool is_low = world.rank() < low;
    auto* comm = new Communicator(is_low ? low_side : high_side, is_low ? world.rank() : world.rank() - low);
    body(*comm, is_low);
    comm->release();
  });
}

}  // namespace

TEST_CASE("collectives between two sides") {
  const auto [low, high] = GENERATE(table<int, int>({{1, 1}, {1, 4}, {3, 2}, {5, 8}, {20, 3}}));
  const int sizes[2] = {high, low};  // indexed by "is low"
  CAPTURE(low, high);

  SECTION("barrier") {
    CHECK_NOTHROW(run_between(low, high, [](Communicator& comm, bool) { inter_barrier(InterCall(comm)); }));
  }
  SECTION("broadcast and reduction from and to the last rank of the low side") {
    const int root_rank = low - 1;
    CHECK_NOTHROW(run_between(low, high, [&](Communicator& comm, bool is_low) {
      const int root = !is_low ? root_rank : comm.rank() == root_rank ? MPI_ROOT : MPI_PROC_NULL;
      int data[2] = {root == MPI_ROOT ? 5 : 0, root == MPI_ROOT ? 6 : 0};
      inter_bcast(InterCall(comm), {data, 2, &int_type()}, root);
      if (!is_low) must(data[0] == 5 && data[1] == 6, "bcast");
      int mine = comm.rank() + 1;
      int sum = 0;
      inter_reduce(InterCall(comm), IntSum(), &mine, &sum, 1, root);
      if (root == MPI_ROOT) must(sum == high * (high + 1) / 2, "reduce");
    }));
  }
  SECTION("gather and scatter with rank 0 of the high side") {
    CHECK_NOTHROW(run_between(low, high, [&](Communicator& comm, bool is_low) {
      const int root = is_low ? 0 : comm.rank() == 0 ? MPI_ROOT : MPI_PROC_NULL;
      std::vector<int> all(static_cast<std::size_t>(low));
      int mine = 10 + comm.rank();
      inter_gather(InterCall(comm), {&mine, 1, &int_type()}, Pieces::uniform(all.data(), 1, int_type()),
                   root);
      for (int rank = 0; rank < low; ++rank) {
        int& value = all[static_cast<std::size_t>(rank)];
        if (root == MPI_ROOT) must(value == 10 + rank, "gather");
        value *= 2;
      }
      inter_scatter(InterCall(comm), Pieces::uniform(all.data(), 1, int_type()), {&mine, 1, &int_type()},
                    root);
      if (is_low) must(mine == 2 * (10 + comm.rank()), "scatter");
    }));
  }
  SECTION("all-gather, all-to-all, all-reduce") {
    CHECK_NOTHROW(run_between(low, high, [&](Communicator& comm, bool is_low) {
      const int others = is_low ? high : low;
      const auto other_count = static_cast<std::size_t>(others);
      int mine = (is_low ? 100 : 200) + comm.rank();
      std::vector<int> all(other_count);
      inter_allgather(InterCall(comm), {&mine, 1, &int_type()}, Pieces::uniform(all.data(), 1, int_type()));
      for (int rank = 0; rank < others; ++rank)
        must(all[static_cast<std::size_t>(rank)] == (is_low ? 200 : 100) + rank, "allgather");
      std::vector<int> out(other_count);
      for (int rank = 0; rank < others; ++rank)
        out[static_cast<std::size_t>(rank)] = (is_low ? 1000 : 2000) + 40 * comm.rank() + rank;
      inter_alltoall(InterCall(comm), Pieces::uniform(out.data(), 1, int_type()),
                     Pieces::uniform(all.data(), 1, int_type()));
      for (int rank = 0; rank < others; ++rank)
        must(all[static_cast<std::size_t>(rank)] == (is_low ? 2000 : 1000) + 40 * rank + comm.rank(),
             "alltoall");
      int sum = 0;
      mine = comm.rank() + 1;
      inter_allreduce(InterCall(comm), IntSum(), &mine, &sum, 1);
      must(sum == others * (others + 1) / 2, "allreduce");
    }));
  }
  SECTION("reduce-scatter") {
    CHECK_NOTHROW(run_between(low, high, [&](Communicator& comm, bool is_low) {
      const auto share = static_cast<std::uint64_t>(sizes[is_low ? 1 : 0] == low ? high : low);
      const auto total = share * static_cast<std::uint64_t>(comm.size());
      std::vector<int> in(total);
      for (std::uint64_t index = 0; index < total; ++index)
        in[index] = static_cast<int>(index) * (comm.rank() + 1);
      std::vector<int> out(share);
      inter_reduce_scatter(InterCall(comm), IntSum(), in.data(), out.data(), Partition::uniform(share));
      const int others = is_low ? high : low;
      for (std::uint64_t index = 0; index < share; ++index)
        must(out[index] == static_cast<int>(share * static_cast<std::uint64_t>(comm.rank()) + index) *
                               (others * (others + 1) / 2),
             "reduce-scatter");
    }));
  }
}
