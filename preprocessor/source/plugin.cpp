// What mpisimcc adds to clang's reading of a source: refusals at their places, and facts that the IR does not
// tell.
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "preprocessor/pass/unit_facts.hpp"
#include "preprocessor/source/coverage.hpp"
#include "preprocessor/source/unsupported.hpp"
#include "preprocessor/source/variables.hpp"

namespace {

using namespace mpisim::preprocessor;
using Names = std::set<std::string>;

class ForeignVariables : public clang::RecursiveASTVisitor<ForeignVariables> {
 public:
  explicit ForeignVariables(Variables& variables) : variables_(variables) {}
  bool VisitVarDecl(clang::VarDecl* variable) {
    if (variables_.storage(variable) == Storage::foreign)
      unit_facts().foreign.insert(Variables::symbol(variable));
    return true;
  }

 private:
  Variables& variables_;
};

class SourceConsumer : public clang::ASTConsumer {
 public:
  explicit SourceConsumer(std::optional<Names> exports) : exports_(std::move(exports)) {}

  // Old programs' main may end without a result.
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* declaration : group)
      if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
          function && function->isMain() && function->getReturnType()->isIntegerType())
        function->setHasImplicitReturnZero(true);
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred()) return;
    Variables variables(context);
    report_unsupported(context, variables, exports_.has_value());
    if (exports_) return report_missing_mpi(context, *exports_);
    unit_facts().foreign.clear();
    ForeignVariables(variables).TraverseDecl(context.getTranslationUnitDecl());
  }

 private:
  std::optional<Names> exports_;
};

// Arguments: `no-counted` leaves the counters out; `coverage=FILE` reports uses of MPI functions that the
// file, a name on each line, does not list.
class SourceAction : public clang::PluginASTAction {
 public:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<SourceConsumer>(std::move(exports_));
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>& arguments) override {
    for (const std::string& argument : arguments) {
      const llvm::StringRef word = argument;
      if (word == "no-counted") unit_facts().counted = false;
      if (!word.starts_with("coverage=")) continue;
      std::ifstream names(word.substr(9).str());
      exports_.emplace();
      for (std::string name; names >> name;) exports_->insert(name);
    }
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }

 private:
  std::optional<Names> exports_;
};

}  // namespace

static clang::FrontendPluginRegistry::Add<SourceAction> registered("mpisim",
                                                                   "checks that ranks can run a program");
