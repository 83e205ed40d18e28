#pragma once
// What the ranks that have a file open tell each other, in messages of the file's communicator.
#include <cstdint>
#include <span>
#include <vector>

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
  write_ordered,
  start_read,
  start_write
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

/// A number that one rank has for another.
struct Parcel {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::uint64_t value = 0;
};

/// Brings the parcels of all ranks where they go; those for the current rank, by sender, at most one of each.
/// The messages are those of Bruck's all-to-all (Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms
/// for all-to-all communications in multiport message-passing systems, 1997), one to another rank in each of
/// log2(ranks) steps, with the parcels there are instead of one for every pair: time and memory are those of
/// what is exchanged.
std::vector<Parcel> deliver(mpi::Communicator& comm, std::vector<Parcel> parcels);

}  // namespace mpisim::pio
