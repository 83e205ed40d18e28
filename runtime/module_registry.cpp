#include "runtime/module_registry.hpp"

#include <link.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "runtime/counted_twins.hpp"
#include "runtime/export.hpp"

namespace mpisim::runtime {
namespace {

// Constructors of the program's modules come here before main: no static object with a constructor of its own
// may be needed.
std::vector<const mpisim_module*>& modules() {
  static std::vector<const mpisim_module*> list;
  return list;
}

std::uintptr_t counted_image = 0;  // image address of __mpisim_counted, zero without an executable

struct Search {
  const void* dynamic;
  LoadedObject result;
};

int visit_object(dl_phdr_info* info, std::size_t, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  LoadedObject object;
  object.bias = info->dlpi_addr;
  object.begin = ~std::uintptr_t{0};
  bool matches = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const std::uintptr_t address = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_DYNAMIC) matches = reinterpret_cast<const void*>(address) == search.dynamic;
    if (header.p_type == PT_GNU_RELRO) {
      object.relro_begin = address;
      object.relro_end = address + header.p_memsz;
    }
    if (header.p_type == PT_LOAD) {
      object.begin = std::min(object.begin, address);
      object.end = std::max(object.end, address + header.p_memsz);
      object.alignment = std::max<std::uintptr_t>(object.alignment, header.p_align);
    }
  }
  if (!matches) return 0;
  object.found = true;
  search.result = object;
  return 1;
}

}  // namespace

const std::vector<const mpisim_module*>& registered_modules() {
  return modules();
}

LoadedObject find_loaded_object(const void* dynamic) {
  Search search{dynamic, {}};
  dl_iterate_phdr(visit_object, &search);
  return search.result;
}

std::uint64_t* counted_slot(std::uintptr_t segment_base) {
  return counted_image == 0 ? nullptr : reinterpret_cast<std::uint64_t*>(counted_image + segment_base);
}

void price_blocks(const std::vector<double>& picoseconds) {
  if (picoseconds.size() != MPISIM_COST_CLASSES)
    throw std::invalid_argument("a price table needs " + std::to_string(MPISIM_COST_CLASSES) +
                                " entries, got " + std::to_string(picoseconds.size()));
  for (const double price : picoseconds)
    if (!std::isfinite(price) || price < 0)
      throw std::invalid_argument("prices of blocks must be finite and not negative");
  for (const mpisim_module* module : modules()) {
    std::uint64_t* price = module->prices_begin;
    for (const mpisim_cost_vector* cost = module->costs_begin; cost != module->costs_end; ++cost, ++price) {
      double sum = 0;
      for (int i = 0; i < MPISIM_COST_CLASSES; ++i) sum += cost->count[i] * picoseconds[i];
      *price = static_cast<std::uint64_t>(std::llround(sum));
    }
  }
}

}  // namespace mpisim::runtime

MPISIM_EXPORT void mpisim_register_module(const mpisim_module* module) {
  using mpisim::runtime::modules;
  if (module->abi_version != MPISIM_ABI_VERSION) {
    std::fprintf(
        stderr,
        "mpisim: this program was built by an mpisimcc of another version (interface %u, this library has "
        "%d): build it again with the mpisimcc of this installation\n",
        module->abi_version, MPISIM_ABI_VERSION);
    std::_Exit(2);
  }
  try {
    const char* const counted = std::getenv(MPISIM_COUNTED_VARIABLE);
    if (counted != nullptr && *counted == '1') mpisim::runtime::enter_twins(*module);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "mpisim: %s\n", problem.what());
    std::_Exit(2);
  }
  if (module->is_executable) {
    modules().insert(modules().begin(), module);
    mpisim::runtime::counted_image = reinterpret_cast<std::uintptr_t>(module->counted_slot);
  } else {
    modules().push_back(module);
  }
}
