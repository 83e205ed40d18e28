#include "pfssim/layout.hpp"

namespace mpisim::pfs {

kernel::ModuleTable<LayoutModule>& layouts() {
  static kernel::ModuleTable<LayoutModule> all({
#define MODULE(name) name##_layout(),
#include "pfssim/layouts.def"
#undef MODULE
  });
  return all;
}

}  // namespace mpisim::pfs
