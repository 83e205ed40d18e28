#include "preprocessor/uses.hpp"

namespace mpisim::preprocessor {
namespace {

// Whole structures beyond this size are copied through ordinary pointers: compilers know how to copy those
// well.
constexpr int largest_segment_copy = 16;

bool is_scalar_for_segment(clang::QualType type, clang::ASTContext& context) {
  if (type->isAtomicType() || type->isAnyComplexType()) return false;
  if (type->isRecordType())
    return !type->isIncompleteType() &&
           context.getTypeSizeInChars(type).getQuantity() <= largest_segment_copy;
  return true;
}

// Walks from a use outwards over everything that only selects a part of the object.
class Climb {
 public:
  Climb(const clang::Expr* start, const std::vector<const clang::Stmt*>& parents)
      : at_(start), parents_(parents) {
    next_ = parents.size();
  }
  const clang::Stmt* parent() const { return next_ > 0 ? parents_[next_ - 1] : nullptr; }
  const clang::Expr* at() const { return at_; }
  void up() { at_ = llvm::cast<clang::Expr>(parents_[--next_]); }

 private:
  const clang::Expr* at_;
  const std::vector<const clang::Stmt*>& parents_;
  std::size_t next_;
};

bool is_plain_wrapper(const clang::Stmt* statement) {
  if (llvm::isa<clang::ParenExpr>(statement)) return true;
  const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(statement);
  return unary && unary->getOpcode() == clang::UO_Extension;
}

// The climb stands at an array: does its decay to a pointer end in an access through that pointer (a[i], *a,
// *(a + i), a->member)? If so moves to the lvalue that is accessed.
bool decays_into_access(Climb& climb) {
  climb.up();  // the decay itself
  for (;;) {
    const clang::Stmt* parent = climb.parent();
    if (!parent) return false;
    if (is_plain_wrapper(parent)) {
      climb.up();
    } else if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(parent)) {
      if (subscript->getBase() != climb.at()) return false;
      climb.up();
      return true;
    } else if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(parent)) {
      if (unary->getOpcode() != clang::UO_Deref) return false;
      climb.up();
      return true;
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(parent)) {
      climb.up();
      return member->isArrow();
    } else if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(parent)) {
      if (!binary->isAdditiveOp() || !binary->getType()->isPointerType()) return false;
      climb.up();
    } else {
      return false;
    }
  }
}

bool is_decay(const clang::Stmt* statement) {
  const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(statement);
  return cast && cast->getCastKind() == clang::CK_ArrayToPointerDecay;
}

}  // namespace

Use classify_use(const clang::DeclRefExpr* reference, const std::vector<const clang::Stmt*>& parents,
                 clang::ASTContext& context) {
  Climb climb(reference, parents);
  for (;;) {
    const clang::Stmt* parent = climb.parent();
    if (!parent || climb.at()->getType()->isAtomicType()) return Use::address;
    if (is_plain_wrapper(parent)) {
      climb.up();
      continue;
    }
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(parent)) {
      if (member->isArrow()) return Use::address;
      climb.up();
      continue;
    }
    if (is_decay(parent)) {
      if (!decays_into_access(climb)) return Use::address;
      continue;
    }
    const bool simple = is_scalar_for_segment(climb.at()->getType(), context);
    if (const auto* cast = llvm::dyn_cast<clang::CastExpr>(parent)) {
      if (!simple) return Use::address;
      if (cast->getCastKind() == clang::CK_LValueToRValue) return Use::read;
      return cast->getCastKind() == clang::CK_ToVoid ? Use::segment : Use::address;
    }
    if (const auto* binary = llvm::dyn_cast<clang::BinaryOperator>(parent))
      return simple && binary->isAssignmentOp() && binary->getLHS() == climb.at() ? Use::segment
                                                                                  : Use::address;
    if (const auto* unary = llvm::dyn_cast<clang::UnaryOperator>(parent))
      return simple && unary->isIncrementDecrementOp() ? Use::segment : Use::address;
    return Use::address;
  }
}

}  // namespace mpisim::preprocessor
