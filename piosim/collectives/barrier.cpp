// All ranks meet, then each makes its own accesses.
#include "piosim/agreement.hpp"
#include "piosim/collective.hpp"

namespace mpisim::pio {

namespace {

Outcome access_after_barrier(const Access& access) {
  barrier(access.members());
  return access_alone(access);
}

}  // namespace

CollectiveAlgorithm barrier_collective() {
  return {"barrier", "all ranks meet, then each makes its own accesses", access_after_barrier};
}

}  // namespace mpisim::pio
