#include "preprocessor/pass/placement.hpp"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "preprocessor/pass/unit_facts.hpp"

namespace mpisim::preprocessor {
namespace {

// Symbols that the linker, the C start code or the compiler's library defines.
bool is_linker_symbol(llvm::StringRef name) {
  return name.starts_with("__start_") || name.starts_with("__stop_") ||
         llvm::StringSwitch<bool>(name)
             .Cases("end", "_end", "edata", "_edata", "etext", "_etext", true)
             .Cases("__bss_start", "__data_start", "data_start", "__executable_start", true)
             .Cases("__cpu_model", "__cpu_features2", true)  // of the compiler's own library
             .Cases("__dso_handle", "_DYNAMIC", "__ehdr_start", "_GLOBAL_OFFSET_TABLE_", true)
             .Default(false);
}

// What compilers put into a module for themselves, and what this one does.
bool belongs_to_compiler(const llvm::GlobalVariable& variable) {
  return variable.getName().starts_with("llvm.") || variable.getName().starts_with("__mpisim_p") ||
         variable.getName().starts_with("__mpisim_module") || variable.getSection() == "llvm.metadata" ||
         variable.getSection().starts_with("mpisim_") || variable.getAddressSpace() != 0;
}

}  // namespace

UnitFacts& unit_facts() {
  static UnitFacts facts;
  return facts;
}

llvm::StringRef Placements::library_name(llvm::StringRef variable) {
  return llvm::StringSwitch<llvm::StringRef>(variable)
#define X(name, type) .Case(#name, #name)
#define X2(alias, name) .Case(#alias, #name)
#include "runtime/libc_variables.def"
#undef X
      .Default("");
}

Placements::Placements(const llvm::Module& module) {
  llvm::SmallVector<const llvm::GlobalVariable*> constants;
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (belongs_to_compiler(variable)) continue;
    if (variable.isDeclaration()) {
      if (!library_name(variable.getName()).empty())
        library_.insert(&variable);
      else if (!is_foreign(variable))
        private_.insert(&variable);
    } else if (variable.isConstant() && variable.hasLocalLinkage()) {
      constants.push_back(&variable);
    } else {
      private_.insert(&variable);
    }
  }
  const auto add_aliases = [&] {
    for (const llvm::GlobalAlias& alias : module.aliases())
      if (private_.contains(alias.getAliaseeObject())) private_.insert(&alias);
  };
  add_aliases();
  // A constant that holds the address of a private constant is private too.
  for (bool changed = true; changed;) {
    changed = false;
    for (const llvm::GlobalVariable*& constant : constants) {
      if (!constant || !holds_private_address(constant->getInitializer())) continue;
      private_.insert(constant);
      constant = nullptr;
      changed = true;
    }
    add_aliases();
  }
}

bool Placements::is_foreign(const llvm::GlobalVariable& variable) {
  return is_linker_symbol(variable.getName()) || unit_facts().foreign.count(variable.getName().str()) > 0;
}

bool Placements::holds_private_address(const llvm::Constant* value) const {
  if (llvm::isa<llvm::GlobalValue>(value)) return private_.contains(value);
  return llvm::any_of(value->operands(), [this](const llvm::Use& operand) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(operand);
    return constant && holds_private_address(constant);
  });
}

Placement Placements::of(const llvm::GlobalValue& variable) const {
  if (private_.contains(&variable)) return Placement::per_rank;
  return library_.contains(&variable) ? Placement::library : Placement::shared;
}

bool Placements::readable_in_image(const llvm::GlobalValue& value) const {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
  return variable && variable->isConstant() && variable->hasDefinitiveInitializer() &&
         !holds_private_address(variable->getInitializer());
}

}  // namespace mpisim::preprocessor
