#include "preprocessor/cost_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"

namespace mpisim::preprocessor {
namespace {

constexpr std::uint64_t largest_count = std::numeric_limits<std::uint32_t>::max();

std::string plain_name(llvm::StringRef name) {
  name.consume_front("__builtin_");
  return name.str();
}

const std::set<std::string>& mathematical_functions() {
  static const std::set<std::string> names = [] {
    std::set<std::string> all;
    for (const char* name : {"sqrt",  "cbrt",  "sin",    "cos",    "tan",   "asin",      "acos",  "atan",
                             "atan2", "sinh",  "cosh",   "tanh",   "asinh", "acosh",     "atanh", "exp",
                             "exp2",  "expm1", "log",    "log2",   "log10", "log1p",     "pow",   "hypot",
                             "erf",   "erfc",  "tgamma", "lgamma", "fmod",  "remainder", "fma",   "sincos"})
      for (const char* suffix : {"", "f", "l"}) all.insert(std::string(name) + suffix);
    return all;
  }();
  return names;
}

/// Compiled to an instruction or so, never to a call.
const std::set<std::string>& cheap_functions() {
  static const std::set<std::string> names = {
      "fabs",  "fabsf",    "fabsl",     "copysign",   "copysignf", "fmax",   "fmin", "fmaxf", "fminf",
      "floor", "floorf",   "ceil",      "ceilf",      "round",     "roundf", "rint", "trunc", "lround",
      "isnan", "isinf",    "signbit",   "isless",     "isgreater", "abs",    "labs", "llabs", "clz",
      "ctz",   "popcount", "popcountl", "popcountll", "bswap32",   "bswap64"};
  return names;
}

/// Told to the compiler; cost nothing.
const std::set<std::string>& compiler_hints() {
  static const std::set<std::string> names = {"expect",      "constant_p",    "object_size", "prefetch",
                                              "unreachable", "huge_val",      "inf",         "nan",
                                              "offsetof",    "assume_aligned"};
  return names;
}

const std::set<std::string>& library_functions() {
  static const std::set<std::string> names = {"frexp",
                                              "ldexp",
                                              "modf",
                                              "strlen",
                                              "strcmp",
                                              "strncmp",
                                              "strcpy",
                                              "strncpy",
                                              "strcat",
                                              "strncat",
                                              "strchr",
                                              "strrchr",
                                              "strstr",
                                              "strspn",
                                              "strcspn",
                                              "strpbrk",
                                              "strcasecmp",
                                              "memchr",
                                              "atoi",
                                              "atol",
                                              "atof",
                                              "strtol",
                                              "strtoul",
                                              "strtod",
                                              "isalpha",
                                              "isdigit",
                                              "isspace",
                                              "isalnum",
                                              "isupper",
                                              "islower",
                                              "ispunct",
                                              "isxdigit",
                                              "toupper",
                                              "tolower",
                                              "malloc",
                                              "calloc",
                                              "realloc",
                                              "free",
                                              "sprintf",
                                              "snprintf",
                                              "sscanf",
                                              "abort",
                                              "fpclassify",
                                              "isfinite",
                                              "__ctype_b_loc",
                                              "__ctype_toupper_loc",
                                              "__ctype_tolower_loc",
                                              "__errno_location"};
  return names;
}

const std::set<std::string>& special_functions() {
  static const std::set<std::string> names = {"setjmp",        "_setjmp",        "sigsetjmp", "__sigsetjmp",
                                              "alloca",        "va_start",       "va_end",    "va_copy",
                                              "frame_address", "return_address", "longjmp"};
  return names;
}

class ExpressionCost {
 public:
  ExpressionCost(clang::ASTContext& context,
                 const std::function<void(const clang::CompoundStmt*, CostVector&)>& on_statements,
                 const std::function<void(const clang::FunctionDecl*, CostVector&)>& on_function)
      : context_(context), on_statements_(on_statements), on_function_(on_function) {}
  CostVector total;

