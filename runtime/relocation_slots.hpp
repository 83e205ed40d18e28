#pragma once
// Which words of a loaded module hold addresses, read from its dynamic relocations.
#include <cstdint>
#include <vector>

#include "runtime/target_abi.h"

namespace mpisim::runtime {

struct RelocationSlot {
  std::uintptr_t* address = nullptr;
  bool is_global_offset_entry =
      false;  ///< R_X86_64_GLOB_DAT: code takes an extern variable's address from it
};

/// Every pointer-sized slot that the module's DT_RELA and DT_RELR entries name, in the order of the tables.
/// Empty if the module has no dynamic section.
std::vector<RelocationSlot> relocation_slots(const mpisim_module& module);

}  // namespace mpisim::runtime
