#pragma once
// What the ranks that have a file open tell each other, in messages of the file's communicator.
#include <cstdint>
#include <span>

#include "piosim/file.hpp"

namespace mpisim::pio {

/// Collective calls on files, for MPI-SIM's check that all ranks are in the same one.
enum class CollectiveCall : std::uint16_t {
  open = 230,
  close,
  set_size,
  preallocate,
  read,
  write,
  set_atomicity,
  set_view,
  seek_shared,
  read_ordered,
  write_ordered
};

/// Declares the call that the current rank has entered.
void enter(CollectiveCall call);

void barrier(mpi::Communicator& comm);
/// Element by element the largest of all ranks' values.
void maximum(mpi::Communicator& comm, std::span<std::uint64_t> values);
/// Everybody gets the values of `root`.
void broadcast(mpi::Communicator& comm, std::span<std::uint64_t> values, int root = 0);
/// The sum of the lower ranks' values.
std::uint64_t sum_below(mpi::Communicator& comm, std::uint64_t value);
/// From every rank one value for every rank.
void transpose(mpi::Communicator& comm, std::span<const std::uint64_t> out, std::span<std::uint64_t> in);

}  // namespace mpisim::pio
