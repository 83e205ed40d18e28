#include "network_models/registry.hpp"

#include <fmt/format.h>

namespace mpisim::network {

kernel::ModuleTable<ModelInfo>& models() {
  static kernel::ModuleTable<ModelInfo> all({
#define MODULE(name) name##_model(),
#include "network_models/models.def"
#undef MODULE
  });
  return all;
}

const ModelInfo* find_model(std::string_view name) {
  return models().find(name);
}

std::string describe_bandwidth(kernel::ByteTime per_byte) {
  if (per_byte.fs() == 0) return "infinite";
  const double megabytes = 1e9 / static_cast<double>(per_byte.fs());
  return megabytes < 1000 ? fmt::format("{:.4g} MB/s", megabytes)
                          : fmt::format("{:.4g} GB/s", megabytes / 1000);
}

}  // namespace mpisim::network
