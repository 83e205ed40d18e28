#include "preprocessor/pass/counted_twin.hpp"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "preprocessor/pass/counters.hpp"

namespace mpisim::preprocessor {
namespace {

constexpr const char* counted_text_section = "mpisim_text";
constexpr const char* twin_section = "mpisim_twin";
constexpr const char* shared_attribute =
    "mpisim-shared";  // of variables that both kinds of function must share
constexpr const char* declared_attribute = "mpisim-declared";  // of functions that the program only declares
constexpr unsigned fewest_instructions = 6;  // of a function that surely has room for a jump

// What is said of the program is said when its plain functions are optimized.
class Silent : public llvm::DiagnosticHandler {
 public:
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    return info.getSeverity() != llvm::DS_Error;
  }
  bool isAnalysisRemarkEnabled(llvm::StringRef) const override { return false; }
  bool isMissedOptRemarkEnabled(llvm::StringRef) const override { return false; }
  bool isPassedOptRemarkEnabled(llvm::StringRef) const override { return false; }
  bool isAnyRemarkEnabled() const override { return false; }
};

// A definition of the original becomes a declaration of it.
void declare(llvm::GlobalVariable& variable) {
  variable.setInitializer(nullptr);
  variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
  variable.setComdat(nullptr);
  variable.setSection("");
  llvm::SmallVector<llvm::DIGlobalVariableExpression*> debug_info;
  variable.getDebugInfo(debug_info);
  variable.clearMetadata();
  for (llvm::DIGlobalVariableExpression* info : debug_info) variable.addDebugInfo(info);
}

// A declaration takes the place of a symbol that stays the original's.
void replace_symbol(llvm::GlobalValue& symbol, llvm::GlobalValue& declared) {
  declared.setVisibility(symbol.getVisibility());
  declared.setDSOLocal(symbol.isDSOLocal());
  declared.setThreadLocalMode(symbol.getThreadLocalMode());
  declared.takeName(&symbol);
  symbol.replaceAllUsesWith(&declared);
  symbol.eraseFromParent();
}

// An alias is what it stands for, unless another object may define it otherwise.
void replace_alias(llvm::GlobalAlias& alias) {
  constexpr auto weak = llvm::GlobalValue::ExternalWeakLinkage;  // may be equal to what it stands for
  if (!alias.isInterposable()) {
    alias.replaceAllUsesWith(alias.getAliasee());
    alias.eraseFromParent();
  } else if (auto* type = llvm::dyn_cast<llvm::FunctionType>(alias.getValueType())) {
    replace_symbol(alias, *llvm::Function::Create(type, weak, "", *alias.getParent()));
  } else {
    replace_symbol(
        alias, *new llvm::GlobalVariable(*alias.getParent(), alias.getValueType(), false, weak, nullptr, ""));
  }
}

// Assembly of which the optimizer knows nothing, at the start of a function.
void insert_assembly(llvm::Function& function, const char* text) {
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), false);
  builder.CreateCall(llvm::InlineAsm::get(type, text, "", true));
}

// The optimizer runs constructors whose effect it knows, and takes them away: those of one body, without the
// other's knowing.
void make_constructors_opaque(llvm::Module& module) {
  const llvm::GlobalVariable* list = module.getGlobalVariable("llvm.global_ctors");
  if (!list || !list->hasInitializer()) return;
  for (const llvm::Use& entry : list->getInitializer()->operands()) {
    auto* function = llvm::dyn_cast<llvm::Function>(llvm::cast<llvm::Constant>(entry)->getOperand(1));
    if (function && !function->isDeclaration()) insert_assembly(*function, "");
  }
}

// Calls `action` for the internal symbols that a constant refers to.
template <typename Action>
void for_each_internal(const llvm::Constant* value, const Action& action) {
  if (const auto* symbol = llvm::dyn_cast<llvm::GlobalValue>(value)) {
    if (symbol->hasLocalLinkage()) action(*symbol);
    return;
  }
  for (const llvm::Use& operand : value->operands())
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand)) for_each_internal(constant, action);
}

using Functions = llvm::SmallSetVector<llvm::Function*, 4>;

// Functions whose plain bodies run in either kind of run.
Functions uncounted_functions(llvm::Module& module) {
  Functions result;
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && !can_be_counted(function)) result.insert(&function);
  return result;
}

