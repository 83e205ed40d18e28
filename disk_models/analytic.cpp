#include "disk_models/analytic.hpp"

#include "disk_models/registry.hpp"

namespace mpisim::disk {

Service Analytic::serve(const Request& request, kernel::SimTime /*start*/) {
  Service service;
  service.seek = request.address != next_;
  service.time = parameters_.overhead + parameters_.transfer * request.bytes;
  if (service.seek) service.time += parameters_.latency;
  next_ = request.address + request.bytes.count();
  return service;
}

Module analytic_model() {
  return {
      "analytic",
      "a formula: overhead, a mean latency unless the request continues the last one, bytes over bandwidth",
      {{"overhead", ParameterType::time, "1.1 ms", "controller time of each request"},
       {"latency", ParameterType::time, "21 ms",
        "mean seek and half a rotation, paid by each request that does not begin where the disk's last "
        "one ended"},
       {"bandwidth", ParameterType::bandwidth, "2.3 MB/s", "rate from and to the medium"}},
      [](const Parameters& given) {
        return factory<Analytic>(
            AnalyticParameters{given.time("overhead"), given.time("latency"), given.per_byte("bandwidth")});
      }};
}

}  // namespace mpisim::disk
