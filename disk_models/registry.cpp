#include "disk_models/registry.hpp"

namespace mpisim::disk {

kernel::ModuleTable<Factory>& models() {
  static kernel::ModuleTable<Factory> all({
#define MODULE(name) name##_model(),
#include "disk_models/models.def"
#undef MODULE
  });
  return all;
}

}  // namespace mpisim::disk
