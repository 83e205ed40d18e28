#include "preprocessor/pass/instruction_cost.hpp"

#include <algorithm>
#include <limits>

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace mpisim::preprocessor {
namespace {

constexpr std::uint64_t vector_register_bits = 128;
// Copies up to this size are a few moves, or none where a local variable is one side.
constexpr std::uint64_t largest_inline_copy = 64;

void add(CostCounts& cost, mpisim_cost_class kind, std::uint64_t count = 1) {
  cost[kind] = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(cost[kind] + count, std::numeric_limits<std::uint32_t>::max()));
}

// The name of a function of the C library apart from its precision and what fortified headers make of it.
llvm::StringRef plain_name(llvm::StringRef name) {
  if (name.consume_front("__") && !name.consume_back("_chk"))
    name = llvm::StringRef(name.data() - 2, name.size() + 2);
  return name;
}

bool is_any_precision_of(const llvm::StringSet<>& names, llvm::StringRef name) {
  if (names.contains(name)) return true;
  return (name.ends_with("f") || name.ends_with("l")) && names.contains(name.drop_back());
}

bool is_mathematical(llvm::StringRef name) {
  static const llvm::StringSet<> names = {
      "sqrt", "cbrt",      "sin",    "cos",   "tan",   "asin",  "acos", "atan",  "atan2",  "sinh",
      "cosh", "tanh",      "asinh",  "acosh", "atanh", "exp",   "exp2", "exp10", "expm1",  "log",
      "log2", "log10",     "log1p",  "pow",   "powi",  "hypot", "erf",  "erfc",  "tgamma", "lgamma",
      "fmod", "remainder", "sincos", "csqrt", "cexp",  "clog",  "cpow", "cabs",  "carg"};
  return is_any_precision_of(names, name);
}

// Compiled to an instruction or so.
bool is_cheap_mathematical(llvm::StringRef name) {
  static const llvm::StringSet<> names = {
      "fabs",   "copysign",  "fmax",      "fmin",   "floor",   "ceil",   "round",  "rint",
      "trunc",  "nearbyint", "roundeven", "lround", "llround", "lrint",  "llrint", "maxnum",
      "minnum", "maximum",   "minimum",   "isnan",  "isinf",   "finite", "signbit"};
  return is_any_precision_of(names, name);
}

bool is_cheap_integer(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"abs", "labs", "llabs", "ffs"};
  return names.contains(name);
}

bool is_block_operation(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"memcpy", "memmove", "memset", "memcmp", "bcmp", "mempcpy"};
  return names.contains(name);
}

bool is_library_function(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"frexp",
                                          "ldexp",
                                          "modf",
                                          "strlen",
                                          "strnlen",
                                          "strcmp",
                                          "strncmp",
                                          "strcpy",
                                          "strncpy",
                                          "stpcpy",
                                          "strcat",
                                          "strncat",
                                          "strchr",
                                          "strrchr",
                                          "strstr",
                                          "strspn",
                                          "strcspn",
                                          "strpbrk",
                                          "strcasecmp",
                                          "strncasecmp",
                                          "strdup",
                                          "strndup",
                                          "memchr",
                                          "memrchr",
                                          "atoi",
                                          "atol",
                                          "atoll",
                                          "atof",
                                          "strtol",
                                          "strtoll",
                                          "strtoul",
                                          "strtoull",
                                          "strtod",
                                          "strtof",
                                          "isalpha",
                                          "isdigit",
                                          "isspace",
                                          "isalnum",
                                          "isupper",
                                          "islower",
                                          "ispunct",
                                          "isxdigit",
                                          "isprint",
                                          "toupper",
                                          "tolower",
                                          "malloc",
                                          "calloc",
                                          "realloc",
                                          "free",
                                          "posix_memalign",
                                          "aligned_alloc",
                                          "sprintf",
                                          "snprintf",
                                          "vsnprintf",
                                          "sscanf",
                                          "__isoc99_sscanf",
                                          "__isoc23_sscanf",
                                          "__isoc23_strtol",
                                          "__isoc23_strtoul",
                                          "fpclassify",
                                          "isfinite",
                                          "__fpclassify",
                                          "__ctype_b_loc",
                                          "__ctype_toupper_loc",
                                          "__ctype_tolower_loc",
                                          "__errno_location",
                                          "setjmp",
                                          "_setjmp",
                                          "sigsetjmp",
                                          "__sigsetjmp"};
  return names.contains(name);
}

// Operations of one class that an instruction on this type is.
std::uint64_t operations(const llvm::Type* type) {
  if (!type->isVectorTy()) return 1;
  const std::uint64_t bits = type->getPrimitiveSizeInBits().getKnownMinValue();
  return std::max<std::uint64_t>(1, (bits + vector_register_bits - 1) / vector_register_bits);
}

// Local variables, their members, and elements at constant places.
bool is_register(const llvm::Value* address) {
  address = address->stripPointerCasts();
  if (llvm::isa<llvm::AllocaInst>(address)) return true;
  const auto* element = llvm::dyn_cast<llvm::GEPOperator>(address);
  return element && element->hasAllConstantIndices() && is_register(element->getPointerOperand());
}

