#include "preprocessor/object_scan.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <sstream>

#include "llvm/Object/Archive.h"
#include "llvm/Object/Binary.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "preprocessor/object_note.hpp"

namespace mpisim::preprocessor {
namespace {

namespace object = llvm::object;

constexpr const char* image_sections[] = {".mpisim_data", ".mpisim_bss"};

using ObjectAction =
    std::function<void(const object::ELFObjectFileBase&, const std::string& label, bool member)>;

template <typename T>
T value_or_default(llvm::Expected<T> value) {
  if (value) return std::move(*value);
  llvm::consumeError(value.takeError());
  return T{};
}

// Calls `action` for an object file, or for each member of an archive. Anything else is left to the linker.
void for_each_object(const std::string& path, const ObjectAction& action) {
  auto buffer = llvm::MemoryBuffer::getFile(path, false, false);
  if (!buffer) return;
  auto binary = object::createBinary((*buffer)->getMemBufferRef());
  if (!binary) {
    llvm::consumeError(binary.takeError());
    return;
  }
  if (auto* archive = llvm::dyn_cast<object::Archive>(binary->get())) {
    llvm::Error problem = llvm::Error::success();
    for (const object::Archive::Child& child : archive->children(problem)) {
      auto member = child.getAsBinary();
      if (!member) {
        llvm::consumeError(member.takeError());
        continue;
      }
      const std::string label = fmt::format("{}({})", path, value_or_default(child.getName()).str());
      if (auto* file = llvm::dyn_cast<object::ELFObjectFileBase>(member->get())) action(*file, label, true);
    }
    if (problem) llvm::consumeError(std::move(problem));
    return;
  }
  if (auto* file = llvm::dyn_cast<object::ELFObjectFileBase>(binary->get())) action(*file, path, false);
}

template <typename Symbols, typename Action>
void for_each_symbol(const Symbols& symbols, const Action& action) {
  for (const object::ELFSymbolRef& symbol : symbols) {
    const std::string name = value_or_default(symbol.getName()).str();
    if (!name.empty()) action(symbol, name.substr(0, name.find('@')), value_or_default(symbol.getFlags()));
  }
}

bool is_shared_library(const object::ELFObjectFileBase& file) {
  return file.getEType() == llvm::ELF::ET_DYN;
}

// One text for each object that went into this one (object_note.hpp).
void read_notes(llvm::StringRef section, ObjectFacts& facts) {
  llvm::SmallVector<llvm::StringRef> notes;
  section.split(notes, '\0', -1, false);
  facts.counted = true;
  for (const llvm::StringRef note : notes) {
    std::istringstream words(note.str());
    std::string name, code, counters;
    words >> name >> facts.interface_version >> code >> counters;
    facts.position_independent = facts.position_independent || code == "pic";
    facts.counted = facts.counted && counters == "counted";
    while (words >> name) {
      if (name[0] == foreign_mark)
        facts.foreign_externs.insert(name.substr(1));
      else
        facts.private_externs.insert(name);
    }
  }
  facts.ours = true;
}

ObjectFacts examine(const object::ELFObjectFileBase& file, const std::string& label, bool member) {
  ObjectFacts facts;
  facts.label = label;
  facts.archive_member = member;
  for (const object::ELFSectionRef section : file.sections()) {
    const llvm::StringRef name = value_or_default(section.getName());
    if (name == note_section) read_notes(value_or_default(section.getContents()), facts);
    facts.has_code =
        facts.has_code || ((section.getFlags() & llvm::ELF::SHF_EXECINSTR) && section.getSize() > 0);
    const bool writable =
        (section.getFlags() & llvm::ELF::SHF_WRITE) && (section.getFlags() & llvm::ELF::SHF_ALLOC);
    if (writable && section.getSize() > 0 && !name.contains(".mpisim") &&
        (name.starts_with(".data") || name.starts_with(".bss")) && !name.starts_with(".data.rel.ro"))
      facts.writable_data = true;
  }
  for_each_symbol(
      file.symbols(), [&](const object::ELFSymbolRef& symbol, const std::string& name, std::uint32_t flags) {
        if (!(flags & object::BasicSymbolRef::SF_Global)) return;
        if (!(flags & object::BasicSymbolRef::SF_Undefined)) {
          facts.defined.insert(name);
          if (name == "main") facts.weak_main = (flags & object::BasicSymbolRef::SF_Weak) != 0;
          if (symbol.getELFType() == llvm::ELF::STT_OBJECT)
            facts.variables[name] = {symbol.getSize(), (flags & object::BasicSymbolRef::SF_Weak) != 0};
        }
        if ((flags & object::BasicSymbolRef::SF_Undefined) && !(flags & object::BasicSymbolRef::SF_Weak))
          facts.undefined.insert(name);
        if (flags & object::BasicSymbolRef::SF_Common) facts.writable_data = true;
      });
  return facts;
}

// Files that -l options name in the directories of -L options.
std::vector<std::string> found_by_l(const CommandLine& line, const char* suffix) {
  std::vector<std::string> result;
  for (const LinkItem& item : line.link_items) {
    if (item.argument.rfind("-l", 0) != 0) continue;
    for (const std::string& directory : line.library_directories) {
      const std::string path = fmt::format("{}/lib{}{}", directory, item.argument.substr(2), suffix);
      if (!std::filesystem::exists(path)) continue;
      result.push_back(path);
      break;
    }
  }
  return result;
}

// Calls action(name, section) for the symbols of a linked file; section is empty for undefined ones.
void for_each_linked_symbol(const std::string& path,
                            const std::function<void(const std::string&, const std::string&)>& action) {
  for_each_object(path, [&](const object::ELFObjectFileBase& file, const std::string&, bool) {
    const auto visit = [&](const object::ELFSymbolRef& symbol, const std::string& name, std::uint32_t flags) {
      if (!(flags & object::BasicSymbolRef::SF_Global)) return;
      std::string section_name;
      if (!(flags & object::BasicSymbolRef::SF_Undefined)) {
        section_name = "?";
        auto section = symbol.getSection();
        if (section && *section != file.section_end())
          section_name = value_or_default((*section)->getName()).str();
        if (!section) llvm::consumeError(section.takeError());
      }
      action(name, section_name);
    };
    for_each_symbol(file.symbols(), visit);
    for_each_symbol(file.getDynamicSymbolIterators(), visit);
  });
}

bool in_image(const std::string& section) {
  return section == image_sections[0] || section == image_sections[1];
}

}  // namespace

std::set<std::string> exported_symbols(const std::string& shared_library) {
  std::set<std::string> result;
  for_each_object(shared_library, [&](const object::ELFObjectFileBase& file, const std::string&, bool) {
    for_each_symbol(file.getDynamicSymbolIterators(),
                    [&](const object::ELFSymbolRef&, const std::string& name, std::uint32_t flags) {
                      if (!(flags & object::BasicSymbolRef::SF_Undefined)) result.insert(name);
                    });
  });
  return result;
}

std::vector<ObjectFacts> scan_inputs(const std::vector<std::string>& objects, const CommandLine& line) {
  std::vector<ObjectFacts> result;
  const auto add = [&](const object::ELFObjectFileBase& file, const std::string& label, bool member) {
    if (!is_shared_library(file)) result.push_back(examine(file, label, member));
  };
  for (const std::string& path : objects) for_each_object(path, add);
  for (const std::string& path : found_by_l(line, ".a")) for_each_object(path, add);
  return result;
}

std::vector<ObjectFacts> linked_objects(std::vector<ObjectFacts> all, const std::set<std::string>& roots) {
  std::map<std::string, std::size_t> members;  // the first member that defines a name
  std::set<std::string> wanted(roots), defined;
  std::vector<bool> linked(all.size());
  const auto take = [&](std::size_t i) {
    linked[i] = true;
    defined.insert(all[i].defined.begin(), all[i].defined.end());
    wanted.insert(all[i].undefined.begin(), all[i].undefined.end());
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].archive_member) take(i);
    for (const std::string& name : all[i].defined)
      if (all[i].archive_member) members.emplace(name, i);
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::string& name : std::set<std::string>(wanted)) {
      const auto found = members.find(name);
      if (found == members.end() || linked[found->second] || defined.count(name)) continue;
      take(found->second);
      changed = true;
    }
  }
  std::vector<ObjectFacts> result;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (linked[i]) result.push_back(std::move(all[i]));
  return result;
}