  void visit(const clang::Stmt* statement) {
    if (!statement || llvm::isa<clang::UnaryExprOrTypeTraitExpr>(statement) ||
        llvm::isa<clang::ConstantExpr>(statement))
      return;
    if (const auto* block = llvm::dyn_cast<clang::StmtExpr>(statement)) {
      on_statements_(block->getSubStmt(), total);
      return;
    }
    if (const auto* selection = llvm::dyn_cast<clang::GenericSelectionExpr>(statement))
      return visit(selection->getResultExpr());
    if (const auto* choice = llvm::dyn_cast<clang::ChooseExpr>(statement))
      return visit(choice->getChosenSubExpr());
    if (const auto* opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(statement)) {
      (void)opaque;  // counted where it is computed
      return;
    }
    if (const auto* expression = llvm::dyn_cast<clang::Expr>(statement)) add(expression);
    if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(statement)) {
      visit(subscript->getBase());
      // Every optimiser turns index arithmetic into addressing modes and induction variables; counting it as
      // written would make it the larger part of a loop over an array of several dimensions.
      const bool outer = std::exchange(in_index_, true);
      visit(subscript->getIdx());
      in_index_ = outer;
      return;
    }
    for (const clang::Stmt* child : statement->children()) visit(child);
  }

 private:
  bool is_memory(const clang::Expr* place) const {
    place = place->IgnoreParens();
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(place)) {
      const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
      return variable && variable->hasGlobalStorage();
    }
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(place))
      return member->isArrow() || is_memory(member->getBase());
    return llvm::isa<clang::ArraySubscriptExpr>(place) || llvm::isa<clang::UnaryOperator>(place);
  }

  void arithmetic(clang::BinaryOperatorKind operation, clang::QualType type) {
    const bool floating = type->isFloatingType() || type->isAnyComplexType() || type->isVectorType();
    const bool index_arithmetic = operation == clang::BO_Mul || operation == clang::BO_Add ||
                                  operation == clang::BO_Sub || operation == clang::BO_Shl;
    if (in_index_ && !floating && index_arithmetic) return;
    switch (operation) {
      case clang::BO_Mul:
      case clang::BO_MulAssign:
        return total.add(floating ? MPISIM_COST_FP_MUL : MPISIM_COST_INT_MUL);
      case clang::BO_Div:
      case clang::BO_Rem:
      case clang::BO_DivAssign:
      case clang::BO_RemAssign:
        return total.add(floating ? MPISIM_COST_FP_DIV : MPISIM_COST_INT_DIV);
      case clang::BO_LAnd:
      case clang::BO_LOr:
        return total.add(MPISIM_COST_BRANCH);
      case clang::BO_Comma:
      case clang::BO_Assign:
        return;
      default:
        return total.add(floating ? MPISIM_COST_FP_ADD : MPISIM_COST_INT);
    }
  }

  void add(const clang::Expr* expression) {
    if (const auto* compound = llvm::dyn_cast<clang::CompoundAssignOperator>(expression)) {
      arithmetic(compound->getOpcode(), compound->getComputationResultType());
      if (is_memory(compound->getLHS())) total.add(MPISIM_COST_MEMORY, 2);
    } else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(expression)) {
      arithmetic(binary->getOpcode(), binary->getLHS()->getType());
      if (binary->isAssignmentOp() && is_memory(binary->getLHS())) total.add(MPISIM_COST_MEMORY);
    } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(expression)) {
      if (unary->isArithmeticOp() || unary->isIncrementDecrementOp())
        total.add(unary->getType()->isFloatingType() ? MPISIM_COST_FP_ADD : MPISIM_COST_INT);
      if (unary->isIncrementDecrementOp() && is_memory(unary->getSubExpr())) total.add(MPISIM_COST_MEMORY, 2);
    } else if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(expression)) {
      const clang::CastKind kind = cast->getCastKind();
      if (kind == clang::CK_LValueToRValue && is_memory(cast->getSubExpr())) total.add(MPISIM_COST_MEMORY);
      if (kind == clang::CK_IntegralToFloating || kind == clang::CK_FloatingToIntegral ||
          kind == clang::CK_FloatingCast)
        if (!cast->getSubExpr()->isEvaluatable(context_)) total.add(MPISIM_COST_FP_ADD);
    } else if (llvm::isa<clang::AbstractConditionalOperator>(expression)) {
      total.add(MPISIM_COST_BRANCH);
    } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(expression)) {
      add_call(call);
    }
  }

  void add_call(const clang::CallExpr* call) {
    switch (classify_call(call)) {
      case CallKind::math:
        return total.add(MPISIM_COST_MATH);
      case CallKind::cheap:
        return total.add(call->getNumArgs() > 0 && call->getArg(0)->getType()->isFloatingType()
                             ? MPISIM_COST_FP_ADD
                             : MPISIM_COST_INT);
      case CallKind::free:
        return;
      case CallKind::library:
      case CallKind::special:
        return total.add(MPISIM_COST_LIBRARY);
      case CallKind::block:
        total.add(MPISIM_COST_LIBRARY);
        return total.add(MPISIM_COST_BYTE, constant_length(call).value_or(0));
      case CallKind::function:
        total.add(MPISIM_COST_CALL);
        if (const clang::FunctionDecl* callee = call->getDirectCallee()) on_function_(callee, total);
        return;
    }
  }

  clang::ASTContext& context_;
  const std::function<void(const clang::CompoundStmt*, CostVector&)>& on_statements_;
  const std::function<void(const clang::FunctionDecl*, CostVector&)>& on_function_;
  bool in_index_ = false;
};

}  // namespace

