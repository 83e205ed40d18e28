#include "disk_models/analytic.hpp"

namespace mpisim::disk {

Service Analytic::serve(const Request& request, kernel::SimTime /*start*/) {
  Service service;
  service.seek = request.address != next_;
  service.time = parameters_.overhead + parameters_.transfer * request.bytes;
  if (service.seek) service.time += parameters_.latency;
  next_ = request.address + request.bytes.count();
  return service;
}

}  // namespace mpisim::disk