std::set<std::string> outside_private_image(const std::string& linked, const std::set<std::string>& wanted) {
  std::set<std::string> result;
  for_each_linked_symbol(linked, [&](const std::string& name, const std::string& section) {
    if (!section.empty() && !in_image(section) && wanted.count(name)) result.insert(name);
  });
  return result;
}

std::set<std::string> left_to_libraries(const std::string& linked, const std::set<std::string>& wanted) {
  std::set<std::string> result;
  for_each_linked_symbol(linked, [&](const std::string& name, const std::string& section) {
    if (section.empty() && wanted.count(name)) result.insert(name);
  });
  return result;
}

std::set<std::string> private_exports(const std::string& shared_library) {
  std::set<std::string> result;
  for_each_linked_symbol(shared_library, [&](const std::string& name, const std::string& section) {
    if (in_image(section)) result.insert(name);
  });
  return result;
}

bool has_shared_variables(const std::string& shared_library) {
  bool found = false;
  for_each_object(shared_library, [&](const object::ELFObjectFileBase& file, const std::string&, bool) {
    // Every library has eight bytes of its compiler's in each.
    constexpr std::uint64_t of_the_compiler = 8;
    for (const object::ELFSectionRef section : file.sections()) {
      const llvm::StringRef name = value_or_default(section.getName());
      if (in_image(name.str())) {
        found = false;
        return;
      }
      found = found || ((name == ".data" || name == ".bss") && section.getSize() > of_the_compiler);
    }
    const auto visit = [&](const object::ELFSymbolRef& symbol, const std::string& name, std::uint32_t flags) {
      if ((flags & object::BasicSymbolRef::SF_Undefined) || symbol.getELFType() != llvm::ELF::STT_OBJECT)
        return;
      auto section = symbol.getSection();
      if (!section) return llvm::consumeError(section.takeError());
      if (*section == file.section_end()) return;
      const llvm::StringRef place = value_or_default((*section)->getName());
      const bool compilers =
          name == "__dso_handle" || name == "__TMC_END__" || name.rfind("completed.", 0) == 0;
      found = found || ((place == ".data" || place == ".bss") && !compilers);
    };
    for_each_symbol(file.symbols(), visit);
    for_each_symbol(file.getDynamicSymbolIterators(), visit);
  });
  return found;
}

