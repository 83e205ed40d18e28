#include "disk_models/queue_discipline.hpp"

namespace mpisim::disk {

kernel::ModuleTable<Discipline>& disciplines() {
  static kernel::ModuleTable<Discipline> all({
#define MODULE(name) name##_discipline(),
#include "disk_models/disciplines.def"
#undef MODULE
  });
  return all;
}

}  // namespace mpisim::disk
