#include "preprocessor/pass/counters.hpp"

#include <cctype>

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "preprocessor/pass/library_costs.hpp"

namespace mpisim::preprocessor {
namespace {

constexpr const char* body_suffix = ".mpisim_body";

bool is_label(llvm::StringRef text) {
  text = text.ltrim();
  const std::size_t end =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$");
  return end != 0 && end != llvm::StringRef::npos && text[end] == ':' &&
         !std::isdigit(static_cast<unsigned char>(text[0]));
}

bool belongs_to_library(llvm::StringRef name) {
  static const llvm::StringSet<> entered = {
#define X(name) #name,
#include "runtime/libc_wrapped_symbols.def"
#undef X
      "bsearch", "gnu_dev_major", "gnu_dev_minor", "gnu_dev_makedev"};
  return is_known_function(name) || entered.contains(name);
}

// Labels that cannot be defined twice.
bool defines_labels(const llvm::CallBase& call) {
  const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  if (!assembly) return false;
  llvm::SmallVector<llvm::StringRef> statements;
  llvm::SplitString(assembly->getAsmString(), statements, "\n;");
  return llvm::any_of(statements, is_label);
}

// One function of the module: the plain name, which stands for the address that the program sees, and the
// body with counters that the unit's own calls go to.
struct Counted {
  llvm::Function* plain = nullptr;
  llvm::Function* body = nullptr;
  bool returns_cost = false;
  bool keeps_place = false;  // calls setjmp: locals must survive longjmp
  bool enters = false;       // calls something that may enter the simulator
  llvm::Instruction* sum = nullptr;
};

class Counters {
 public:
  explicit Counters(llvm::Module& module)
      : module_(module), context_(module.getContext()), int64_(llvm::Type::getInt64Ty(context_)) {
    CostCounts byte{};
    byte[MPISIM_COST_BYTE] = 1;
    index_of(byte);  // entry 0 prices one byte
  }

  void run() {
    llvm::SmallVector<llvm::Function*> functions;
    for (llvm::Function& function : module_)
      if (!function.isDeclaration()) functions.push_back(&function);
    declare_variables();
    // What other units' functions promise of their effects they promise without counters.
    for (llvm::Function& function : module_)
      if (function.isDeclaration() && !function.isIntrinsic() && !is_known_function(function.getName()))
        function.removeFnAttr(llvm::Attribute::Memory);
    for (llvm::Function* function : functions) move_body(*function);
    for (llvm::Function* function : functions) direct_calls(*function);
    find_entering();
    for (auto& [body, counted] : bodies_) count(counted);
    for (auto& [body, counted] : bodies_)
      if (needs_entry_.contains(counted.plain)) make_entry(counted);
    finish_tables();
  }

 private:
  void declare_variables() {
    sum_in_memory_ = llvm::cast<llvm::GlobalVariable>(module_.getOrInsertGlobal("__mpisim_counted", int64_));
    // Its true length is known at the end.
    prices_ = new llvm::GlobalVariable(module_, llvm::ArrayType::get(int64_, 0), false,
                                       llvm::GlobalValue::ExternalLinkage, nullptr, "__mpisim_price_table");
  }

