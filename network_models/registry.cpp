#include "network_models/registry.hpp"

#include <fmt/format.h>

namespace mpisim::network {

const std::vector<ModelInfo>& models() {
  static const std::vector<ModelInfo> all{
      ideal_model(), hockney_model(), loggp_model(), wormhole_model(), store_and_forward_model(),
  };
  return all;
}

const ModelInfo* find_model(std::string_view name) {
  for (const ModelInfo& model : models()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

std::string describe_bandwidth(kernel::ByteTime per_byte) {
  if (per_byte.fs() == 0) return "infinite";
  const double megabytes = 1e9 / static_cast<double>(per_byte.fs());
  return megabytes < 1000 ? fmt::format("{:.4g} MB/s", megabytes)
                          : fmt::format("{:.4g} GB/s", megabytes / 1000);
}

}  // namespace mpisim::network
