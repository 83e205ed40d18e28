// Two turns: ranks with even numbers access the file first, then the odd ones. Half as many requests compete
// for the disks at a time, as with groups (Nitzberg, NASA Ames RND-92-020, 1992), but neighbours in the file,
// which often belong to ranks with neighbouring numbers, never meet.
#include "mpisim/communicator.hpp"
#include "piosim/agreement.hpp"
#include "piosim/collective.hpp"

namespace mpisim::pio {

namespace {

Outcome access_in_two_turns(const Access& access) {
  mpi::Communicator& ranks = access.members();
  const bool first = ranks.rank() % 2 == 0;
  Outcome outcome;
  barrier(ranks);
  if (first) outcome = access_alone(access);
  barrier(ranks);
  if (!first) outcome = access_alone(access);
  return outcome;
}

}  // namespace

CollectiveAlgorithm even_odd_collective() {
  return {"even-odd", "ranks with even numbers first, then the odd ones", access_in_two_turns};
}

}  // namespace mpisim::pio
