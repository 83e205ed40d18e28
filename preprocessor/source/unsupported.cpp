#include "preprocessor/source/unsupported.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringExtras.h"

namespace mpisim::preprocessor {
namespace {

constexpr const char* no_threads = "a rank is one thread: programs with threads are not supported";
constexpr const char* no_processes =
    "a rank shares its process with others: it cannot create or become another process";

class UnsupportedSearch : public clang::RecursiveASTVisitor<UnsupportedSearch> {
  using Base = clang::RecursiveASTVisitor<UnsupportedSearch>;

 public:
  UnsupportedSearch(clang::ASTContext& context, Variables& variables, clang::DiagnosticIDs::Level calls)
      : context_(context), diagnostics_(context.getDiagnostics()), variables_(variables), calls_(calls) {}

  void run() {
    clang::TranslationUnitDecl* unit = context_.getTranslationUnitDecl();
    for (const clang::Decl* declaration : unit->decls())
      if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration))
        if (variables_.storage(variable) == Storage::per_rank)
          private_names_.insert(Variables::symbol(variable));
    TraverseDecl(unit);
  }

  bool VisitVarDecl(clang::VarDecl* variable) {
    if (variable->getStorageClass() == clang::SC_Register && variable->hasGlobalStorage())
      error(variable->getLocation(), "global register variable '%0' is not supported", variable->getName());
    if (variables_.storage(variable) != Storage::per_rank) return true;
    if (variable->hasAttr<clang::SectionAttr>())
      error(
          variable->getLocation(),
          "variable '%0' is placed in a section of its own and so cannot be private to each rank; remove the "
          "section attribute",
          variable->getName());
    if (variable->getInit()) check_static_initializer(variable->getInit());
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
    if (!function || function->getDefinition() || !function->getIdentifier()) return true;
    if (const char* reason = reason_against_function(function->getName().str()))
      report(calls_, reference->getLocation(), "call of '%0': %1; a rank that gets there ends the run",
             function->getName(), reason);
    return true;
  }

  bool VisitGCCAsmStmt(clang::GCCAsmStmt* statement) {
    check_assembly(statement->getAsmString()->getString(), statement->getAsmLoc());
    for (unsigned i = 0; i < statement->getNumInputs(); ++i) {
      const llvm::StringRef constraint = statement->getInputConstraint(i);
      if (constraint.find_first_of("mrgpXVo0123456789abcdDSqQxyvtufAlR<>[") == llvm::StringRef::npos &&
          variables_.holds_private_addresses(statement->getInputExpr(i)))
        error(
            statement->getInputExpr(i)->getExprLoc(),
            "inline assembly takes the address of a private variable as a constant; use a register or memory "
            "operand (constraint '%0')",
            constraint);
    }
    return true;
  }
  bool VisitFileScopeAsmDecl(clang::FileScopeAsmDecl* declaration) {
    check_assembly(declaration->getAsmString()->getString(), declaration->getAsmLoc());
    return true;
  }

 private:
  template <typename... Arguments>
  void error(clang::SourceLocation location, const char* text, const Arguments&... arguments) {
    report(clang::DiagnosticIDs::Error, location, text, arguments...);
  }

  template <typename... Arguments>
  void report(clang::DiagnosticIDs::Level level, clang::SourceLocation location, const char* text,
              const Arguments&... arguments) {
    if (context_.getSourceManager().isInSystemHeader(location)) return;
    if (!reported_.insert({location.getRawEncoding(), text}).second) return;
    const unsigned id = diagnostics_.getDiagnosticIDs()->getCustomDiagID(level, text);
    clang::DiagnosticBuilder builder = diagnostics_.Report(location, id);
    (builder << ... << arguments);
  }

  // Names of operands in the text of assembly: not instructions and prefixes, comments, %registers,
  // %[operands] and .directives.
  void check_assembly(llvm::StringRef text, clang::SourceLocation location) {
    llvm::SmallVector<llvm::StringRef> statements;
    llvm::SplitString(text, statements, "\n;");
    for (const llvm::StringRef whole : statements) {
      const llvm::StringRef statement = whole.split('#').first.ltrim();
      constexpr const char* in_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.%$[";
      // A directive may be about a variable, as in `.globl x`; an instruction's name is none.
      for (std::size_t at = statement.find_first_not_of(in_names); at < statement.size();) {
        const std::size_t begin = statement.find_first_of(in_names, at);
        if (begin == llvm::StringRef::npos) break;
        at = std::min(statement.find_first_not_of(in_names, begin), statement.size());
        llvm::StringRef name = statement.slice(begin, at);
        name.consume_front("$");
        if (private_names_.count(name.str()))
          error(location, "assembly names the private variable '%0'; pass it as an operand", name);
      }
    }
  }

  // The address of a variable of the C library is known at run time only.
  void check_static_initializer(const clang::Expr* initializer) {
    struct Search : clang::RecursiveASTVisitor<Search> {
      UnsupportedSearch& outer;
      explicit Search(UnsupportedSearch& o) : outer(o) {}
      bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(reference->getDecl());
        if (variable && outer.variables_.storage(variable) == Storage::library)
          outer.error(reference->getLocation(),
                      "initializer takes the address of '%0', of which each rank has its own; assign it in a "
                      "function instead",
                      variable->getName());
        return true;
      }
      bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr*) { return true; }
    } search(*this);
    search.TraverseStmt(const_cast<clang::Expr*>(initializer));
  }

  clang::ASTContext& context_;
  clang::DiagnosticsEngine& diagnostics_;
  Variables& variables_;
  clang::DiagnosticIDs::Level calls_;  // of functions that no rank may call
  std::set<std::string> private_names_;
  std::set<std::pair<unsigned, std::string>> reported_;
};

}  // namespace

const char* reason_against_function(const std::string& name) {
  static const std::map<std::string, const char*> reasons = [] {
    std::map<std::string, const char*> result;
    for (const char* function : {"pthread_create", "thrd_create", "clone"}) result[function] = no_threads;
    for (const char* function :
         {"fork", "vfork", "_Fork", "execl", "execlp", "execle", "execv", "execvp", "execvpe", "execve",
          "fexecve", "posix_spawn", "posix_spawnp", "daemon", "forkpty"})
      result[function] = no_processes;
    return result;
  }();
  const auto found = reasons.find(name);
  return found == reasons.end() ? nullptr : found->second;
}

void report_unsupported(clang::ASTContext& context, Variables& variables, bool calls_are_errors) {
  UnsupportedSearch(context, variables,
                    calls_are_errors ? clang::DiagnosticIDs::Error : clang::DiagnosticIDs::Warning)
      .run();
}

}  // namespace mpisim::preprocessor
