#pragma once
// The modules (executable and shared libraries) that mpisimcc linked, as their constructors registered them.
#include <cstdint>
#include <vector>

#include "runtime/target_abi.h"

namespace mpisim::runtime {

/// Modules registered by their constructors, the executable first, then libraries in the order of
/// registration.
const std::vector<const mpisim_module*>& registered_modules();

/// Prices every block of every module: fills the modules' price sections, each rounded to the nearest
/// picosecond. `picoseconds` has MPISIM_COST_CLASSES entries, each finite and >= 0; std::invalid_argument
/// otherwise.
void price_blocks(const std::vector<double>& picoseconds);

/// Where the copy of `__mpisim_counted` lies that belongs to a segment base; null if no executable is
/// registered.
std::uint64_t* counted_slot(std::uintptr_t segment_base);

/// Range of addresses that a module's file is mapped to; `bias` is what its link-time addresses are displaced
/// by. `found` is false for a module that the dynamic loader does not know.
struct LoadedObject {
  bool found = false;
  std::uintptr_t bias = 0;
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uintptr_t alignment = 1;  ///< largest alignment of its segments
  std::uintptr_t relro_begin = 0, relro_end = 0;
};
LoadedObject find_loaded_object(const void* dynamic);

}  // namespace mpisim::runtime
