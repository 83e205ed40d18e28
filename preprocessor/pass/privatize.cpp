#include "preprocessor/pass/privatize.hpp"

#include <set>
#include <string>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "preprocessor/object_note.hpp"
#include "preprocessor/pass/placement.hpp"
#include "runtime/target_abi.h"

namespace mpisim::preprocessor {
namespace {

constexpr unsigned gs_address_space = 256;  // LLVM's number of the address space that GS points to
constexpr unsigned most_pointers = 8;       // half of the processor's registers
constexpr const char* user_main = "__mpisim_user_main";

// Where a use of a value takes effect: uses by a phi at the end of the block that they come from.
llvm::Instruction* place_of(const llvm::Use& use) {
  auto* user = llvm::cast<llvm::Instruction>(use.getUser());
  if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) return phi->getIncomingBlock(use)->getTerminator();
  return user;
}

// Sets an operand; of a phi the same one for each edge from the same block.
void set_operand(llvm::Use& use, llvm::Value* value) {
  auto* phi = llvm::dyn_cast<llvm::PHINode>(use.getUser());
  if (!phi) return use.set(value);
  const llvm::Value* before = use.get();
  const llvm::BasicBlock* from = phi->getIncomingBlock(use);
  for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
    if (phi->getIncomingBlock(i) == from && phi->getIncomingValue(i) == before)
      phi->setIncomingValue(i, value);
}

bool is_null_comparison(const llvm::User* user) {
  return llvm::isa<llvm::ICmpInst>(user) && llvm::any_of(user->operands(), [](const llvm::Use& operand) {
           return llvm::isa<llvm::ConstantPointerNull>(operand);
         });
}

// Loads, stores and selections of elements: what can go through GS as a whole.
bool only_accesses(const llvm::Use& use) {
  const auto* user = use.getUser();
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) return !load->isAtomic();
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user))
    return !store->isAtomic() && use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex();
  const auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
  return element && use.getOperandNo() == 0 && !element->getType()->isVectorTy() &&
         llvm::all_of(element->uses(), only_accesses);
}

bool only_loads(const llvm::Use& use) {
  const auto* user = use.getUser();
  if (llvm::isa<llvm::LoadInst>(user)) return true;
  const auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
  return element && use.getOperandNo() == 0 && llvm::all_of(element->uses(), only_loads);
}

class Privatizer {
 public:
  Privatizer(llvm::Module& module, llvm::FunctionAnalysisManager& analyses)
      : module_(module),
        analyses_(analyses),
        placements_(module),
        int64_(llvm::Type::getInt64Ty(module.getContext())) {}

  void run(bool counted) {
    rename_main();
    rename_mpi();
    remove_thread_locality();
    define_accessors();
    llvm::SmallVector<llvm::Constant*> variables;
    for (llvm::GlobalVariable& variable : module_.globals())
      if (placements_.of(variable) != Placement::shared) variables.push_back(&variable);
    for (llvm::GlobalAlias& alias : module_.aliases())
      if (placements_.is_private(&alias)) variables.push_back(&alias);
    llvm::convertUsersOfConstantsToInstructions(variables);
    for (const llvm::Constant* variable : variables)
      for (const llvm::Use& use : variable->uses())
        if (const llvm::Loop* loop = loop_with_index(use)) arrays_in_[loop].insert(variable);
    std::set<std::string> externs;
    for (llvm::Constant* constant : variables) {
      auto& variable = *llvm::cast<llvm::GlobalValue>(constant);
      if (placements_.of(variable) == Placement::library) {
        call_accessor(variable);
        continue;
      }
      if (variable.isDeclaration() && !variable.hasExternalWeakLinkage() && !variable.use_empty() &&
          !variable.getName().starts_with("__mpisim_"))
        externs.insert(variable.getName().str());
      rewrite_uses(variable);
    }
    std::set<std::string> foreign;
    for (llvm::GlobalVariable& variable : module_.globals()) {
      place(variable);
      if (variable.isDeclaration() && !variable.use_empty() && placements_.is_foreign(variable))
        foreign.insert(variable.getName().str());
    }
    module_.appendModuleInlineAsm(object_note(is_for_shared_library(module_), counted, externs, foreign));
  }