std::vector<std::string> needed_libraries(const std::string& linked) {
  std::vector<std::string> result;
  for_each_object(linked, [&](const object::ELFObjectFileBase& file, const std::string&, bool) {
    const auto* elf = llvm::dyn_cast<object::ELF64LEObjectFile>(&file);
    if (!elf) return;
    std::uint64_t names = 0;
    const auto entries = value_or_default(elf->getELFFile().dynamicEntries());
    for (const auto& entry : entries)
      if (entry.d_tag == llvm::ELF::DT_STRTAB) names = entry.d_un.d_ptr;
    for (const auto& entry : entries) {
      if (entry.d_tag != llvm::ELF::DT_NEEDED) continue;
      if (auto name = elf->getELFFile().toMappedAddr(names + entry.d_un.d_val))
        result.emplace_back(reinterpret_cast<const char*>(*name));
      else
        llvm::consumeError(name.takeError());
    }
  });
  return result;
}

bool has_counters(const std::string& linked) {
  bool found = false;
  for_each_object(linked, [&](const object::ELFObjectFileBase& file, const std::string&, bool) {
    for (const object::ELFSectionRef section : file.sections())
      found = found || value_or_default(section.getName()) == "mpisim_twin";
  });
  return found;
}

std::vector<std::string> shared_libraries(const std::vector<std::string>& objects, const CommandLine& line) {
  std::vector<std::string> result;
  const auto add = [&](const std::string& path) {
    for_each_object(path, [&](const object::ELFObjectFileBase& file, const std::string&, bool) {
      if (is_shared_library(file)) result.push_back(path);
    });
  };
  for (const std::string& path : objects) add(path);
  for (const std::string& path : found_by_l(line, ".so")) add(path);
  return result;
}

}  // namespace mpisim::preprocessor
