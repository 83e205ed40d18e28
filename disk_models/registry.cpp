#include "disk_models/registry.hpp"

namespace mpisim::disk {

kernel::ModuleTable<Module>& models() {
  static kernel::ModuleTable<Module> all({
#define MODULE(name) name##_model(),
#include "disk_models/models.def"
#undef MODULE
  });
  return all;
}

}  // namespace mpisim::disk