// Internal symbols that are reached by more than the unit's own counted functions: from initial values of
// external variables, from aliases and lists of what is used, and from functions that are not counted.
// Nothing may be concluded of them from the functions of one kind.
class Seen {
 public:
  Seen(llvm::Module& module, const Functions& uncounted) {
    for (llvm::GlobalVariable& variable : module.globals())
      if (variable.hasInitializer() && !variable.hasLocalLinkage()) visit(variable.getInitializer(), shared_);
    // The optimizer would give what an alias stands for the name of the alias.
    for (llvm::GlobalAlias& alias : module.aliases()) visit(alias.getAliasee(), from_plain_);
    for (llvm::Function* function : uncounted) {
      if (function->hasAvailableExternallyLinkage()) continue;
      if (function->hasLocalLinkage()) from_plain_.insert(function->getName());
      for (llvm::Instruction& instruction : llvm::instructions(*function))
        for (llvm::Use& operand : instruction.operands())
          if (auto* constant = llvm::dyn_cast<llvm::Constant>(operand)) visit(constant, from_plain_);
    }
  }

  void keep_plain(llvm::Module& module, const Functions& uncounted) const {
    for (const llvm::StringRef name : from_plain_.keys()) {
      llvm::GlobalValue* symbol = module.getNamedValue(name);
      if (auto* function = llvm::dyn_cast<llvm::Function>(symbol); function && uncounted.contains(function))
        function->addFnAttr(llvm::Attribute::NoInline);
      llvm::appendToCompilerUsed(module, {symbol});
    }
  }

  void keep_shared(llvm::Module& copy) const {
    for (const auto* names : {&shared_, &from_plain_})
      for (const llvm::StringRef name : names->keys()) {
        llvm::GlobalValue* symbol = copy.getNamedValue(name);
        if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(symbol))
          variable->addAttribute(shared_attribute);
        llvm::appendToCompilerUsed(copy, {symbol});
      }
  }

 private:
  static void visit(const llvm::Constant* value, llvm::StringSet<>& names) {
    for_each_internal(value, [&names](const llvm::GlobalValue& symbol) {
      if (!symbol.hasName() || !names.insert(symbol.getName()).second) return;
      const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&symbol);
      if (variable && variable->hasInitializer()) visit(variable->getInitializer(), names);
    });
  }

  llvm::StringSet<> shared_, from_plain_;
};

// LLVM copies tables of label addresses before the labels, and lets them point to those of the original.
void repair_label_addresses(llvm::Module& module, llvm::ValueToValueMapTy& copies) {
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      if (!block.hasAddressTaken()) continue;
      auto* function_copy = llvm::cast<llvm::Function>(copies[&function]);
      llvm::BlockAddress* mixed = llvm::BlockAddress::get(function_copy, &block);
      mixed->replaceAllUsesWith(
          llvm::BlockAddress::get(function_copy, llvm::cast<llvm::BasicBlock>(copies[&block])));
      mixed->destroyConstant();
    }
  }
}

// Constants of two modules that say the same, if equal names mean the same.
bool same(const llvm::Constant* a, const llvm::Constant* b) {
  if (a == b) return true;
  if (a->getValueID() != b->getValueID() || a->getType() != b->getType()) return false;
  if (llvm::isa<llvm::GlobalValue>(a)) return a->hasName() && a->getName() == b->getName();
  if (llvm::isa<llvm::BlockAddress>(a) || a->getNumOperands() != b->getNumOperands() ||
      a->getNumOperands() == 0)
    return false;
  if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(a)) {
    if (expression->getOpcode() != llvm::cast<llvm::ConstantExpr>(b)->getOpcode()) return false;
    const auto* element = llvm::dyn_cast<llvm::GEPOperator>(a);
    if (element &&
        element->getSourceElementType() != llvm::cast<llvm::GEPOperator>(b)->getSourceElementType())
      return false;
  }
  for (unsigned i = 0; i < a->getNumOperands(); ++i) {
    const auto *x = llvm::dyn_cast<llvm::Constant>(a->getOperand(i)),
               *y = llvm::dyn_cast<llvm::Constant>(b->getOperand(i));
    if (!x || !y || !same(x, y)) return false;
  }
  return true;
}

// While it lives, chosen internal symbols of the plain module can be linked to by their names.
class Exposed {
 public:
  ~Exposed() {
    for (const auto& [symbol, linkage] : symbols_) symbol->setLinkage(linkage);
  }
  void add(llvm::GlobalValue& symbol) {
    symbols_.emplace_back(&symbol, symbol.getLinkage());
    symbol.setLinkage(llvm::GlobalValue::ExternalLinkage);
  }

 private:
  llvm::SmallVector<std::pair<llvm::GlobalValue*, llvm::GlobalValue::LinkageTypes>> symbols_;
};

// Internal variables that both modules have left as they were: with other optimizations a variable may have
// been split, made smaller, or removed in one of them, which then has its own.
using Variables = llvm::SmallSetVector<llvm::GlobalVariable*, 32>;