 private:
  void rename_main() {
    if (llvm::Function* main = module_.getFunction("main")) main->setName(user_main);
  }

  // What mpi.h's labels do, where a program declares or defines MPI functions without it, as tests of
  // configure scripts do.
  void rename_mpi() {
    for (llvm::Function& function : llvm::make_early_inc_range(module_)) {
      const llvm::StringRef name = function.getName();
      if (function.hasLocalLinkage() || (!name.starts_with("MPI_") && !name.starts_with("PMPI_"))) continue;
      const std::string renamed = ("mpisim_" + name).str();
      llvm::Function* other = module_.getFunction(renamed);
      if (!other) {
        function.setName(renamed);
      } else if (function.isDeclaration()) {
        function.replaceAllUsesWith(other);
        function.eraseFromParent();
      }
    }
  }

  // A rank is one thread.
  void remove_thread_locality() {
    llvm::SmallVector<llvm::GlobalValue*> symbols(llvm::make_pointer_range(module_.globals()));
    for (llvm::GlobalAlias& alias : module_.aliases()) symbols.push_back(&alias);
    for (llvm::GlobalValue* symbol : symbols) {
      llvm::GlobalValue& variable = *symbol;
      if (!variable.isThreadLocal() || !placements_.is_private(&variable)) continue;
      for (llvm::User* user : llvm::make_early_inc_range(variable.users())) {
        auto* address = llvm::dyn_cast<llvm::IntrinsicInst>(user);
        if (!address || address->getIntrinsicID() != llvm::Intrinsic::threadlocal_address) continue;
        address->replaceAllUsesWith(&variable);
        address->eraseFromParent();
      }
      variable.setThreadLocal(false);
    }
  }