// Whether an integer only serves to select elements of arrays.
bool is_index(const llvm::Value& value) {
  return !value.use_empty() && llvm::all_of(value.users(), [&](const llvm::User* user) {
    if (const auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(user))
      return element->getPointerOperand() != &value;
    switch (llvm::Operator::getOpcode(user)) {
      case llvm::Instruction::Add:
      case llvm::Instruction::Sub:
      case llvm::Instruction::Mul:
      case llvm::Instruction::Shl:
      case llvm::Instruction::SExt:
      case llvm::Instruction::ZExt:
      case llvm::Instruction::Trunc:
        return is_index(*user);
      default:
        return false;
    }
  });
}

void add_memory(const llvm::Value* address, const llvm::Type* type, CostCounts& cost) {
  if (!is_register(address)) add(cost, MPISIM_COST_MEMORY, operations(type));
}

void add_block(const llvm::CallBase& call, const llvm::Value* length, CostCounts& cost) {
  const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(length);
  if (bytes && bytes->getZExtValue() <= largest_inline_copy) {
    for (const llvm::Use& argument : call.args())
      if (argument->getType()->isPointerTy() && !is_register(argument) &&
          !llvm::isa<llvm::GlobalVariable>(argument))
        add(cost, MPISIM_COST_MEMORY, (bytes->getZExtValue() + 15) / 16);
    return;
  }
  add(cost, MPISIM_COST_LIBRARY);
  if (bytes) add(cost, MPISIM_COST_BYTE, bytes->getZExtValue());
}

llvm::StringRef intrinsic_base_name(const llvm::Function& function) {
  return function.getName().drop_front(5).split('.').first;  // llvm.NAME.types
}

// Instructions of the target that have no form of LLVM's own: by what their names say.
void add_target_intrinsic(llvm::StringRef name, const llvm::CallBase& call, CostCounts& cost) {
  const llvm::Type* type =
      call.getType()->isVoidTy() && call.arg_size() > 0 ? call.getArgOperand(0)->getType() : call.getType();
  const bool floating = type->isFPOrFPVectorTy();
  const std::uint64_t count = operations(type);
  if (name.contains("sqrt") || name.contains(".div"))
    add(cost, MPISIM_COST_FP_DIV, count);
  else if (name.contains("fmadd") || name.contains("fmsub") || name.contains("vfm")) {
    add(cost, MPISIM_COST_FP_MUL, count);
    add(cost, MPISIM_COST_FP_ADD, count);
  } else if (name.contains("load") || name.contains("store") || name.contains("gather") ||
             name.contains("scatter")) {
    add(cost, MPISIM_COST_MEMORY, count);
  } else if (name.contains("mul") || name.contains("madd")) {
    add(cost, floating ? MPISIM_COST_FP_MUL : MPISIM_COST_INT_MUL, count);
  } else {
    add(cost, floating ? MPISIM_COST_FP_ADD : MPISIM_COST_INT, count);
  }
}

void add_intrinsic(const llvm::IntrinsicInst& call, CostCounts& cost) {
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memcpy_inline:
    case llvm::Intrinsic::memmove:
    case llvm::Intrinsic::memset:
    case llvm::Intrinsic::memset_inline:
      return add_block(call, call.getArgOperand(2), cost);
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd:
      add(cost, MPISIM_COST_FP_MUL, operations(call.getType()));
      return add(cost, MPISIM_COST_FP_ADD, operations(call.getType()));
    default:
      break;
  }
  const llvm::StringRef name = intrinsic_base_name(*call.getCalledFunction());
  if (name == "x86") return add_target_intrinsic(call.getCalledFunction()->getName(), call, cost);
  if (is_mathematical(name)) return add(cost, MPISIM_COST_MATH, operations(call.getType()));
  if (name == "masked" || name == "vector") return add(cost, MPISIM_COST_MEMORY, operations(call.getType()));
  add(cost,
      call.getType()->isFPOrFPVectorTy() || is_cheap_mathematical(name) ? MPISIM_COST_FP_ADD
                                                                        : MPISIM_COST_INT,
      operations(call.getType()));
}

bool is_free_intrinsic(const llvm::IntrinsicInst& call) {
  if (call.isAssumeLikeIntrinsic()) return true;
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::expect:
    case llvm::Intrinsic::expect_with_probability:
    case llvm::Intrinsic::is_constant:
    case llvm::Intrinsic::objectsize:
    case llvm::Intrinsic::prefetch:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
    case llvm::Intrinsic::threadlocal_address:
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::vaend:
    case llvm::Intrinsic::frameaddress:
    case llvm::Intrinsic::returnaddress:
      return true;
    default:
      return false;
  }
}

