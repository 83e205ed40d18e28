#include "preprocessor/privatizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/StringExtras.h"
#include "preprocessor/access_text.hpp"
#include "preprocessor/cost_counters.hpp"
#include "preprocessor/gcc_dialect.hpp"
#include "preprocessor/source_text.hpp"
#include "preprocessor/unsupported.hpp"
#include "preprocessor/uses.hpp"
#include "preprocessor/variables.hpp"

namespace mpisim::preprocessor {
namespace {

// One walk over the unit. Parts that are not evaluated at run time (initializers of static data, sizeof,
// typeof, constant expressions) keep the variables' plain names.
class Privatizer : public clang::RecursiveASTVisitor<Privatizer> {
  using Base = clang::RecursiveASTVisitor<Privatizer>;

 public:
  Privatizer(clang::ASTContext& context, const PrivatizeOptions& options, TextEdits& edits)
      : context_(context),
        source_(context),
        variables_(context),
        access_(options),
        edits_(edits),
        for_gcc_(options.for_gcc),
        counted_(options.counted),
        common_(options.common) {}

  void run() {
    TraverseDecl(context_.getTranslationUnitDecl());
    declare_what_was_used();
    if (for_gcc_) translate_for_gcc(context_, source_, edits_);
    report_unsupported(context_, variables_);
  }

  bool dataTraverseStmtPre(clang::Stmt* statement) {
    parents_.push_back(statement);
    return true;
  }
  bool dataTraverseStmtPost(clang::Stmt*) {
    parents_.pop_back();
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
    if (!variable) return true;
    switch (variables_.placement(variable)) {
      case Placement::per_rank:
        rewrite_private_use(reference, variable);
        break;
      case Placement::library: {
        const std::string name = Variables::library_name(variable);
        used_library_variables_.insert(name);
        replace_name(reference, access_.library(variable, name));
        break;
      }
      case Placement::automatic:
      case Placement::shared:
      case Placement::foreign:
        break;
    }
    return true;
  }

  bool TraverseVarDecl(clang::VarDecl* variable) {
    if (!variable->hasGlobalStorage()) {
      const bool deduced = variable->getType()->getContainedAutoType() != nullptr;
      only_ordinary_pointers_ += deduced;
      const bool result = Base::TraverseVarDecl(variable);
      only_ordinary_pointers_ -= deduced;
      return result;
    }
    if (variable->getTypeSourceInfo() && variable->getType()->isVariablyModifiedType())
      TraverseTypeLoc(variable->getTypeSourceInfo()->getTypeLoc());
    rewrite_declaration(variable);
    return true;
  }

  bool TraverseFunctionDecl(clang::FunctionDecl* function) {
    if (function->isMain() && function->isFirstDecl()) rename_main(function);
    if (function->isMain() && function->doesThisDeclarationHaveABody() &&
        !function->getReturnType()->isVoidType())
      edits_.insert(source_.offset(function->getBody()->getEndLoc()), " return 0;");
    return Base::TraverseFunctionDecl(function);
  }

  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr* expression) {
    if (!expression->getTypeOfArgument()->isVariablyModifiedType()) return true;
    return Base::TraverseUnaryExprOrTypeTraitExpr(expression);
  }
  bool TraverseTypeOfExprTypeLoc(clang::TypeOfExprTypeLoc type) {
    if (!type.getUnderlyingExpr()->getType()->isVariablyModifiedType()) return true;
    ++only_ordinary_pointers_;
    const bool result = Base::TraverseTypeOfExprTypeLoc(type);
    --only_ordinary_pointers_;
    return result;
  }
  bool TraverseGenericSelectionExpr(clang::GenericSelectionExpr* selection) {
    return TraverseStmt(selection->getResultExpr());
  }
  bool TraverseChooseExpr(clang::ChooseExpr* choice) { return TraverseStmt(choice->getChosenSubExpr()); }
  bool TraverseConstantExpr(clang::ConstantExpr*) { return true; }
  bool TraverseConstantArrayTypeLoc(clang::ConstantArrayTypeLoc array) {
    return TraverseTypeLoc(array.getElementLoc());
  }
  bool TraverseFieldDecl(clang::FieldDecl*) { return true; }
  bool TraverseEnumDecl(clang::EnumDecl*) { return true; }
  bool TraverseStaticAssertDecl(clang::StaticAssertDecl*) { return true; }

