#include "preprocessor/object_scan.hpp"

#include <fmt/format.h>

#include <functional>

#include "llvm/Object/Archive.h"
#include "llvm/Object/Binary.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mpisim::preprocessor {
namespace {

namespace object = llvm::object;

using ObjectAction = std::function<void(const object::ELFObjectFileBase&, const std::string& name)>;

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
      auto name = child.getName();
      const std::string label = fmt::format("{}({})", path, name ? name->str() : "?");
      if (!name) llvm::consumeError(name.takeError());
      if (auto* file = llvm::dyn_cast<object::ELFObjectFileBase>(member->get())) action(*file, label);
    }
    if (problem) llvm::consumeError(std::move(problem));
    return;
  }
  if (auto* file = llvm::dyn_cast<object::ELFObjectFileBase>(binary->get())) action(*file, path);
}

template <typename Symbols, typename Action>
void for_each_symbol(const Symbols& symbols, const Action& action) {
  for (const object::ELFSymbolRef& symbol : symbols) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (flags && name && !name->empty()) action(name->str(), *flags);
    if (!flags) llvm::consumeError(flags.takeError());
    if (!name) llvm::consumeError(name.takeError());
  }
}

}  // namespace

std::set<std::string> exported_symbols(const std::string& shared_library) {
  std::set<std::string> result;
  for_each_object(shared_library, [&](const object::ELFObjectFileBase& file, const std::string&) {
    for_each_symbol(file.getDynamicSymbolIterators(), [&](const std::string& name, std::uint32_t flags) {
      if (!(flags & object::BasicSymbolRef::SF_Undefined)) result.insert(name.substr(0, name.find('@')));
    });
  });
  return result;
}

std::vector<std::string> symbols_to_wrap(const std::string& runtime_library,
                                         const std::vector<std::string>& objects, const CommandLine& line) {
  std::set<std::string> defined;
  const auto note_definitions = [&](const object::ELFObjectFileBase& file, const std::string&) {
    for_each_symbol(file.symbols(), [&](const std::string& name, std::uint32_t flags) {
      if ((flags & object::BasicSymbolRef::SF_Global) && !(flags & object::BasicSymbolRef::SF_Undefined))
        defined.insert(name);
    });
  };
  for (const std::string& path : objects) for_each_object(path, note_definitions);
  for (const LinkItem& item : line.link_items)
    if (item.argument.rfind("-l", 0) == 0)
      for (const std::string& directory : line.library_directories)
        for_each_object(fmt::format("{}/lib{}.a", directory, item.argument.substr(2)), note_definitions);

  const std::set<std::string> exported = exported_symbols(runtime_library);
  std::vector<std::string> result;
  for (const char* name : {
#define X(name) #name,
#include "runtime/libc_wrapped_symbols.def"
#undef X
           ""})
    if (*name && exported.count(std::string("__wrap_") + name) && !defined.count(name))
      result.emplace_back(name);
  return result;
}

}  // namespace mpisim::preprocessor
