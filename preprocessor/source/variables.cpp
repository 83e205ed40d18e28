#include "preprocessor/source/variables.hpp"

#include <set>

#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

namespace mpisim::preprocessor {
namespace {

bool is_library_variable(const std::string& name) {
  static const std::set<std::string> names = {
#define X(name, type) #name,
#define X2(alias, name) #alias,
#include "runtime/libc_variables.def"
#undef X
  };
  return names.count(name) > 0;
}

// Looks for addresses of private data in an initializer.
class AddressSearch : public clang::RecursiveASTVisitor<AddressSearch> {
 public:
  explicit AddressSearch(Variables& variables) : variables_(variables) {}
  bool found() const { return found_; }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
      found_ = found_ || variables_.storage(variable) == Storage::per_rank;
    return !found_;
  }
  // An unnamed object that can be written to is a private variable.
  bool VisitCompoundLiteralExpr(clang::CompoundLiteralExpr* literal) {
    found_ = found_ || !literal->getType().isConstQualified();
    return !found_;
  }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr*) { return true; }
  bool TraverseTypeLoc(clang::TypeLoc) { return true; }

 private:
  Variables& variables_;
  bool found_ = false;
};

bool declared_in_system_header(const clang::VarDecl* variable) {
  const clang::SourceManager& sources = variable->getASTContext().getSourceManager();
  for (const clang::VarDecl* declaration : variable->redecls())
    if (sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation()))) return true;
  return false;
}

const clang::VarDecl* definition(const clang::VarDecl* variable) {
  const clang::VarDecl* tentative = nullptr;
  for (const clang::VarDecl* declaration : variable->redecls()) {
    if (declaration->isThisDeclarationADefinition() == clang::VarDecl::Definition) return declaration;
    if (declaration->isThisDeclarationADefinition() == clang::VarDecl::TentativeDefinition)
      tentative = declaration;
  }
  return tentative;
}

}  // namespace

std::string Variables::symbol(const clang::VarDecl* variable) {
  if (const auto* label = variable->getAttr<clang::AsmLabelAttr>()) return label->getLabel().str();
  return variable->getName().str();
}

Storage Variables::storage(const clang::VarDecl* variable) {
  if (!variable->hasGlobalStorage()) return Storage::automatic;
  const clang::VarDecl* canonical = variable->getCanonicalDecl();
  const auto known = known_.find(canonical);
  if (known != known_.end()) return known->second;
  known_[canonical] = Storage::shared;  // what a constant that refers to itself only would be
  const Storage result = classify(canonical);
  known_[canonical] = result;
  return result;
}

Storage Variables::classify(const clang::VarDecl* canonical) {
  const clang::VarDecl* defined = definition(canonical);
  const bool external = canonical->hasExternalFormalLinkage();
  if (external && !defined) {
    if (is_library_variable(symbol(canonical))) return Storage::library;
    if (declared_in_system_header(canonical)) return Storage::foreign;
  }
  const clang::QualType type = canonical->getType();
  if (external || !type.isConstant(context_) || type.isVolatileQualified()) return Storage::per_rank;
  const bool holds = defined && defined->getInit() && holds_private_addresses(defined->getInit());
  return holds ? Storage::per_rank : Storage::shared;
}

bool Variables::holds_private_addresses(const clang::Expr* initializer) {
  AddressSearch search(*this);
  search.TraverseStmt(const_cast<clang::Expr*>(initializer));
  return search.found();
}

}  // namespace mpisim::preprocessor
