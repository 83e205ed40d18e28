#include "preprocessor/pass/cycle_counter.hpp"

#include <cctype>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace mpisim::preprocessor {
namespace {

void replace_intrinsic(llvm::IntrinsicInst& call) {
  const llvm::Intrinsic::ID id = call.getIntrinsicID();
  const bool with_processor = id == llvm::Intrinsic::x86_rdtscp;
  if (!with_processor && id != llvm::Intrinsic::x86_rdtsc && id != llvm::Intrinsic::readcyclecounter &&
      id != llvm::Intrinsic::readsteadycounter)
    return;
  llvm::IRBuilder<> builder(&call);
  llvm::Value* cycles =
      builder.CreateCall(call.getModule()->getOrInsertFunction("mpisim_read_cycles", builder.getInt64Ty()));
  if (with_processor)  // always the first one, as sched_getcpu() says
    cycles = builder.CreateInsertValue(llvm::Constant::getNullValue(call.getType()), cycles, 0);
  call.replaceAllUsesWith(cycles);
  call.eraseFromParent();
}

bool is_word(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

// The call leaves all registers as the instruction does. What the function keeps below its stack pointer is
// skipped.
std::string call_of(const std::string& function, llvm::InlineAsm::AsmDialect dialect) {
  if (dialect == llvm::InlineAsm::AD_Intel)
    return "lea rsp, [rsp - 128]\n\tcall qword ptr [rip + " + function +
           "@GOTPCREL]\n\tlea rsp, [rsp + 128]\n\t";
  return "leaq -128(%rsp), %rsp\n\tcallq *" + function + "@GOTPCREL(%rip)\n\tleaq 128(%rsp), %rsp\n\t";
}

std::string with_calls(const std::string& text, llvm::InlineAsm::AsmDialect dialect) {
  constexpr std::string_view name = "rdtsc";
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
    std::size_t end = at + name.size();
    const bool with_processor = end < text.size() && text[end] == 'p';
    if (with_processor) ++end;
    const bool whole = (at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]));
    if (whole) {
      result += text.substr(done, at - done);
      result += call_of(with_processor ? "mpisim_rdtscp" : "mpisim_rdtsc", dialect);
      done = end;
    }
    at = end;
  }
  return result + text.substr(done);
}

void replace_assembly(llvm::CallBase& call) {
  const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  if (!assembly) return;
  const std::string text(assembly->getAsmString());
  const std::string changed = with_calls(text, assembly->getDialect());
  if (changed == text) return;
  call.setCalledOperand(llvm::InlineAsm::get(
      assembly->getFunctionType(), changed, assembly->getConstraintString(), assembly->hasSideEffects(),
      assembly->isAlignStack(), assembly->getDialect(), assembly->canThrow()));
}

}  // namespace

void read_simulated_cycles(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
        replace_intrinsic(*intrinsic);
      else if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        replace_assembly(*call);
    }
  }
}

}  // namespace mpisim::preprocessor
