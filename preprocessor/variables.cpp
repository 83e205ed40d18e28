#include "preprocessor/variables.hpp"

#include <map>
#include <set>

#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

namespace mpisim::preprocessor {
namespace {

const std::map<std::string, std::string>& library_variables() {
  static const std::map<std::string, std::string> names = {
#define X(name, type) {#name, #name},
#define X2(alias, name) {#alias, #name},
#include "runtime/libc_variables.def"
#undef X
  };
  return names;
}

// Symbols that the linker or the C start code defines.
bool is_linker_symbol(llvm::StringRef name) {
  static const std::set<std::string> names = {"end",          "_end",
                                              "edata",        "_edata",
                                              "etext",        "_etext",
                                              "__bss_start",  "__data_start",
                                              "data_start",   "__executable_start",
                                              "__dso_handle", "_DYNAMIC",
                                              "__ehdr_start", "_GLOBAL_OFFSET_TABLE_"};
  return name.starts_with("__start_") || name.starts_with("__stop_") || names.count(name.str()) > 0;
}

bool all_zero(const clang::APValue& value) {
  switch (value.getKind()) {
    case clang::APValue::Int:
      return value.getInt().isZero();
    case clang::APValue::Float:
      return value.getFloat().bitcastToAPInt().isZero();
    case clang::APValue::ComplexInt:
      return value.getComplexIntReal().isZero() && value.getComplexIntImag().isZero();
    case clang::APValue::ComplexFloat:
      return value.getComplexFloatReal().bitcastToAPInt().isZero() &&
             value.getComplexFloatImag().bitcastToAPInt().isZero();
    case clang::APValue::LValue:
      return value.isNullPointer() && value.getLValueOffset().isZero();
    case clang::APValue::Array:
      for (unsigned i = 0; i < value.getArrayInitializedElts(); ++i)
        if (!all_zero(value.getArrayInitializedElt(i))) return false;
      return !value.hasArrayFiller() || all_zero(value.getArrayFiller());
    case clang::APValue::Struct:
      for (unsigned i = 0; i < value.getStructNumFields(); ++i)
        if (!all_zero(value.getStructField(i))) return false;
      return true;
    case clang::APValue::Union:
      return !value.getUnionField() || all_zero(value.getUnionValue());
    case clang::APValue::Vector:
      for (unsigned i = 0; i < value.getVectorLength(); ++i)
        if (!all_zero(value.getVectorElt(i))) return false;
      return true;
    case clang::APValue::None:
    case clang::APValue::Indeterminate:
      return true;
    default:
      return false;
  }
}

// Looks for addresses of private data in an initializer.
class AddressSearch : public clang::RecursiveASTVisitor<AddressSearch> {
 public:
  explicit AddressSearch(Variables& variables) : variables_(variables) {}
  bool found() const { return found_; }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl()))
      found_ = found_ || variables_.placement(variable) == Placement::per_rank;
    return !found_;
  }
  // An unnamed object that can be written to becomes a private variable.
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

}  // namespace

bool is_library_variable(const std::string& name) {
  return library_variables().count(name) > 0;
}

std::string Variables::library_name(const clang::VarDecl* variable) {
  return library_variables().at(variable->getName().str());
}

const clang::VarDecl* Variables::definition(const clang::VarDecl* variable) {
  const clang::VarDecl* tentative = nullptr;
  for (const clang::VarDecl* declaration : variable->redecls()) {
    switch (declaration->isThisDeclarationADefinition()) {
      case clang::VarDecl::Definition:
        return declaration;
      case clang::VarDecl::TentativeDefinition:
        tentative = declaration;
        break;
      case clang::VarDecl::DeclarationOnly:
        break;
    }
  }
  return tentative;
}

bool Variables::is_module_local(const clang::VarDecl* variable) {
  return !variable->hasExternalFormalLinkage() || variable->getVisibility() != clang::DefaultVisibility;
}

Placement Variables::placement(const clang::VarDecl* variable) {
  if (!variable->hasGlobalStorage()) return Placement::automatic;
  const clang::VarDecl* canonical = variable->getCanonicalDecl();
  const auto known = known_.find(canonical);
  if (known != known_.end()) return known->second;
  known_[canonical] = Placement::shared;  // what a constant that refers to itself only would be
  const Placement result = classify(canonical);
  known_[canonical] = result;
  return result;
}

Placement Variables::classify(const clang::VarDecl* canonical) {
  const clang::VarDecl* defined = definition(canonical);
  const bool external = canonical->hasExternalFormalLinkage();
  if (external && !defined) {
    if (canonical->getIdentifier() && is_library_variable(canonical->getName().str()))
      return Placement::library;
    if (canonical->getIdentifier() && is_linker_symbol(canonical->getName())) return Placement::foreign;
  }
  if (!defined && declared_in_system_header(canonical)) return Placement::foreign;
  const clang::QualType type = canonical->getType();
  if (external || !type.isConstant(context_) || type.isVolatileQualified()) return Placement::per_rank;
  if (defined && defined->getInit() && holds_private_addresses(defined->getInit()))
    return Placement::per_rank;
  return Placement::shared;
}

bool Variables::holds_private_addresses(const clang::Expr* initializer) {
  AddressSearch search(*this);
  search.TraverseStmt(const_cast<clang::Expr*>(initializer));
  return search.found();
}

bool Variables::readable_in_image(const clang::VarDecl* variable) {
  const clang::VarDecl* defined = definition(variable);
  const clang::QualType type = variable->getType();
  return defined && defined->getInit() && !defined->isWeak() && type.isConstant(context_) &&
         !type.isVolatileQualified() && !holds_private_addresses(defined->getInit());
}

bool Variables::is_zero(const clang::VarDecl* variable) {
  const clang::VarDecl* defined = definition(variable);
  if (!defined || !defined->getInit()) return true;
  const clang::APValue* value = defined->evaluateValue();
  return value && all_zero(*value);
}

}  // namespace mpisim::preprocessor
