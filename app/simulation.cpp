#include "app/simulation.hpp"

namespace mpisim::app {

RunReport simulate(const RunPlan& plan, const HostProcess& process) {
  (void)process;
  throw BadInput("MPI-SIM is not linked into this libmpisim.so: " + plan.program);
}

}  // namespace mpisim::app
