#include "runtime/imports.hpp"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace mpisim::runtime {

namespace {

struct Search {
  const char* symbol;
  std::uintptr_t own_address;
  bool found = false;
};

// The loader has relocated these entries of the dynamic section, except in the vDSO.
std::uintptr_t absolute(const dl_phdr_info& module, std::uintptr_t value) {
  return value < module.dlpi_addr ? value + module.dlpi_addr : value;
}

bool contains(const dl_phdr_info& module, std::uintptr_t address) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& segment = module.dlpi_phdr[i];
    const std::uintptr_t begin = module.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address < begin + segment.p_memsz) return true;
  }
  return false;
}

int visit(dl_phdr_info* module, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  if (contains(*module, search.own_address)) return 0;
  const ElfW(Sym)* symbols = nullptr;
  const char* strings = nullptr;
  const std::uint32_t* gnu_hash = nullptr;
  for (int i = 0; i < module->dlpi_phnum; ++i) {
    if (module->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(module->dlpi_addr + module->dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const std::uintptr_t value = absolute(*module, entry->d_un.d_ptr);
      if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(value);
      if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(value);
      if (entry->d_tag == DT_GNU_HASH) gnu_hash = reinterpret_cast<const std::uint32_t*>(value);
    }
  }
  if (symbols == nullptr || strings == nullptr || gnu_hash == nullptr) return 0;
  // Imports stand before the first symbol that the hash table covers; a module without exports has an empty
  // table, and then the strings, which linkers put behind the symbols, tell where these end.
  std::uintptr_t imports = gnu_hash[1];
  if (imports <= 1 && reinterpret_cast<const char*>(symbols) < strings) {
    imports = static_cast<std::uintptr_t>(strings - reinterpret_cast<const char*>(symbols)) / sizeof *symbols;
  }
  for (std::uintptr_t i = 1; i < imports; ++i) {
    if (symbols[i].st_shndx == SHN_UNDEF && std::strcmp(strings + symbols[i].st_name, search.symbol) == 0) {
      search.found = true;
      return 1;
    }
  }
  return 0;
}

}  // namespace

bool program_imports(const char* symbol) {
  Search search{symbol, reinterpret_cast<std::uintptr_t>(&program_imports)};
  dl_iterate_phdr(visit, &search);
  return search.found;
}

}  // namespace mpisim::runtime
