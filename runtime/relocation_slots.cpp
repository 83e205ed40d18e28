#include "runtime/relocation_slots.hpp"

#include <elf.h>
#include <link.h>

#include "runtime/module_registry.hpp"

#ifndef DT_RELR
#define DT_RELRSZ 35
#define DT_RELR 36
#endif

namespace mpisim::runtime {
namespace {

struct Tables {
  std::uintptr_t rela = 0, rela_size = 0;
  std::uintptr_t relr = 0, relr_size = 0;
};

Tables find_tables(const ElfW(Dyn) * entry, std::uintptr_t bias) {
  Tables tables;
  // The loader relocates these pointers in place where the dynamic section is writable; elsewhere it does
  // not.
  const auto loaded = [bias](std::uintptr_t pointer) { return pointer < bias ? pointer + bias : pointer; };
  for (; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_RELA:
        tables.rela = loaded(entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        tables.rela_size = entry->d_un.d_val;
        break;
      case DT_RELR:
        tables.relr = loaded(entry->d_un.d_ptr);
        break;
      case DT_RELRSZ:
        tables.relr_size = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  return tables;
}

// Compact relative relocations: an even word is the address of a slot and starts a row; each odd word after
// it is a bitmap of the next 63 words.
void add_relr(const Tables& tables, std::uintptr_t bias, std::vector<RelocationSlot>& slots) {
  const auto* word = reinterpret_cast<const std::uintptr_t*>(tables.relr);
  const auto* end = word + tables.relr_size / sizeof(std::uintptr_t);
  std::uintptr_t next = 0;
  const auto add = [&](std::uintptr_t address) {
    slots.push_back({reinterpret_cast<std::uintptr_t*>(address), false});
  };
  for (; word != end; ++word) {
    if ((*word & 1) == 0) {
      add(*word + bias);
      next = *word + bias + sizeof(std::uintptr_t);
      continue;
    }
    std::uintptr_t address = next;
    for (std::uintptr_t bits = *word >> 1; bits != 0; bits >>= 1, address += sizeof(std::uintptr_t))
      if (bits & 1) add(address);
    next += 63 * sizeof(std::uintptr_t);
  }
}

}  // namespace

std::vector<RelocationSlot> relocation_slots(const mpisim_module& module) {
  std::vector<RelocationSlot> slots;
  if (module.dynamic == nullptr) return slots;
  const std::uintptr_t bias = find_loaded_object(module.dynamic).bias;
  const Tables tables = find_tables(static_cast<const ElfW(Dyn)*>(module.dynamic), bias);
  const auto* entry = reinterpret_cast<const ElfW(Rela)*>(tables.rela);
  const std::size_t count = tables.rela == 0 ? 0 : tables.rela_size / sizeof(ElfW(Rela));
  slots.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto type = ELF64_R_TYPE(entry[i].r_info);
    if (type != R_X86_64_64 && type != R_X86_64_RELATIVE && type != R_X86_64_GLOB_DAT) continue;
    const std::uintptr_t address = entry[i].r_offset + bias;
    // Entries for symbols that a version script or hidden visibility binds within a library are relative.
    // Nothing else outside of a library's image points into it, save the module's own description.
    const bool in_description = address - reinterpret_cast<std::uintptr_t>(&module) < sizeof module;
    const bool offset_entry = type == R_X86_64_GLOB_DAT ||
                              (type == R_X86_64_RELATIVE && module.is_executable == 0 && !in_description);
    slots.push_back({reinterpret_cast<std::uintptr_t*>(address), offset_entry});
  }
  if (tables.relr != 0) add_relr(tables, bias, slots);
  return slots;
}

}  // namespace mpisim::runtime
