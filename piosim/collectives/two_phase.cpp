// Aggregators access contiguous parts of the file and exchange the data with the others: two_phase.cpp of the
// folder above.
#include "piosim/collective.hpp"

namespace mpisim::pio {

CollectiveAlgorithm two_phase_collective() {
  return {"two-phase", "aggregators access contiguous parts and exchange the data with the others",
          access_two_phase};
}

}  // namespace mpisim::pio
