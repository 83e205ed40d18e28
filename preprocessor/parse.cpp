#include "preprocessor/parse.hpp"

#include <memory>

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"

namespace mpisim::preprocessor {
namespace {

class PrivatizeConsumer : public clang::ASTConsumer {
 public:
  PrivatizeConsumer(const PrivatizeOptions* options, RewriteResult& result)
      : options_(options), result_(result) {}

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (!options_ || context.getDiagnostics().hasErrorOccurred()) return;
    TextEdits edits;
    privatize(context, *options_, edits);
    if (context.getDiagnostics().hasErrorOccurred()) return;
    const clang::SourceManager& sources = context.getSourceManager();
    const llvm::StringRef original = sources.getBufferData(sources.getMainFileID());
    result_.text = edits.apply(std::string_view(original.data(), original.size()));
  }

 private:
  const PrivatizeOptions* options_;
  RewriteResult& result_;
};

class PrivatizeAction : public clang::ASTFrontendAction {
 public:
  PrivatizeAction(const PrivatizeOptions* options, RewriteResult& result)
      : options_(options), result_(result) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<PrivatizeConsumer>(options_, result_);
  }

 private:
  const PrivatizeOptions* options_;
  RewriteResult& result_;
};

RewriteResult run(const std::string& file, const std::vector<std::string>& flags,
                  const PrivatizeOptions* options) {
  std::vector<const char*> arguments = {MPISIM_CLANG, "-fsyntax-only", "-Qunused-arguments"};
  for (const std::string& flag : flags) arguments.push_back(flag.c_str());
  for (const char* flag : {"-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument",
                           "-Wno-gnu-line-marker", "-x", "cpp-output"})
    arguments.push_back(flag);
  arguments.push_back(file.c_str());

  RewriteResult result;
  clang::CompilerInstance compiler;
  clang::CreateInvocationOptions invocation_options;
  invocation_options.Diags = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions);
  std::shared_ptr<clang::CompilerInvocation> invocation =
      clang::createInvocation(arguments, invocation_options);
  if (!invocation || invocation_options.Diags->hasErrorOccurred()) return result;
  compiler.setInvocation(invocation);
  compiler.createDiagnostics();
  PrivatizeAction action(options, result);
  result.ok = compiler.ExecuteAction(action) && !compiler.getDiagnostics().hasErrorOccurred();
  return result;
}

}  // namespace

RewriteResult parse_and_privatize(const std::string& preprocessed_file, const std::vector<std::string>& flags,
                                  const PrivatizeOptions& options) {
  return run(preprocessed_file, flags, &options);
}

bool check_syntax(const std::string& preprocessed_file, const std::vector<std::string>& flags) {
  return run(preprocessed_file, flags, nullptr).ok;
}

}  // namespace mpisim::preprocessor