 private:
  void replace_name(const clang::DeclRefExpr* reference, std::string text) {
    const std::size_t length = reference->getDecl()->getName().size();
    edits_.replace(source_.offset(reference->getLocation()), length, std::move(text));
  }

  void rewrite_private_use(const clang::DeclRefExpr* reference, const clang::VarDecl* variable) {
    note_extern(variable);
    parents_.pop_back();  // `reference` itself
    const Use use = classify_use(reference, parents_, context_);
    parents_.push_back(reference);
    if (use == Use::read && variables_.readable_in_image(variable)) return;
    // An expression may be visited in more than one role (the syntactic and the semantic form of an
    // initializer list): the ordinary pointer is right in each.
    const bool address = use == Use::address || only_ordinary_pointers_ > 0 ||
                         needs_address_.count(reference->getLocation().getRawEncoding()) > 0;
    if (address) needs_address_.insert(reference->getLocation().getRawEncoding());
    replace_name(reference, address ? access_.displaced(variable) : access_.segment(variable));
  }

  void note_extern(const clang::VarDecl* variable) {
    if (Variables::definition(variable) || !variable->hasExternalFormalLinkage() || variable->isWeak())
      return;
    const auto* label = variable->getAttr<clang::AsmLabelAttr>();
    private_externs_.insert(label ? label->getLabel().str() : variable->getName().str());
  }

  void rewrite_declaration(clang::VarDecl* variable) {
    if (variables_.placement(variable) != Placement::per_rank) return;
    if (const auto thread = source_.find_specifier(variable, {"__thread", "_Thread_local", "thread_local"}))
      edits_.replace(thread->offset, thread->spelling.size(), "");
    hoist_compound_literals(variable);
    if (variable->isThisDeclarationADefinition() == clang::VarDecl::DeclarationOnly) return;
    if (variable->hasAttr<clang::AliasAttr>()) return;
    if (variable->hasExternalFormalLinkage() && is_library_variable(variable->getName().str()))
      defined_library_variables_.insert(variable->getName().str());
    const clang::VarDecl* defined = Variables::definition(variable);
    const clang::Expr* initializer = defined->getInit();
    const bool merged = common_ && initializer == nullptr && variable->hasExternalFormalLinkage() &&
                        !variable->hasAttr<clang::SectionAttr>();
    if (merged) edits_.insert(source_.end_of_declarator(variable), AccessText::merged());
    edits_.insert(source_.end_of_declarator(variable),
                  access_.section(variables_.is_zero(variable), variable->getType().isConstant(context_),
                                  initializer && variables_.holds_private_addresses(initializer), ++serial_));
  }

  // Unnamed objects at file scope, whose address some initializer takes, become named private variables.
  void hoist_compound_literals(const clang::VarDecl* variable);

  void rename_main(const clang::FunctionDecl* function) {
    std::string parameters;
    if (context_.getLangOpts().C23) parameters = function->getNumParams() == 0 ? "void" : "int,char**";
    const std::string type = function->getReturnType().getAsString();
    edits_.insert(source_.offset(function->getBeginLoc()),
                  fmt::format("extern {} main({}) __asm__(\"__mpisim_user_main\"); ", type, parameters));
  }

  // Declarations go behind the first line, which is a line marker that the compilers look at.
  void declare_what_was_used() {
    const std::string counters =
        counted_ ? insert_counters(context_, source_, access_.segment_keyword(), edits_) : std::string();
    std::string text = "# 1 \"<mpisim>\" 1 3\n" + access_.declarations() + counters +
                       access_.note({private_externs_.begin(), private_externs_.end()});
    for (const std::string& name : used_library_variables_) text += AccessText::library_declaration(name);
    const std::string_view original = source_.text();
    const std::size_t first_line_end = original.find('\n');
    if (first_line_end == std::string_view::npos) return;
    std::string_view marker = original.substr(0, first_line_end);
    edits_.insert(first_line_end + 1, fmt::format("{}\n{} 2\n", text, marker));
    if (defined_library_variables_.empty()) return;
    std::string accessors = "\n# 1 \"<mpisim>\" 1 3\n";
    for (const std::string& name : defined_library_variables_)
      accessors += fmt::format(
          "void*mpisim_libc_{0}(void){{return(void*)((unsigned long)&{0}+__mpisim_delta);}}", name);
    edits_.insert(original.size(), accessors + "\n");
  }

