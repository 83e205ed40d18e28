#include "disk_models/parameters.hpp"

namespace mpisim::disk {

std::unique_ptr<DiskModel> make_disk(const Parameters& parameters) {
  if (parameters.model == Model::simple) return std::make_unique<Simple>(parameters.simple);
  return std::make_unique<Analytic>(parameters.analytic);
}

}  // namespace mpisim::disk