void add_call(const llvm::CallBase& call, CostCounts& cost) {
  const llvm::Function* callee = call.getCalledFunction();
  if (call.isInlineAsm()) return add(cost, MPISIM_COST_INT);
  switch (classify_call(call)) {
    case CallKind::free:
      return;
    case CallKind::function:
      return add(cost, MPISIM_COST_CALL,
                 callee && callee->hasFnAttribute(llvm::Attribute::AlwaysInline) ? 0 : 1);
    case CallKind::counted:
      break;
  }
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
    return add_intrinsic(*intrinsic, cost);
  const llvm::StringRef name = plain_name(callee->getName());
  if (is_block_operation(name) && call.arg_size() >= 3) return add_block(call, call.getArgOperand(2), cost);
  if (is_mathematical(name)) return add(cost, MPISIM_COST_MATH);
  if (is_cheap_mathematical(name)) return add(cost, MPISIM_COST_FP_ADD);
  add(cost, is_cheap_integer(name) ? MPISIM_COST_INT : MPISIM_COST_LIBRARY);
}

void add_arithmetic(const llvm::BinaryOperator& operation, CostCounts& cost) {
  const std::uint64_t count = operations(operation.getType());
  switch (operation.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::Shl:
      if (!is_index(operation)) add(cost, MPISIM_COST_INT, count);
      return;
    case llvm::Instruction::Mul:
      if (!is_index(operation)) add(cost, MPISIM_COST_INT_MUL, count);
      return;
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
      // The difference of two pointers is divided by the size of what they point to, exactly.
      return add(cost, operation.isExact() ? MPISIM_COST_INT : MPISIM_COST_INT_DIV, count);
    case llvm::Instruction::FMul:
      return add(cost, MPISIM_COST_FP_MUL, count);
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FRem:
      return add(cost, MPISIM_COST_FP_DIV, count);
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
      return add(cost, MPISIM_COST_FP_ADD, count);
    default:
      return add(cost, MPISIM_COST_INT, count);
  }
}

}  // namespace

bool is_known_function(llvm::StringRef name) {
  name = plain_name(name);
  return is_mathematical(name) || is_cheap_mathematical(name) || is_cheap_integer(name) ||
         is_block_operation(name) || is_library_function(name);
}

CallKind classify_call(const llvm::CallBase& call) {
  if (call.isInlineAsm()) return CallKind::counted;
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call))
    return is_free_intrinsic(*intrinsic) ? CallKind::free : CallKind::counted;
  const llvm::Function* callee = call.getCalledFunction();
  // A function of the program may have the name of one of the library's.
  const bool elsewhere = callee && (callee->isDeclaration() || callee->hasAvailableExternallyLinkage());
  return elsewhere && is_known_function(callee->getName()) ? CallKind::counted : CallKind::function;
}

llvm::Value* variable_length(const llvm::CallBase& call) {
  llvm::Value* length = nullptr;
  if (const auto* block = llvm::dyn_cast<llvm::MemIntrinsic>(&call)) length = block->getLength();
  if (const llvm::Function* callee = call.getCalledFunction();
      !length && callee && !callee->isIntrinsic() && classify_call(call) == CallKind::counted &&
      is_block_operation(plain_name(callee->getName())) && call.arg_size() >= 3)
    length = call.getArgOperand(2);
  return length && !llvm::isa<llvm::ConstantInt>(length) ? length : nullptr;
}

void add_cost(const llvm::Instruction& instruction, CostCounts& cost) {
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction))
    return add_arithmetic(*operation, cost);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return add_memory(load->getPointerOperand(), load->getType(), cost);
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
    return add_memory(store->getPointerOperand(), store->getValueOperand()->getType(), cost);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return add_call(*call, cost);
  const std::uint64_t count = operations(instruction.getType());
  switch (instruction.getOpcode()) {
    case llvm::Instruction::ICmp:
      return add(cost, MPISIM_COST_INT, count);
    case llvm::Instruction::FCmp:
    case llvm::Instruction::FNeg:
    case llvm::Instruction::FPToSI:
    case llvm::Instruction::FPToUI:
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
    case llvm::Instruction::FPExt:
    case llvm::Instruction::FPTrunc:
      return add(cost, MPISIM_COST_FP_ADD, count);
    case llvm::Instruction::Br:
      if (llvm::cast<llvm::BranchInst>(instruction).isConditional()) add(cost, MPISIM_COST_BRANCH);
      return;
    case llvm::Instruction::Switch:
    case llvm::Instruction::IndirectBr:
      return add(cost, MPISIM_COST_BRANCH);
    case llvm::Instruction::Select:
      return add(cost, instruction.getType()->isVectorTy() ? MPISIM_COST_INT : MPISIM_COST_BRANCH, count);
    case llvm::Instruction::AtomicRMW:
    case llvm::Instruction::AtomicCmpXchg:
      add(cost, MPISIM_COST_INT);
      return add(cost, MPISIM_COST_MEMORY, 2);
    case llvm::Instruction::ExtractElement:
    case llvm::Instruction::InsertElement:
    case llvm::Instruction::ShuffleVector:
      return add(cost, MPISIM_COST_INT, count);
    default:
      return;
  }
}

}  // namespace mpisim::preprocessor
