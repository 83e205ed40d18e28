#include "preprocessor/pass/counted_twin.hpp"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IRBuilder.h"
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

// An alias stays the original's. It is what it stands for, unless another object may define it otherwise.
void replace_alias(llvm::GlobalAlias& alias) {
  if (!alias.isInterposable()) {
    alias.replaceAllUsesWith(alias.getAliasee());
  } else {
    llvm::GlobalValue* declared = nullptr;
    constexpr auto weak = llvm::GlobalValue::ExternalWeakLinkage;  // may be equal to what it stands for
    if (auto* type = llvm::dyn_cast<llvm::FunctionType>(alias.getValueType()))
      declared = llvm::Function::Create(type, weak, "", *alias.getParent());
    else
      declared = new llvm::GlobalVariable(*alias.getParent(), alias.getValueType(), false, weak, nullptr, "");
    declared->setVisibility(alias.getVisibility());
    declared->setDSOLocal(alias.isDSOLocal());
    declared->takeName(&alias);
    alias.replaceAllUsesWith(declared);
  }
  alias.eraseFromParent();
}

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

// Calls `action` for the internal variables that a constant refers to.
template <typename Action>
void for_each_internal(const llvm::Constant* value, const Action& action) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) {
    if (variable->hasLocalLinkage()) action(variable);
    return;
  }
  if (llvm::isa<llvm::GlobalValue>(value)) return;
  for (const llvm::Use& operand : value->operands())
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(operand)) for_each_internal(constant, action);
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
llvm::SmallVector<llvm::GlobalVariable*> common_variables(llvm::Module& module, llvm::Module& copy) {
  llvm::DenseMap<const llvm::GlobalVariable*, llvm::GlobalVariable*> common;
  for (llvm::GlobalVariable& variable : copy.globals()) {
    if (!variable.hasLocalLinkage() || !variable.hasName() || !variable.hasInitializer()) continue;
    llvm::GlobalVariable* other = module.getGlobalVariable(variable.getName(), true);
    if (other && other->hasLocalLinkage() && other->hasInitializer() &&
        other->getValueType() == variable.getValueType() && other->isConstant() == variable.isConstant() &&
        other->getAlign() == variable.getAlign() && other->getSection() == variable.getSection() &&
        other->getThreadLocalMode() == variable.getThreadLocalMode() &&
        same(other->getInitializer(), variable.getInitializer()))
      common[&variable] = other;
  }
  // What refers to a variable that is not common is not common either.
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::GlobalVariable& variable : copy.globals()) {
      if (!common.contains(&variable)) continue;
      bool fits = true;
      for_each_internal(variable.getInitializer(),
                        [&](const llvm::GlobalVariable* used) { fits = fits && common.contains(used); });
      if (!fits) changed = common.erase(&variable) || changed;
    }
  }
  llvm::SmallVector<llvm::GlobalVariable*> result;
  for (llvm::GlobalVariable& variable : copy.globals())
    if (common.contains(&variable)) result.push_back(&variable);
  return result;
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
    begin = llvm::GlobalAlias::create(plain.getValueType(), 0, llvm::GlobalValue::InternalLinkage,
                                      "__mpisim_plain", &plain, &module);
  const auto from_field = [&](llvm::Constant* target, unsigned field) {
    llvm::Constant* index[] = {llvm::ConstantInt::get(distance, 0), llvm::ConstantInt::get(distance, field)};
    llvm::Constant* place =
        llvm::ConstantExpr::getInBoundsGetElementPtr(type, pair, llvm::ArrayRef<llvm::Constant*>(index));
    return llvm::ConstantExpr::getTrunc(
        llvm::ConstantExpr::getSub(llvm::ConstantExpr::getPtrToInt(target, address),
                                   llvm::ConstantExpr::getPtrToInt(place, address)),
        distance);
  };
  pair->setInitializer(llvm::ConstantStruct::get(type, {from_field(begin, 0), from_field(&twin, 1)}));
  pair->setSection(twin_section);
  pair->setAlignment(llvm::Align(4));
  if (plain.hasComdat()) {
    pair->setComdat(plain.getComdat());
    twin.setComdat(plain.getComdat());
  }
  llvm::appendToCompilerUsed(module, {pair});
  // Room for the jump.
  if (plain.getAlign().valueOrOne() < llvm::Align(16)) plain.setAlignment(llvm::Align(16));
}

}  // namespace

std::unique_ptr<llvm::Module> make_counted_copy(llvm::Module& module) {
  llvm::ValueToValueMapTy copies;
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module, copies);
  repair_label_addresses(module, copies);
  copy->setModuleInlineAsm("");
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
        function.hasLocalLinkage() && !can_be_counted(function)) {
      function.addFnAttr(llvm::Attribute::NoInline);
      llvm::appendToCompilerUsed(module, {&function});
    }
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(copy->aliases())) replace_alias(alias);
  for (llvm::Function& function : *copy) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage() || can_be_counted(function))
      continue;
    function.deleteBody();
    function.setComdat(nullptr);
  }
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
    exposed.add(*module.getGlobalVariable(variable->getName(), true));
    declare(*variable);
    share_debug_info(*variable);
  }
  // The address of a function that the plain module has no more as it was is that of its twin.
  for (llvm::Function& function : llvm::make_early_inc_range(*copy)) {
    if (!function.isDeclaration() || function.isIntrinsic()) {
      if (!function.isDeclaration()) function.setSection(counted_text_section);
      continue;
    }
    llvm::Function* plain = module.getFunction(function.getName());
    llvm::Function* twin = copy->getFunction((function.getName() + counted_suffix).str());
    if (!plain && twin) {
      function.replaceAllUsesWith(twin);
      function.eraseFromParent();
    } else if (plain && plain->hasLocalLinkage()) {
      exposed.add(*plain);
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
    if (twin && plain && !plain->isDeclaration() && !plain->hasAvailableExternallyLinkage())
      add_pair(module, *plain, *twin);
  }
}

}  // namespace mpisim::preprocessor