  clang::ASTContext& context_;
  SourceText source_;
  Variables variables_;
  AccessText access_;
  TextEdits& edits_;
  const bool for_gcc_;
  const bool counted_;
  const bool common_;
  std::vector<const clang::Stmt*> parents_;
  int only_ordinary_pointers_ = 0;
  std::set<unsigned> needs_address_;
  std::set<std::string> private_externs_;
  std::set<std::string> used_library_variables_;
  std::set<std::string> defined_library_variables_;
  unsigned serial_ = 0;
};

// Finds the compound literals of an initializer that are objects (their address is taken), innermost last.
class LiteralSearch : public clang::RecursiveASTVisitor<LiteralSearch> {
 public:
  std::vector<const clang::CompoundLiteralExpr*> found;

  bool dataTraverseStmtPre(clang::Stmt* statement) {
    parents_.push_back(statement);
    return true;
  }
  bool dataTraverseStmtPost(clang::Stmt*) {
    parents_.pop_back();
    return true;
  }
  bool VisitCompoundLiteralExpr(clang::CompoundLiteralExpr* literal) {
    const clang::Stmt* parent = parents_.size() > 1 ? parents_[parents_.size() - 2] : nullptr;
    const auto* cast = llvm::dyn_cast_or_null<clang::ImplicitCastExpr>(parent);
    const bool only_value = !parent || (cast && cast->getCastKind() == clang::CK_LValueToRValue) ||
                            llvm::isa<clang::InitListExpr>(parent);
    if (!only_value && seen_.insert(literal).second) found.push_back(literal);
    return true;
  }

 private:
  std::vector<const clang::Stmt*> parents_;
  std::set<const clang::Stmt*> seen_;
};

// A piece of preprocessed text without its line breaks and line markers.
std::string single_line(std::string_view text) {
  std::string result;
  for (const llvm::StringRef line : llvm::split(llvm::StringRef(text.data(), text.size()), '\n'))
    if (!line.ltrim().starts_with("#")) result += line.str() + " ";
  return result;
}

// Nothing but the line breaks and line markers of a piece of text.
std::string line_structure(std::string_view text) {
  std::string result;
  bool first = true;
  for (const llvm::StringRef line : llvm::split(llvm::StringRef(text.data(), text.size()), '\n')) {
    if (!first) result += "\n";
    if (!first && line.ltrim().starts_with("#")) result += line.str();
    first = false;
  }
  return result;
}

void Privatizer::hoist_compound_literals(const clang::VarDecl* variable) {
  if (variable->isThisDeclarationADefinition() != clang::VarDecl::Definition || !variable->getInit()) return;
  LiteralSearch search;
  search.TraverseStmt(const_cast<clang::Expr*>(variable->getInit()));
  std::string hoisted;
  // From the inside out: the initializer of a literal may hold others, which are then declared before it.
  std::vector<std::pair<clang::SourceRange, std::string>> names;
  for (auto literal = search.found.rbegin(); literal != search.found.rend(); ++literal) {
    const std::string name = fmt::format("__mpisim_unnamed_{}", ++serial_);
    const clang::SourceRange initializer = (*literal)->getInitializer()->getSourceRange();
    TextEdits inner;
    const std::size_t begin = source_.offset(initializer.getBegin());
    for (const auto& [range, inner_name] : names) {
      const std::size_t at = source_.offset(range.getBegin());
      const std::size_t end = source_.end_of_token(range.getEnd());
      if (at >= begin && end <= source_.end_of_token(initializer.getEnd()))
        inner.replace(at - begin, end - at, inner_name);
    }
    std::string text = inner.apply(source_.slice(initializer));
    std::string type(source_.slice((*literal)->getTypeSourceInfo()->getTypeLoc().getSourceRange()));
    const bool constant = (*literal)->getType().isConstant(context_);
    text = single_line(text);
    type = single_line(type);
    hoisted += fmt::format("static __typeof__({}) {}{} = {}; ", type, name,
                           access_.section(false, constant, true, ++serial_), text);
    names.emplace_back((*literal)->getSourceRange(), name);
  }
  if (names.empty()) return;
  edits_.insert(source_.offset(variable->getBeginLoc()), hoisted);
  for (const auto& [range, name] : names) {
    const std::size_t at = source_.offset(range.getBegin());
    const std::string_view old = source_.slice(range);
    edits_.replace(at, old.size(), name + line_structure(old));
  }
}

}  // namespace

void privatize(clang::ASTContext& context, const PrivatizeOptions& options, TextEdits& edits) {
  Privatizer(context, options, edits).run();
}

}  // namespace mpisim::preprocessor
