#include "piosim/agreement.hpp"

#include <algorithm>
#include <array>

#include "mpisim/collectives/algorithms.hpp"
#include "mpisim/core.hpp"
#include "mpisim/predefined_types.hpp"
#include "mpisim/rank.hpp"

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
  static constexpr std::array names{"MPI_File_open",
                                    "MPI_File_close",
                                    "MPI_File_set_size",
                                    "MPI_File_preallocate",
                                    "a collective file read",
                                    "a collective file write",
                                    "MPI_File_set_atomicity",
                                    "MPI_File_set_view",
                                    "MPI_File_seek_shared",
                                    "MPI_File_read_ordered",
                                    "MPI_File_write_ordered",
                                    "a nonblocking or split collective file read",
                                    "a nonblocking or split collective file write"};
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

std::vector<Parcel> deliver(Communicator& comm, std::vector<Parcel> parcels) {
  namespace core = mpi::core;
  const int tag = static_cast<int>(comm.next_collective() & 0x7fffffffU);
  const int size = comm.size(), me = comm.rank();
  for (int distance = 1; distance < size; distance *= 2) {
    const auto stays = [&](const Parcel& parcel) { return ((parcel.to - me + size) % size & distance) == 0; };
    const auto split = std::stable_partition(parcels.begin(), parcels.end(), stays);
    const std::vector<Parcel> leaving(split, parcels.end());
    parcels.erase(split, parcels.end());
    core::charge_copy(leaving.size() * sizeof(Parcel));
    const int target = (me + distance) % size, source = (me - distance + size) % size;
    mpi::Request* sent = core::isend(comm, core::Plane::user, core::SendMode::standard, leaving.data(),
                                     leaving.size() * sizeof(Parcel), mpi::byte_type(), target, tag);
    // No program uses this communicator: its own plane tells lengths.
    const std::uint64_t bytes = mpi::current_rank().probe(comm, source, tag)->bytes;
    const std::size_t kept = parcels.size();
    parcels.resize(kept + bytes / sizeof(Parcel));
    core::recv(comm, core::Plane::user, parcels.data() + kept, bytes, mpi::byte_type(), source, tag);
    core::wait(sent);
    if (distance > size / 2) break;  // before 2 * distance can overflow
  }
  std::sort(parcels.begin(), parcels.end(), [](const Parcel& a, const Parcel& b) { return a.from < b.from; });
  return parcels;
}

}  // namespace mpisim::pio