  // Moves a function's body into one of its own; what is left is the plain function, declared.
  void move_body(llvm::Function& plain) {
    Counted counted;
    counted.plain = &plain;
    if (!plain.hasLocalLinkage() || plain.hasAddressTaken()) needs_entry_.insert(&plain);
    // What a shared library exports its program may define otherwise; the optimizer does not expect that.
    if (plain.isInterposable() || (plain.hasOptNone() && !plain.isDSOLocal())) interposable_.insert(&plain);
    counted.keeps_place = llvm::any_of(llvm::instructions(plain), [](const llvm::Instruction& instruction) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      return call && call->hasFnAttr(llvm::Attribute::ReturnsTwice);
    });
    llvm::FunctionType* type = plain.getFunctionType();
    counted.returns_cost = !counted.keeps_place && !type->isVarArg() && !plain.hasOptNone();
    if (counted.returns_cost)
      type = llvm::FunctionType::get(with_cost(type->getReturnType()), type->params(), false);
    counted.body = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                          plain.getName() + body_suffix, module_);
    counted.body->copyAttributesFrom(&plain);
    if (counted.returns_cost)
      counted.body->setAttributes(for_result_with_cost(plain.getAttributes(), plain.arg_size()));
    counted.body->setLinkage(llvm::GlobalValue::InternalLinkage);
    counted.body->setVisibility(llvm::GlobalValue::DefaultVisibility);
    counted.body->setDSOLocal(true);
    counted.body->setComdat(nullptr);
    counted.body->removeFnAttr(llvm::Attribute::Memory);
    counted.body->removeFnAttr("warn-stack-size");
    llvm::SmallVector<std::pair<llvm::BlockAddress*, llvm::BasicBlock*>> labels;
    for (llvm::BasicBlock& block : plain)
      if (llvm::BlockAddress* address = llvm::BlockAddress::lookup(&block))
        labels.emplace_back(address, &block);
    counted.body->splice(counted.body->begin(), &plain);
    for (const auto& [address, block] : labels)
      address->replaceAllUsesWith(llvm::BlockAddress::get(counted.body, block));
    for (auto [from, to] : llvm::zip(plain.args(), counted.body->args())) {
      to.takeName(&from);
      from.replaceAllUsesWith(&to);
    }
    counted.body->copyMetadata(&plain, 0);
    plain.clearMetadata();
    plain.setPersonalityFn(nullptr);
    plain.setComdat(nullptr);
    plain.setLinkage(llvm::GlobalValue::ExternalLinkage);
    plain.removeFnAttr(llvm::Attribute::Memory);
    bodies_.insert({counted.body, counted});
    body_of_.insert({&plain, counted.body});
  }

  // Without what is said of the result, and that an argument comes back as it.
  llvm::AttributeList for_result_with_cost(const llvm::AttributeList& attributes,
                                           std::size_t arguments) const {
    llvm::AttributeMask of_result;
    of_result.addAttribute(llvm::Attribute::Returned);
    of_result.addAttribute(llvm::Attribute::StructRet);
    llvm::SmallVector<llvm::AttributeSet> parameters;
    for (unsigned i = 0; i < arguments; ++i)
      parameters.push_back(attributes.getParamAttrs(i).removeAttributes(context_, of_result));
    const llvm::AttributeSet function =
        attributes.getFnAttrs().removeAttribute(context_, llvm::Attribute::Memory);
    return llvm::AttributeList::get(context_, function, llvm::AttributeSet(), parameters);
  }

  llvm::Type* with_cost(llvm::Type* result) const {
    return result->isVoidTy() ? static_cast<llvm::Type*>(int64_) : llvm::StructType::get(result, int64_);
  }

