#include "piosim/agreement.hpp"

#include <algorithm>
#include <array>

#include "mpisim/collectives/algorithms.hpp"
#include "mpisim/core.hpp"
#include "mpisim/predefined_types.hpp"

namespace mpisim::pio {

using mpi::Communicator;
using mpi::collectives::Call;

namespace {

const mpi::Datatype& number_type() {
  return *mpi::predefined_datatype(MPI_UINT64_T);
}

class Maximum final : public mpi::collectives::Reduction {
 public:
  Maximum() : Reduction(number_type(), true) {}

 private:
  void apply(const void* lower, void* upper, std::uint64_t count) const override {
    const auto* from = static_cast<const std::uint64_t*>(lower);
    auto* to = static_cast<std::uint64_t*>(upper);
    for (std::uint64_t i = 0; i < count; ++i) to[i] = std::max(to[i], from[i]);
  }
};

class Sum final : public mpi::collectives::Reduction {
 public:
  Sum() : Reduction(number_type(), true) {}

 private:
  void apply(const void* lower, void* upper, std::uint64_t count) const override {
    const auto* from = static_cast<const std::uint64_t*>(lower);
    auto* to = static_cast<std::uint64_t*>(upper);
    for (std::uint64_t i = 0; i < count; ++i) to[i] += from[i];
  }
};

}  // namespace

void enter(CollectiveCall call) {
  static constexpr std::array names{
      "MPI_File_open",          "MPI_File_close",          "MPI_File_set_size",      "MPI_File_preallocate",
      "a collective file read", "a collective file write", "MPI_File_set_atomicity", "MPI_File_set_view",
      "MPI_File_seek_shared",   "MPI_File_read_ordered",   "MPI_File_write_ordered"};
  const auto operation = static_cast<std::uint16_t>(call);
  mpi::core::enter_collective(names[operation - static_cast<std::uint16_t>(CollectiveCall::open)], operation);
}

void barrier(Communicator& comm) {
  mpi::collectives::barrier(Call::next(comm));
}

void maximum(Communicator& comm, std::span<std::uint64_t> values) {
  mpi::collectives::allreduce(Call::next(comm), Maximum(), values.data(), values.data(), values.size());
}

void broadcast(Communicator& comm, std::span<std::uint64_t> values, int root) {
  mpi::collectives::bcast(Call::next(comm), {values.data(), values.size(), &number_type()}, root);
}

std::uint64_t sum_below(Communicator& comm, std::uint64_t value) {
  std::uint64_t sum = 0;  // of rank 0, whose output is left alone
  mpi::collectives::exscan(Call::next(comm), Sum(), &value, &sum, 1);
  return sum;
}

void transpose(Communicator& comm, std::span<const std::uint64_t> out, std::span<std::uint64_t> in) {
  using mpi::collectives::Pieces;
  mpi::collectives::alltoall(Call::next(comm), Pieces::uniform(out.data(), 1, number_type()),
                             Pieces::uniform(in.data(), 1, number_type()), false);
}

}  // namespace mpisim::pio