Variables common_variables(llvm::Module& module, llvm::Module& copy) {
  Variables common;
  for (llvm::GlobalVariable& variable : copy.globals()) {
    if (!variable.hasLocalLinkage() || !variable.hasName() || !variable.hasInitializer()) continue;
    const llvm::GlobalVariable* other = module.getGlobalVariable(variable.getName(), true);
    if (other && other->hasLocalLinkage() && other->hasInitializer() &&
        other->getValueType() == variable.getValueType() && other->isConstant() == variable.isConstant() &&
        other->getSection() == variable.getSection() &&
        other->getThreadLocalMode() == variable.getThreadLocalMode() &&
        same(other->getInitializer(), variable.getInitializer()))
      common.insert(&variable);
  }
  // What refers to a variable that is not common is not common either.
  const auto refers_to_other = [&common](const llvm::GlobalVariable* variable) {
    bool result = false;
    for_each_internal(variable->getInitializer(), [&](const llvm::GlobalValue& used) {
      auto* symbol = llvm::dyn_cast<llvm::GlobalVariable>(const_cast<llvm::GlobalValue*>(&used));
      result = result || (symbol && !common.contains(symbol));
    });
    return result;
  };
  llvm::SmallVector<llvm::GlobalVariable*> others;
  do {
    others.clear();
    llvm::copy_if(common, std::back_inserter(others), refers_to_other);
    for (llvm::GlobalVariable* variable : others) common.remove(variable);
  } while (!others.empty());
  return common;
}

// Whether a function is called as it was before it was optimized.
bool same_interface(const llvm::Function& optimized, const llvm::Function& original) {
  return optimized.getFunctionType() == original.getFunctionType() &&
         optimized.getCallingConv() == original.getCallingConv();
}

// The jump to the twin must not reach into what lies behind a function of a byte or two.
void make_room_for_jump(llvm::Function& plain) {
  if (plain.getInstructionCount() < fewest_instructions) insert_assembly(plain, ".nops 5");
}

// One pair of the table: distances from the fields to the plain function and to its twin.
void add_pair(llvm::Module& module, llvm::Function& plain, llvm::Function& twin) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type *distance = llvm::Type::getInt32Ty(context), *address = llvm::Type::getInt64Ty(context);
  auto* type = llvm::StructType::get(distance, distance);
  auto* pair = new llvm::GlobalVariable(module, type, true, llvm::GlobalValue::InternalLinkage, nullptr,
                                        "__mpisim_pair");
  // A function that others can replace has a name of our own besides.
  llvm::Constant* begin = &plain;
  if (!plain.hasLocalLinkage())
    begin = llvm::GlobalAlias::create(plain.getValueType(), 0, llvm::GlobalValue::PrivateLinkage,
                                      "__mpisim_plain", &plain, &module);
  const auto from_field = [&](llvm::Constant* target, unsigned field) {
    llvm::Constant* place =
        llvm::ConstantExpr::getAdd(llvm::ConstantExpr::getPtrToInt(pair, address),
                                   llvm::ConstantInt::get(address, field * sizeof(std::int32_t)));
    return llvm::ConstantExpr::getTrunc(
        llvm::ConstantExpr::getSub(llvm::ConstantExpr::getPtrToInt(target, address), place), distance);
  };
  pair->setInitializer(llvm::ConstantStruct::get(type, {from_field(begin, 0), from_field(&twin, 1)}));
  pair->setSection(twin_section);
  pair->setAlignment(llvm::Align(4));
  if (plain.hasComdat()) {
    pair->setComdat(plain.getComdat());
    twin.setComdat(plain.getComdat());
  }
  llvm::appendToCompilerUsed(module, {pair});
  make_room_for_jump(plain);
}

}  // namespace

std::unique_ptr<llvm::Module> make_counted_copy(llvm::Module& module) {
  make_constructors_opaque(module);
  const Functions uncounted = uncounted_functions(module);
  const Seen seen(module, uncounted);
  seen.keep_plain(module, uncounted);
  llvm::ValueToValueMapTy copies;
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module, copies);
  repair_label_addresses(module, copies);
  seen.keep_shared(*copy);
  copy->setModuleInlineAsm("");
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(copy->aliases())) replace_alias(alias);
  for (llvm::GlobalIFunc& function : llvm::make_early_inc_range(copy->ifuncs())) {
    auto* type = llvm::cast<llvm::FunctionType>(function.getValueType());
    replace_symbol(function, *llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "", *copy));
  }
  for (const llvm::Function* plain : uncounted) {
    auto* function = llvm::cast<llvm::Function>(copies[plain]);
    function->deleteBody();
    function->setLinkage(llvm::GlobalValue::ExternalLinkage);
    function->setComdat(nullptr);
  }
  for (llvm::Function& function : *copy)
    if (function.isDeclaration() && !function.isIntrinsic()) function.addFnAttr(declared_attribute);
  insert_counters(*copy);
  for (const char* name : {"llvm.global_ctors", "llvm.global_dtors", "llvm.used", "llvm.global.annotations"})
    if (llvm::GlobalVariable* list = copy->getGlobalVariable(name)) list->eraseFromParent();
  for (llvm::GlobalVariable& variable : copy->globals())
    if (!variable.isDeclaration() && !variable.hasLocalLinkage() && !variable.hasAppendingLinkage()) {
      // A constant's value helps the optimizer.
      if (variable.isConstant() && variable.hasDefinitiveInitializer()) {
        variable.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
        variable.setComdat(nullptr);
      } else {
        declare(variable);
      }
    }
  return copy;
}

