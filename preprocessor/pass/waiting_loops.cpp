#include "preprocessor/pass/waiting_loops.hpp"

#include <optional>

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace mpisim::preprocessor {
namespace {

// The argument of a poll through which it tells whether, or how often, it has succeeded; zero: in vain.
std::optional<unsigned> outcome_argument(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !callee->isDeclaration()) return std::nullopt;
  llvm::StringRef name = callee->getName();
  name.consume_front("mpisim_");
  name.consume_front("P");
  const int argument = llvm::StringSwitch<int>(name)
                           .Cases("MPI_Test", "MPI_Request_get_status", 1)
                           .Cases("MPI_Testall", "MPI_Testsome", 2)
                           .Cases("MPI_Testany", "MPI_Iprobe", "MPI_Improbe", 3)
                           .Default(-1);
  if (argument < 0 || static_cast<unsigned>(argument) >= call->arg_size()) return std::nullopt;
  return static_cast<unsigned>(argument);
}

// One loop with polls, as it goes while all of them are in vain.
class PollingLoop {
 public:
  PollingLoop(const llvm::Loop& loop, const llvm::DataLayout& layout) : loop_(loop), layout_(layout) {
    for (llvm::BasicBlock* block : loop.blocks())
      for (llvm::Instruction& instruction : *block)
        if (const auto argument = outcome_argument(instruction))
          outcomes_.insert(
              llvm::cast<llvm::CallBase>(instruction).getArgOperand(*argument)->stripPointerCasts());
  }

  bool waits() {
    find_reached();
    for (const llvm::BasicBlock* block : reached_) {
      for (const llvm::Instruction& instruction : *block)
        if (acts(instruction)) return false;
      if (const llvm::Value* condition = condition_of(*block->getTerminator());
          condition && !folded(condition) && !stays(condition))
        return false;
    }
    return true;
  }

 private:
  static const llvm::Value* condition_of(const llvm::Instruction& end) {
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end))
      return branch->isConditional() ? branch->getCondition() : nullptr;
    if (const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(&end)) return choice->getCondition();
    return nullptr;
  }

  // Blocks of the loop on paths from its header.
  void find_reached() {
    reached_.insert(loop_.getHeader());
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const llvm::Instruction& end = *reached_[i]->getTerminator();
      const llvm::Value* condition = condition_of(end);
      const llvm::Constant* value = condition ? folded(condition) : nullptr;
      const llvm::BasicBlock* only = nullptr;
      if (const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(value)) {
        if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end))
          only = branch->getSuccessor(number->isZero() ? 1 : 0);
        else
          only = llvm::cast<llvm::SwitchInst>(end).findCaseValue(number)->getCaseSuccessor();
      }
      for (const llvm::BasicBlock* next : llvm::successors(reached_[i]))
        if (loop_.contains(next) && (!only || next == only)) reached_.insert(next);
    }
  }

  // What a value is while polls are in vain; null if that is not known.
  const llvm::Constant* folded(const llvm::Value* value) {
    if (const auto* constant = llvm::dyn_cast<llvm::Constant>(value)) return constant;
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !loop_.contains(instruction)) return nullptr;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction))
      return load->getType()->isIntegerTy() &&
                     outcomes_.contains(load->getPointerOperand()->stripPointerCasts())
                 ? llvm::Constant::getNullValue(load->getType())
                 : nullptr;
    if (llvm::isa<llvm::PHINode>(instruction) || instruction->mayReadOrWriteMemory()) return nullptr;
    llvm::SmallVector<llvm::Constant*> operands;
    for (const llvm::Value* operand : instruction->operands()) {
      const llvm::Constant* known = folded(operand);
      if (!known) return nullptr;
      operands.push_back(const_cast<llvm::Constant*>(known));
    }
    if (const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(instruction))
      return llvm::ConstantFoldCompareInstOperands(comparison->getPredicate(), operands[0], operands[1],
                                                   layout_);
    return llvm::ConstantFoldInstOperands(const_cast<llvm::Instruction*>(instruction), operands, layout_);
  }

  // Whether an instruction does more than go on with the wait: time may pass in it, or something may change
  // that others see.
  static bool acts(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || outcome_argument(instruction)) return false;
    const llvm::Function* callee = call->getCalledFunction();
    return !callee || (!callee->isIntrinsic() && callee->getName() != "sched_yield");
  }

  // Whether a value is the same each time round: nothing of the loop goes into it but what polls in vain
  // leave as it is.
  bool stays(const llvm::Value* value) {
    if (folded(value)) return true;
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || !loop_.contains(instruction) || !visited_.insert(instruction).second) return true;
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        if (comes_from_reached(*phi->getIncomingBlock(i)) && !stays(phi->getIncomingValue(i))) return false;
      return true;
    }
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) return stays_in_memory(*load);
    if (llvm::isa<llvm::CallBase>(instruction)) return outcome_argument(*instruction).has_value();
    // Of two conditions only those that go round in the loop can change; sums that do, change.
    const bool selects =
        llvm::isa<llvm::SelectInst, llvm::CmpInst, llvm::CastInst, llvm::FreezeInst, llvm::GetElementPtrInst>(
            instruction) ||
        instruction->isBitwiseLogicOp();
    return selects &&
           llvm::all_of(instruction->operands(), [this](const llvm::Use& use) { return stays(use); });
  }

  bool comes_from_reached(const llvm::BasicBlock& block) const {
    return !loop_.contains(&block) || reached_.contains(&block);
  }

  bool stays_in_memory(const llvm::LoadInst& load) {
    const llvm::Value* read = llvm::getUnderlyingObject(load.getPointerOperand());
    for (const llvm::BasicBlock* block : reached_)
      for (const llvm::Instruction& instruction : *block) {
        if (!instruction.mayWriteToMemory() || outcome_argument(instruction)) continue;
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
        if (!store) continue;  // acts() knows what is left
        const llvm::Value* written = llvm::getUnderlyingObject(store->getPointerOperand());
        const bool apart =
            written != read && llvm::isIdentifiedObject(written) && llvm::isIdentifiedObject(read);
        if (!apart && !stays(store->getValueOperand())) return false;
      }
    return stays(load.getPointerOperand());
  }

  const llvm::Loop& loop_;
  const llvm::DataLayout& layout_;
  llvm::SmallPtrSet<const llvm::Value*, 4> outcomes_;
  llvm::SmallSetVector<const llvm::BasicBlock*, 16> reached_;
  llvm::SmallPtrSet<const llvm::Value*, 16> visited_;
};

}  // namespace

void mark_waiting_loops(llvm::Module& module, llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Function& function : module) {
    llvm::SmallVector<llvm::Instruction*> polls;
    for (llvm::Instruction& instruction : llvm::instructions(function))
      if (outcome_argument(instruction)) polls.push_back(&instruction);
    if (polls.empty()) continue;
    const llvm::LoopInfo& loops = analyses.getResult<llvm::LoopAnalysis>(function);
    llvm::SmallVector<llvm::Instruction*> waiting;
    for (llvm::Instruction* poll : polls) {
      const llvm::Loop* loop = loops.getLoopFor(poll->getParent());
      if (loop && PollingLoop(*loop, module.getDataLayout()).waits()) waiting.push_back(poll);
    }
    for (llvm::Instruction* poll : waiting) {
      llvm::IRBuilder<> builder(poll);
      builder.CreateCall(module.getOrInsertFunction("mpisim_waits_by_polling", builder.getVoidTy()));
    }
  }
}

}  // namespace mpisim::preprocessor
