// A plugin of clang's optimizer that makes private variables behave as in the native program:
//  - an initial value is not folded into code: addresses in it are relocated for each rank;
//  - accesses through GS know the alignment of the variable that they go to;
//  - block copies and fills through GS, which the code generator can only expand when they are small, become
//    copies through ordinary pointers.
// Refuses to go on where a private variable is reached in any other way than the preprocessor wrote.
#include <algorithm>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "runtime/target_abi.h"

namespace {

constexpr unsigned gs_address_space = 256;  // LLVM's number of the address space that GS points to
constexpr std::uint64_t largest_inline_copy = 128;

bool is_private(const llvm::GlobalVariable& variable) {
  return variable.getSection().starts_with(MPISIM_DATA_SECTION) ||
         variable.getSection().starts_with(MPISIM_BSS_SECTION);
}

// First in the pipeline: the values that a private variable starts with are those of a rank's copy.
struct HideInitialValues : llvm::PassInfoMixin<HideInitialValues> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    llvm::SmallVector<llvm::GlobalValue*> internal;
    for (llvm::GlobalVariable& variable : module.globals()) {
      if (!variable.hasInitializer() || !is_private(variable)) continue;
      variable.setExternallyInitialized(true);
      if (variable.hasLocalLinkage()) internal.push_back(&variable);
    }
    // Else the optimizer splits internal variables, or makes them local ones, without regard to address
    // spaces.
    if (!internal.empty()) llvm::appendToCompilerUsed(module, internal);
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

// What is known of an address in the segment: that of a variable, plus constants, plus multiples of powers of
// two.
llvm::Align known_alignment(llvm::Value* pointer, const llvm::DataLayout& layout) {
  llvm::APInt constant(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
  unsigned zeros = 12;  // no variable of ours is aligned beyond a page
  while (true) {
    if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(pointer)) {
      pointer = cast->getPointerOperand();
    } else if (auto* element = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      llvm::MapVector<llvm::Value*, llvm::APInt> variable_parts;
      if (!element->collectOffset(layout, constant.getBitWidth(), variable_parts, constant))
        return llvm::Align(1);
      for (const auto& [index, scale] : variable_parts) {
        const llvm::KnownBits bits = llvm::computeKnownBits(index, layout);
        zeros = std::min(zeros, bits.countMinTrailingZeros() + scale.countr_zero());
      }
      pointer = element->getPointerOperand();
    } else {
      break;
    }
  }
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(pointer);
  if (!variable) return llvm::Align(1);
  if (!constant.isZero()) zeros = std::min(zeros, constant.countr_zero());
  return std::min(variable->getPointerAlignment(layout), llvm::Align(1ULL << zeros));
}

class SegmentAccesses : public llvm::PassInfoMixin<SegmentAccesses> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    bool changed = false;
    for (llvm::Function& function : module)
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function)))
        changed |= handle(instruction, module);
    for (llvm::GlobalVariable& variable : module.globals())
      if (is_private(variable)) check_uses(variable, variable);
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

 private:
  // Address arithmetic ends in a cast to the segment or to an integer that is displaced; comparisons with
  // null do no harm. Anything else would touch the image itself.
  static void check_uses(const llvm::Value& value, const llvm::GlobalVariable& variable) {
    for (const llvm::User* user : value.users()) {
      const unsigned operation = llvm::Operator::getOpcode(user);
      if (operation == llvm::Instruction::AddrSpaceCast || operation == llvm::Instruction::PtrToInt ||
          operation == llvm::Instruction::ICmp)
        continue;
      if (operation == llvm::Instruction::GetElementPtr)
        check_uses(*user, variable);
      else if (llvm::isa<llvm::Instruction>(user))
        llvm::report_fatal_error(
            "mpisim: access to private variable '" + variable.getName() + "' bypasses the rank's copy",
            false);
    }
  }

  static bool handle(llvm::Instruction& instruction, llvm::Module& module) {
    if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(&instruction))
      if (llvm::isa<llvm::AllocaInst>(cast->getPointerOperand()->stripPointerCasts()))
        llvm::report_fatal_error("mpisim: a private variable became a local one", false);
    const llvm::DataLayout& layout = module.getDataLayout();
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      if (load->getPointerAddressSpace() != gs_address_space) return false;
      load->setAlignment(std::max(load->getAlign(), known_alignment(load->getPointerOperand(), layout)));
      return true;
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      if (store->getPointerAddressSpace() != gs_address_space) return false;
      store->setAlignment(std::max(store->getAlign(), known_alignment(store->getPointerOperand(), layout)));
      return true;
    }
    if (auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction))
      return use_ordinary_pointers(*block, module);
    return false;
  }

  static bool use_ordinary_pointers(llvm::MemIntrinsic& block, llvm::Module& module) {
    auto* transfer = llvm::dyn_cast<llvm::MemTransferInst>(&block);
    const bool to = block.getDestAddressSpace() == gs_address_space;
    const bool from = transfer && transfer->getSourceAddressSpace() == gs_address_space;
    if (!to && !from) return false;
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(block.getLength());
    if (length && length->getZExtValue() <= largest_inline_copy) return false;
    llvm::IRBuilder<> builder(&block);
    const auto displace = [&](llvm::Value* pointer) -> llvm::Value* {
      if (pointer->getType()->getPointerAddressSpace() != gs_address_space) return pointer;
      llvm::Type* integer = builder.getInt64Ty();
      llvm::Constant* delta = module.getOrInsertGlobal("__mpisim_delta", integer, [&] {
        return new llvm::GlobalVariable(module, integer, true, llvm::GlobalValue::ExternalLinkage, nullptr,
                                        "__mpisim_delta", nullptr, llvm::GlobalValue::NotThreadLocal,
                                        gs_address_space);
      });
      llvm::Value* address =
          builder.CreateAdd(builder.CreatePtrToInt(pointer, integer), builder.CreateLoad(integer, delta));
      return builder.CreateIntToPtr(address, builder.getPtrTy());
    };
    llvm::Value* destination = displace(block.getRawDest());
    llvm::CallInst* replacement = nullptr;
    if (transfer) {
      llvm::Value* source = displace(transfer->getRawSource());
      replacement =
          llvm::isa<llvm::MemMoveInst>(transfer)
              ? builder.CreateMemMove(destination, block.getDestAlign(), source, transfer->getSourceAlign(),
                                      block.getLength(), block.isVolatile())
              : builder.CreateMemCpy(destination, block.getDestAlign(), source, transfer->getSourceAlign(),
                                     block.getLength(), block.isVolatile());
    } else {
      replacement = builder.CreateMemSet(destination, llvm::cast<llvm::MemSetInst>(block).getValue(),
                                         block.getLength(), block.getDestAlign(), block.isVolatile());
    }
    replacement->setDebugLoc(block.getDebugLoc());
    block.eraseFromParent();
    return true;
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {
  return {
      LLVM_PLUGIN_API_VERSION, "mpisim-segment-memory", "1", [](llvm::PassBuilder& builder) {
        builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
          passes.addPass(HideInitialValues());
        });
        builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager& passes, llvm::OptimizationLevel) {
          passes.addPass(SegmentAccesses());
        });
      }};
}