void optimize_counted_copy(llvm::Module& copy, bool optimize) {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(copy.getTargetTriple(), error);
  if (!target) return copy.getContext().emitError("mpisim: " + error);
  // What processor it is for stands in the functions' attributes.
  const std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(copy.getTargetTriple(), "", "", llvm::TargetOptions(), llvm::Reloc::PIC_));
  llvm::LLVMContext& context = copy.getContext();
  std::unique_ptr<llvm::DiagnosticHandler> handler = context.getDiagnosticHandler();
  context.setDiagnosticHandler(std::make_unique<Silent>());
  {
    llvm::PipelineTuningOptions tuning;
    tuning.LoopUnrolling = false;
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(machine.get(), tuning);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    llvm::ModulePassManager passes = optimize
                                         ? builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O1)
                                         : builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0);
    passes.run(copy, modules);
  }
  context.setDiagnosticHandler(std::move(handler));
}

void add_counted_copy(llvm::Module& module, std::unique_ptr<llvm::Module> copy) {
  Exposed exposed;
  // Where a variable lies is told to the debugger in the twins' compilation unit too.
  const auto share_debug_info = [&](llvm::GlobalVariable& variable) {
    llvm::GlobalVariable* plain = module.getGlobalVariable(variable.getName(), true);
    llvm::SmallVector<llvm::DIGlobalVariableExpression*> debug_info;
    variable.getDebugInfo(debug_info);
    if (plain && !plain->isDeclaration())
      for (llvm::DIGlobalVariableExpression* info : debug_info) plain->addDebugInfo(info);
    variable.clearMetadata();
  };
  for (llvm::GlobalVariable& variable : copy->globals())
    if (variable.isDeclaration() || variable.hasAvailableExternallyLinkage()) share_debug_info(variable);
  for (llvm::GlobalVariable* variable : common_variables(module, *copy)) {
    llvm::GlobalVariable* plain = module.getGlobalVariable(variable->getName(), true);
    plain->setAlignment(std::max(plain->getAlign().valueOrOne(), variable->getAlign().valueOrOne()));
    exposed.add(*plain);
    declare(*variable);
    share_debug_info(*variable);
  }
  for (const llvm::GlobalVariable& variable : copy->globals())
    if (variable.hasLocalLinkage() && variable.hasAttribute(shared_attribute) && !variable.isConstant())
      module.getContext().emitError("mpisim: variable '" + variable.getName() +
                                    "' cannot be shared by functions with counters and without; -fno-counted "
                                    "leaves the counters out");
  // The address of a function that the plain module has no more as it was is that of its twin.
  for (llvm::Function& function : llvm::make_early_inc_range(*copy)) {
    if (!function.isDeclaration()) {
      function.setSection(counted_text_section);
      continue;
    }
    if (function.isIntrinsic()) continue;
    llvm::Function* plain = module.getFunction(function.getName());
    llvm::Function* twin = copy->getFunction((function.getName() + counted_suffix).str());
    if (twin && !(plain && same_interface(*plain, function))) {
      function.replaceAllUsesWith(twin);
      function.eraseFromParent();
    } else if (plain && plain->hasLocalLinkage()) {
      exposed.add(*plain);
    } else if (function.hasFnAttribute(declared_attribute) && (!plain || plain->use_empty())) {
      // Calls that the program's own optimization has found never to happen need nothing to call.
      function.setLinkage(llvm::GlobalValue::ExternalWeakLinkage);
    }
  }
  llvm::SmallVector<std::string> twins;
  for (const llvm::Function& function : *copy)
    if (!function.isDeclaration() && function.getName().ends_with(counted_suffix))
      twins.push_back(function.getName().str());
  if (llvm::Linker::linkModules(module, std::move(copy)))
    return module.getContext().emitError("mpisim: the functions with counters do not fit to the plain ones");
  for (const std::string& name : twins) {
    llvm::Function* twin = module.getFunction(name);
    llvm::Function* plain =
        module.getFunction(llvm::StringRef(name).drop_back(llvm::StringRef(counted_suffix).size()));
    if (twin && plain && !plain->isDeclaration() && !plain->hasAvailableExternallyLinkage() &&
        same_interface(*plain, *twin))
      add_pair(module, *plain, *twin);
  }
}

}  // namespace mpisim::preprocessor
