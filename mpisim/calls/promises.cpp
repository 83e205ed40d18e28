// C entry points of mpisim alone.
#include "mpisim/checks.hpp"
#include "mpisim/entry.hpp"
#include "mpisim/rank.hpp"

namespace mpisim::mpi {

void Rank::promise_one_source(Communicator& comm, int tag) {
  MatchQueue& matching = queue(queue_context(comm, core::Plane::user));
  if (matching.promises() == nullptr) matching.keep_promises();
  TagPromises& promises = *matching.promises();
  promises.promise(tag, clock_, call_site_);
  for (const int come : promises.tags())
    if (tag == any_tag || tag == come) check_promise(promises, come);
  matching.resolve_promised(decided_below(), rules(), *this);
}

}  // namespace mpisim::mpi

using namespace mpisim::mpi;

extern "C" __attribute__((visibility("default"))) int MPIX_Mpisim_deterministic(MPI_Comm comm, int tag) {
  MPISIM_CALL(MPIX_Mpisim_deterministic, local);
  const Arguments arguments = check_envelope(comm, MPI_ANY_SOURCE, tag, Direction::receive);
  if (arguments.error != MPI_SUCCESS) return arguments.error;
  call.rank().promise_one_source(*arguments.comm, tag);
  return MPI_SUCCESS;
}