void CostVector::add(mpisim_cost_class kind, std::uint64_t count) {
  counts_[kind] = std::min(counts_[kind] + count, largest_count);
}

CostVector& CostVector::operator+=(const CostVector& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i)
    counts_[i] = std::min(counts_[i] + other.counts_[i], largest_count);
  return *this;
}

bool CostVector::is_zero() const {
  return std::all_of(counts_.begin(), counts_.end(), [](std::uint64_t count) { return count == 0; });
}

std::string CostVector::spell() const {
  return fmt::format("{}", fmt::join(counts_, ","));
}

CallKind classify_call(const clang::CallExpr* call) {
  const clang::FunctionDecl* function = call->getDirectCallee();
  if (!function || !function->getIdentifier()) return CallKind::function;
  if (function->hasAttr<clang::ReturnsTwiceAttr>()) return CallKind::special;
  const std::string name = plain_name(function->getName());
  if (special_functions().count(name)) return CallKind::special;
  if (function->hasBody() && !function->isInlineSpecified()) return CallKind::function;  // the program's own
  if (mathematical_functions().count(name)) return CallKind::math;
  if (cheap_functions().count(name)) return CallKind::cheap;
  if (compiler_hints().count(name)) return CallKind::free;
  if (name == "memcpy" || name == "memmove" || name == "memset" || name == "memcmp")
    return call->getNumArgs() == 3 ? CallKind::block : CallKind::library;
  const bool compiler_function = function->getBuiltinID() != 0 && function->getName().starts_with("__");
  return compiler_function || library_functions().count(name) ? CallKind::library : CallKind::function;
}

std::optional<std::uint64_t> constant_length(const clang::CallExpr* call) {
  clang::Expr::EvalResult length;
  if (!call->getArg(2)->EvaluateAsInt(length, call->getDirectCallee()->getASTContext())) return std::nullopt;
  return length.Val.getInt().getLimitedValue(largest_count);
}

CostVector cost_of(const clang::Expr* expression, clang::ASTContext& context,
                   const std::function<void(const clang::CompoundStmt*, CostVector&)>& on_statements,
                   const std::function<void(const clang::FunctionDecl*, CostVector&)>& on_function) {
  ExpressionCost cost(context, on_statements, on_function);
  cost.visit(expression);
  return cost.total;
}

}  // namespace mpisim::preprocessor