  // Where the program defines a variable of the C library, the library's other users get at it too.
  void define_accessors() {
    for (llvm::GlobalVariable& variable : module_.globals()) {
      const llvm::StringRef name = Placements::library_name(variable.getName());
      if (name.empty() || variable.isDeclaration() || variable.hasLocalLinkage()) continue;
      auto* accessor = llvm::Function::Create(
          llvm::FunctionType::get(llvm::PointerType::get(module_.getContext(), 0), false),
          llvm::GlobalValue::ExternalLinkage, "mpisim_libc_" + name, module_);
      llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module_.getContext(), "", accessor));
      builder.CreateRet(&variable);
    }
  }

  void call_accessor(llvm::GlobalValue& variable) {
    llvm::LLVMContext& context = module_.getContext();
    llvm::FunctionCallee accessor =
        module_.getOrInsertFunction(("mpisim_libc_" + Placements::library_name(variable.getName())).str(),
                                    llvm::PointerType::get(context, 0));
    for (llvm::Use& use : llvm::make_early_inc_range(variable.uses())) {
      auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (!user) continue;
      llvm::IRBuilder<> builder(place_of(use));
      llvm::CallInst* address = builder.CreateCall(accessor);
      address->setDoesNotThrow();
      address->setDoesNotAccessMemory();
      set_operand(use, address);
    }
  }

  void rewrite_uses(llvm::GlobalValue& variable) {
    llvm::SmallVector<llvm::Use*> uses;
    for (llvm::Use& use : variable.uses())
      if (llvm::isa<llvm::Instruction>(use.getUser())) uses.push_back(&use);
    const bool readable = placements_.readable_in_image(variable);
    pointers_.clear();
    for (llvm::Use* use : uses) {
      if (use->get() != &variable) continue;  // done with another operand of the same phi
      auto* user = llvm::cast<llvm::Instruction>(use->getUser());
      if (is_null_comparison(user)) continue;
      if (readable && only_loads(*use)) continue;
      if (only_accesses(*use) && !deserves_pointer(*use))
        through_segment(*use, segment_address(variable, place_of(*use)));
      else
        set_operand(*use, pointer(variable, *use));
    }
  }

  // An array that is indexed in a loop: a pointer that is made once in front of the loop costs a register, GS
  // a longer instruction and a longer way to the cache each time. Native code makes do without the register
  // by making the array's address anew, so a loop over many arrays goes through GS.
  bool deserves_pointer(const llvm::Use& use) {
    const llvm::Loop* loop = loop_with_index(use);
    return loop && arrays_in_[loop].size() <= most_pointers;
  }

  // The innermost loop in which a use selects a varying element of a variable; null for other uses.
  const llvm::Loop* loop_with_index(const llvm::Use& use) {
    const auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(use.getUser());
    return element && !element->hasAllConstantIndices() ? loop_of(*element) : nullptr;
  }

  const llvm::Loop* loop_of(const llvm::Instruction& instruction) {
    auto& function = const_cast<llvm::Function&>(*instruction.getFunction());
    if (function.hasOptNone()) return nullptr;
    return analyses_.getResult<llvm::LoopAnalysis>(function).getLoopFor(instruction.getParent());
  }

  // What addresses of the image are displaced by before GS or the rank's displacement: static and hidden
  // variables of shared libraries are not found through the global offset table, which the runtime displaces.
  llvm::Value* module_offset(const llvm::GlobalValue& variable, llvm::IRBuilder<>& builder) {
    const bool local = variable.hasLocalLinkage() || !variable.hasDefaultVisibility();
    if (!local || !is_for_shared_library(module_)) return nullptr;
    auto* offset =
        llvm::cast<llvm::GlobalVariable>(module_.getOrInsertGlobal("__mpisim_module_offset", int64_));
    offset->setVisibility(llvm::GlobalValue::HiddenVisibility);
    offset->setDSOLocal(true);
    return load_constant(offset, builder);
  }

  llvm::Value* load_constant(llvm::Value* address, llvm::IRBuilder<>& builder) {
    llvm::LoadInst* load = builder.CreateLoad(int64_, address);
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(module_.getContext(), {}));
    return load;
  }

  llvm::Value* segment_address(llvm::GlobalValue& variable, llvm::Instruction* before) {
    llvm::Type* segment = llvm::PointerType::get(module_.getContext(), gs_address_space);
    llvm::IRBuilder<> builder(before);
    if (llvm::Value* offset = module_offset(variable, builder))
      return builder.CreateIntToPtr(builder.CreateAdd(builder.CreatePtrToInt(&variable, int64_), offset),
                                    segment);
    return llvm::ConstantExpr::getAddrSpaceCast(&variable, segment);
  }

  // `address` instead of the variable, for a use that only_accesses.
  void through_segment(llvm::Use& use, llvm::Value* address) {
    auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(use.getUser());
    if (!element) return use.set(address);
    const llvm::SmallVector<llvm::Value*> indices(element->indices());
    auto* same = llvm::GetElementPtrInst::Create(element->getSourceElementType(), address, indices,
                                                 element->getName(), element->getIterator());
    same->setNoWrapFlags(element->getNoWrapFlags());
    same->setDebugLoc(element->getDebugLoc());
    for (llvm::Use& access : llvm::make_early_inc_range(element->uses())) through_segment(access, same);
    element->eraseFromParent();
  }

  // The address of the rank's copy. In front of the loops around a use by a load or store, where it is for
  // all uses; else where it is used, since it is made in two instructions.
  llvm::Value* pointer(llvm::GlobalValue& variable, const llvm::Use& use) {
    llvm::Instruction* before = place_of(use);
    const bool access = !llvm::isa<llvm::CallBase>(use.getUser());
    if (const llvm::Loop* loop = access ? loop_of(*before) : nullptr)
      if (llvm::BasicBlock* preheader = loop->getOutermostLoop()->getLoopPreheader())
        before = preheader->getTerminator();
    llvm::Instruction*& known = pointers_[before->getParent()];
    if (known && (known == before || known->comesBefore(before))) return known;
    llvm::IRBuilder<> builder(before);
    llvm::Value* address = builder.CreatePtrToInt(&variable, int64_);
    if (llvm::Value* offset = module_offset(variable, builder)) address = builder.CreateAdd(address, offset);
    llvm::Type* plain = llvm::PointerType::get(module_.getContext(), 0);
    auto* result = llvm::cast<llvm::Instruction>(
        builder.CreateIntToPtr(builder.CreateAdd(address, load_constant(delta(), builder)), plain));
    if (variable.hasExternalWeakLinkage())  // null for every rank if nobody defines it
      result = llvm::cast<llvm::Instruction>(builder.CreateSelect(
          builder.CreateIsNull(&variable), llvm::ConstantPointerNull::get(builder.getPtrTy()), result));
    known = result;
    return result;
  }

  llvm::GlobalVariable* delta() {
    if (llvm::GlobalVariable* known = module_.getGlobalVariable("__mpisim_delta")) return known;
    return new llvm::GlobalVariable(module_, int64_, true, llvm::GlobalValue::ExternalLinkage, nullptr,
                                    "__mpisim_delta", nullptr, llvm::GlobalValue::NotThreadLocal,
                                    gs_address_space);
  }

  void place(llvm::GlobalVariable& variable) {
    if (variable.isDeclaration() || !placements_.is_private(&variable)) return;
    check(variable, variable);
    if (variable.hasCommonLinkage()) variable.setLinkage(llvm::GlobalValue::WeakAnyLinkage);
    if (variable.hasPrivateLinkage()) variable.setLinkage(llvm::GlobalValue::InternalLinkage);
    variable.setConstant(false);
    variable.setAttributes({});  // sections that pragmas ask for
    const bool zero = variable.getInitializer()->isNullValue();
    variable.setSection(zero ? MPISIM_BSS_SECTION : MPISIM_DATA_SECTION);
    // What the code model reaches by 64-bit displacements: its section would hide how large it is.
    const llvm::TypeSize size = module_.getDataLayout().getTypeAllocSize(variable.getValueType());
    if (module_.getCodeModel() != llvm::CodeModel::Medium || variable.isThreadLocal() ||
        size <= module_.getLargeDataThreshold().value_or(65535))
      return;
    variable.setCodeModel(llvm::CodeModel::Large);
    variable.setSection(zero ? MPISIM_BSS_SECTION ".large" : MPISIM_DATA_SECTION ".large");
  }

  // Nothing may touch the image itself.
  void check(const llvm::Value& value, const llvm::GlobalVariable& variable) {
    for (const llvm::Use& use : value.uses()) {
      const auto* user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
      if (!user || llvm::isa<llvm::PtrToIntInst>(user) || is_null_comparison(user)) continue;
      if (placements_.readable_in_image(variable) && only_loads(use)) continue;
      module_.getContext().diagnose(llvm::DiagnosticInfoUnsupported(
          *user->getFunction(),
          "mpisim: access to variable '" + variable.getName() + "' bypasses the rank's copy",
          user->getDebugLoc()));
    }
  }

  llvm::Module& module_;
  llvm::FunctionAnalysisManager& analyses_;
  Placements placements_;
  llvm::Type* int64_;
  llvm::DenseMap<const llvm::Loop*, llvm::SmallPtrSet<const llvm::Constant*, 8>> arrays_in_;
  llvm::DenseMap<llvm::BasicBlock*, llvm::Instruction*>
      pointers_;  // of the variable at hand, one for each block
};

}  // namespace

bool is_for_shared_library(const llvm::Module& module) {
  return module.getPICLevel() != llvm::PICLevel::NotPIC && module.getPIELevel() == llvm::PIELevel::Default;
}

void privatize(llvm::Module& module, llvm::FunctionAnalysisManager& analyses, bool counted) {
  Privatizer(module, analyses).run(counted);
}

}  // namespace mpisim::preprocessor