  // Calls within the unit go to the body at once.
  void direct_calls(llvm::Function& plain) {
    llvm::Function* body = body_of_.lookup(&plain);
    if (interposable_.contains(&plain)) return;  // another object's may take its place
    for (llvm::Use& use : llvm::make_early_inc_range(plain.uses())) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
      if (!call || !call->isCallee(&use) || call->getFunctionType() != plain.getFunctionType() ||
          call->isMustTailCall())
        continue;
      if (!bodies_.find(body)->second.returns_cost) {
        call->setCalledFunction(body);
        continue;
      }
      redirect(*call, *body);
    }
  }

  // The call of a body that returns its cost: the result is taken apart, the cost is added when the caller is
  // counted.
  void redirect(llvm::CallBase& call, llvm::Function& body) {
    llvm::IRBuilder<> builder(&call);
    const llvm::SmallVector<llvm::Value*> arguments(call.args());
    llvm::SmallVector<llvm::OperandBundleDef, 1> bundles;
    call.getOperandBundlesAsDefs(bundles);
    llvm::CallBase* replacement = nullptr;
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call)) {
      // The cost is taken in a block of its own, which only this call leads to.
      llvm::BasicBlock* normal =
          llvm::BasicBlock::Create(context_, "", call.getFunction(), invoke->getNormalDest());
      invoke->getNormalDest()->replacePhiUsesWith(invoke->getParent(), normal);
      replacement = builder.CreateInvoke(&body, normal, invoke->getUnwindDest(), arguments, bundles);
      builder.SetInsertPoint(normal);
      builder.SetInsertPoint(builder.CreateBr(invoke->getNormalDest()));
    } else {
      replacement = builder.CreateCall(&body, arguments, bundles);
      llvm::cast<llvm::CallInst>(replacement)->setTailCallKind(llvm::CallInst::TCK_None);
    }
    replacement->setCallingConv(call.getCallingConv());
    replacement->setAttributes(for_result_with_cost(call.getAttributes(), call.arg_size()));
    replacement->setDebugLoc(call.getDebugLoc());
    llvm::Value* cost = replacement;
    if (!call.getType()->isVoidTy()) {
      call.replaceAllUsesWith(builder.CreateExtractValue(replacement, 0));
      cost = builder.CreateExtractValue(replacement, 1);
    }
    costs_of_calls_.insert({replacement, cost});
    call.eraseFromParent();
  }

  // Whether the simulator may be entered by a call, so that all cost up to it must be known.
  bool may_enter(const llvm::CallBase& call) const {
    if (classify_call(call) != CallKind::function) return false;
    const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
    const auto found = bodies_.find(const_cast<llvm::Function*>(callee));
    return found == bodies_.end() || found->second.enters;
  }

  void find_entering() {
    for (bool changed = true; changed;) {
      changed = false;
      for (auto& [body, counted] : bodies_) {
        if (counted.enters) continue;
        counted.enters = llvm::any_of(llvm::instructions(*body), [&](const llvm::Instruction& instruction) {
          const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
          return call && may_enter(*call);
        });
        changed = changed || counted.enters;
      }
    }
  }

  void count(Counted& counted) {
    llvm::SmallVector<llvm::Instruction*> own;
    for (llvm::Instruction& instruction : llvm::instructions(*counted.body)) own.push_back(&instruction);
    llvm::BasicBlock& entry = counted.body->getEntryBlock();
    llvm::IRBuilder<> builder(&entry, entry.begin());
    counted.sum = builder.CreateAlloca(int64_);
    builder.CreateStore(builder.getInt64(0), counted.sum, counted.keeps_place);
    CostCounts cost{};  // each block ends with an instruction that pays
    for (llvm::Instruction* instruction : own) count(*instruction, counted, cost);
  }

  // `cost` is that of the instructions in front which has not been paid.
  void count(llvm::Instruction& instruction, Counted& counted, CostCounts& cost) {
    add_cost(instruction, cost);
    llvm::IRBuilder<> builder(&instruction);
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr) {
      call->removeFnAttr(llvm::Attribute::Memory);
      if (llvm::Value* length = variable_length(*call))
        pay(builder, counted,
            builder.CreateMul(builder.CreateZExtOrTrunc(length, int64_), price(builder, 0)));
      if (const auto library = library_cost(*call)) pay_library(builder, counted, *call, *library);
      if (may_enter(*call)) {
        pay(builder, counted, cost);
        flush(builder, counted);
      }
      const auto found = costs_of_calls_.find(call);
      if (found != costs_of_calls_.end()) {
        const auto* last = llvm::cast<llvm::Instruction>(found->second);
        builder.SetInsertPoint(
            llvm::isa<llvm::InvokeInst>(last)
                ? &*llvm::cast<llvm::InvokeInst>(last)->getNormalDest()->getFirstInsertionPt()
                : const_cast<llvm::Instruction*>(last)->getNextNode());
        pay(builder, counted, found->second);
      }
    }
    if (!instruction.isTerminator()) return;
    builder.SetInsertPoint(&instruction);
    pay(builder, counted, cost);
    auto* result = llvm::dyn_cast<llvm::ReturnInst>(&instruction);
    if (!result) {
      if (llvm::isa<llvm::ResumeInst>(instruction)) flush(builder, counted);
      return;
    }
    if (!counted.returns_cost) return flush(builder, counted);
    llvm::Value* sum = builder.CreateLoad(int64_, counted.sum);
    if (llvm::Value* value = result->getReturnValue()) {
      llvm::Value* both = llvm::PoisonValue::get(counted.body->getReturnType());
      both = builder.CreateInsertValue(both, value, 0);
      result->setOperand(0, builder.CreateInsertValue(both, sum, 1));
    } else {
      llvm::ReturnInst* with_sum = builder.CreateRet(sum);
      with_sum->setDebugLoc(result->getDebugLoc());
      result->eraseFromParent();
    }
  }

  void pay(llvm::IRBuilder<>& builder, const Counted& counted, CostCounts& cost) {
    if (cost == CostCounts{}) return;
    pay(builder, counted, price(builder, index_of(cost)));
    cost = CostCounts{};
  }

  void pay(llvm::IRBuilder<>& builder, const Counted& counted, llvm::Value* picoseconds) {
    llvm::Value* sum = builder.CreateLoad(int64_, counted.sum, counted.keeps_place);
    builder.CreateStore(builder.CreateAdd(sum, picoseconds), counted.sum, counted.keeps_place);
  }

  void pay_library(llvm::IRBuilder<>& builder, const Counted& counted, llvm::CallBase& call,
                   const LibraryCost& cost) {
    llvm::Value* product = price(builder, index_of(cost.unit));
    for (const unsigned number : cost.factors) {
      llvm::Value* size = call.getArgOperand(number);
      // Fortran's integers, in whose width nearly all builds agree.
      if (size->getType()->isPointerTy()) size = builder.CreateLoad(llvm::Type::getInt32Ty(context_), size);
      product = builder.CreateMul(product, builder.CreateSExtOrTrunc(size, int64_));
    }
    pay(builder, counted, product);
  }

  void flush(llvm::IRBuilder<>& builder, const Counted& counted) {
    to_memory(builder, builder.CreateLoad(int64_, counted.sum, counted.keeps_place));
    builder.CreateStore(builder.getInt64(0), counted.sum, counted.keeps_place);
  }

  void to_memory(llvm::IRBuilder<>& builder, llvm::Value* picoseconds) {
    builder.CreateStore(builder.CreateAdd(builder.CreateLoad(int64_, sum_in_memory_), picoseconds),
                        sum_in_memory_);
  }

  llvm::Value* price(llvm::IRBuilder<>& builder, unsigned index) {
    llvm::LoadInst* load =
        builder.CreateLoad(int64_, builder.CreateConstInBoundsGEP1_64(int64_, prices_, index));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    return load;
  }

  unsigned index_of(const CostCounts& cost) {
    return indices_.insert({cost, static_cast<unsigned>(indices_.size())}).first->second;
  }

  // What is called from outside of the unit, or through a pointer.
  void make_entry(const Counted& counted) {
    auto* entry = llvm::Function::Create(counted.plain->getFunctionType(), llvm::GlobalValue::InternalLinkage,
                                         counted.plain->getName() + counted_suffix, module_);
    entry->copyAttributesFrom(counted.plain);
    entry->setLinkage(llvm::GlobalValue::InternalLinkage);
    entry->setVisibility(llvm::GlobalValue::DefaultVisibility);
    entry->setDSOLocal(true);
    entry->removeFnAttr(llvm::Attribute::Memory);
    entry->removeFnAttr("warn-stack-size");
    llvm::appendToCompilerUsed(module_, {entry});
    if (!counted.returns_cost) {  // the body is the entry
      const std::string name = entry->getName().str();
      entry->replaceAllUsesWith(counted.body);
      entry->eraseFromParent();
      counted.body->setName(name);
      return;
    }
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context_, "", entry));
    llvm::SmallVector<llvm::Value*> arguments;
    for (llvm::Argument& argument : entry->args()) arguments.push_back(&argument);
    llvm::CallInst* call = builder.CreateCall(counted.body, arguments);
    // The body's lines are kept where it is inlined only if its caller has a description too.
    if (const llvm::DISubprogram* described = counted.body->getSubprogram()) {
      entry->setSubprogram(llvm::MDNode::replaceWithDistinct(described->clone()));
      call->setDebugLoc(
          llvm::DILocation::get(context_, described->getScopeLine(), 0, entry->getSubprogram()));
    }
    call->setCallingConv(counted.body->getCallingConv());
    call->setAttributes(counted.body->getAttributes().removeFnAttributes(context_));
    if (counted.plain->getReturnType()->isVoidTy()) {
      to_memory(builder, call);
      builder.CreateRetVoid();
    } else {
      to_memory(builder, builder.CreateExtractValue(call, 1));
      builder.CreateRet(builder.CreateExtractValue(call, 0));
    }
  }

  // One entry per cost, and one of the same index for its price (runtime/target_abi.h).
  void finish_tables() {
    llvm::Type* count = llvm::Type::getInt32Ty(context_);
    auto* vector = llvm::ArrayType::get(count, MPISIM_COST_CLASSES);
    llvm::SmallVector<llvm::Constant*> costs(indices_.size());
    for (const auto& [counts, index] : indices_)
      costs[index] = llvm::ConstantDataArray::get(context_, llvm::ArrayRef(counts));
    auto* costs_type = llvm::ArrayType::get(vector, costs.size());
    auto* cost_table =
        new llvm::GlobalVariable(module_, costs_type, true, llvm::GlobalValue::InternalLinkage,
                                 llvm::ConstantArray::get(costs_type, costs), "__mpisim_price_costs");
    cost_table->setSection("mpisim_cost");
    cost_table->setAlignment(llvm::Align(4));
    auto* prices_type = llvm::ArrayType::get(int64_, costs.size());
    auto* prices = new llvm::GlobalVariable(module_, prices_type, false, llvm::GlobalValue::InternalLinkage,
                                            llvm::ConstantAggregateZero::get(prices_type), "__mpisim_prices");
    prices->setSection("mpisim_price");
    prices->setAlignment(llvm::Align(8));
    prices->setExternallyInitialized(true);
    prices_->replaceAllUsesWith(prices);
    prices_->eraseFromParent();
    llvm::appendToCompilerUsed(module_, {cost_table, prices});
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  llvm::Type* int64_;
  llvm::GlobalVariable* sum_in_memory_ = nullptr;
  llvm::GlobalVariable* prices_ = nullptr;
  llvm::MapVector<llvm::Function*, Counted> bodies_;
  llvm::DenseMap<const llvm::Function*, llvm::Function*> body_of_;
  llvm::SmallPtrSet<llvm::Function*, 8> needs_entry_;
  llvm::SmallPtrSet<llvm::Function*, 8> interposable_;
  llvm::DenseMap<const llvm::CallBase*, llvm::Value*> costs_of_calls_;
  std::map<CostCounts, unsigned> indices_;
};

}  // namespace

bool can_be_counted(const llvm::Function& function) {
  // What headers of the C library define inline where a program is optimized is the library's everywhere.
  if (function.hasAvailableExternallyLinkage() && belongs_to_library(function.getName())) return false;
  if (function.hasFnAttribute(llvm::Attribute::Naked) || function.getName().starts_with("__mpisim_"))
    return false;
  return llvm::none_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call && (call->isMustTailCall() || defines_labels(*call));
  });
}

void insert_counters(llvm::Module& module) {
  Counters(module).run();
}

}  // namespace mpisim::preprocessor
