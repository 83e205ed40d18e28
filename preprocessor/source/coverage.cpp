#include "preprocessor/source/coverage.hpp"

#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"

namespace mpisim::preprocessor {
namespace {

class MissingCalls : public clang::RecursiveASTVisitor<MissingCalls> {
 public:
  MissingCalls(clang::ASTContext& context, const std::set<std::string>& exports)
      : sources_(context.getSourceManager()), diagnostics_(context.getDiagnostics()), exports_(exports) {
    diagnostic_ = diagnostics_.getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Error,
                                                                   "%0 is not supported yet");
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
    if (!function || !function->getIdentifier() || function->hasBody()) return true;
    const llvm::StringRef name = function->getName();
    if (!name.starts_with("MPI_") && !name.starts_with("PMPI_")) return true;
    const auto* label = function->getAttr<clang::AsmLabelAttr>();
    const std::string symbol = label ? label->getLabel().str() : "mpisim_" + name.str();
    if (!exports_.count(symbol) && !sources_.isInSystemHeader(reference->getLocation()))
      diagnostics_.Report(reference->getLocation(), diagnostic_) << name;
    return true;
  }

 private:
  clang::SourceManager& sources_;
  clang::DiagnosticsEngine& diagnostics_;
  const std::set<std::string>& exports_;
  unsigned diagnostic_;
};

}  // namespace

void report_missing_mpi(clang::ASTContext& context, const std::set<std::string>& runtime_exports) {
  MissingCalls(context, runtime_exports).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace mpisim::preprocessor
