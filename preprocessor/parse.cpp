#include "preprocessor/parse.hpp"

#include <memory>

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "preprocessor/coverage.hpp"
#include "preprocessor/unsupported.hpp"
#include "preprocessor/variables.hpp"

namespace mpisim::preprocessor {
namespace {

// What to do with a unit that has no errors of its own.
struct Task {
  const PrivatizeOptions* privatize = nullptr;
  const std::set<std::string>* coverage = nullptr;
};

class PrivatizeConsumer : public clang::ASTConsumer {
 public:
  PrivatizeConsumer(const Task& task, RewriteResult& result) : task_(task), result_(result) {}

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred()) return;
    if (task_.coverage) {
      Variables variables(context);
      report_unsupported(context, variables);
      report_missing_mpi(context, *task_.coverage);
    }
    if (!task_.privatize) return;
    TextEdits edits;
    privatize(context, *task_.privatize, edits);
    if (context.getDiagnostics().hasErrorOccurred()) return;
    const clang::SourceManager& sources = context.getSourceManager();
    const llvm::StringRef original = sources.getBufferData(sources.getMainFileID());
    result_.text = edits.apply(std::string_view(original.data(), original.size()));
  }

 private:
  Task task_;
  RewriteResult& result_;
};

class PrivatizeAction : public clang::ASTFrontendAction {
 public:
  PrivatizeAction(const Task& task, RewriteResult& result) : task_(task), result_(result) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<PrivatizeConsumer>(task_, result_);
  }

 private:
  Task task_;
  RewriteResult& result_;
};

RewriteResult run(const std::string& file, const std::vector<std::string>& flags, const Task& task) {
  std::vector<const char*> arguments = {MPISIM_CLANG, "-fsyntax-only", "-Qunused-arguments"};
  for (const std::string& flag : flags) arguments.push_back(flag.c_str());
  for (const char* flag : {"-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument",
                           "-Wno-gnu-line-marker", "-x", "cpp-output"})
    arguments.push_back(flag);
  arguments.push_back(file.c_str());

  RewriteResult result;
  clang::CompilerInstance compiler;
  // What clang thinks of the options has been said when it preprocessed the file.
  clang::CreateInvocationOptions invocation_options;
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the diagnostics own their consumer
  invocation_options.Diags = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions,
                                                                        new clang::IgnoringDiagConsumer);
  std::shared_ptr<clang::CompilerInvocation> invocation =
      clang::createInvocation(arguments, invocation_options);
  if (!invocation || invocation_options.Diags->hasErrorOccurred()) return result;
  compiler.setInvocation(invocation);
  compiler.createDiagnostics();
  PrivatizeAction action(task, result);
  result.ok = compiler.ExecuteAction(action) && !compiler.getDiagnostics().hasErrorOccurred();
  return result;
}

}  // namespace

RewriteResult parse_and_privatize(const std::string& preprocessed_file, const std::vector<std::string>& flags,
                                  const PrivatizeOptions& options) {
  return run(preprocessed_file, flags, {&options, nullptr});
}

bool check_syntax(const std::string& preprocessed_file, const std::vector<std::string>& flags) {
  return run(preprocessed_file, flags, {}).ok;
}

bool check_coverage(const std::string& preprocessed_file, const std::vector<std::string>& flags,
                    const std::set<std::string>& runtime_exports) {
  return run(preprocessed_file, flags, {nullptr, &runtime_exports}).ok;
}

}  // namespace mpisim::preprocessor
