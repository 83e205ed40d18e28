#include "preprocessor/gcc_dialect.hpp"

#include <map>
#include <string>

#include "clang/AST/RecursiveASTVisitor.h"

namespace mpisim::preprocessor {
namespace {

constexpr llvm::StringRef builtin_prefix = "__c11_atomic_";

class GccDialect : public clang::RecursiveASTVisitor<GccDialect> {
 public:
  GccDialect(const SourceText& source, TextEdits& edits) : source_(source), edits_(edits) {}

  bool VisitTypedefDecl(clang::TypedefDecl* type) {
    if (!type->getName().starts_with("_Float")) return true;
    const std::size_t begin = source_.offset(type->getBeginLoc());
    edits_.replace(begin, source_.end_of_token(type->getEndLoc()) - begin, "");
    return true;
  }

  bool VisitAtomicExpr(clang::AtomicExpr* expression) {
    const std::size_t begin = source_.offset(expression->getBuiltinLoc());
    const auto token = source_.token_at(begin);
    if (!token) return true;
    const std::string old(token->spelling);
    const llvm::StringRef operation(old);
    if (!operation.starts_with(builtin_prefix)) return true;
    const std::string rest = operation.substr(builtin_prefix.size()).str();
    static const std::map<std::string, std::string> names = {
        {"load", "load_n"},
        {"store", "store_n"},
        {"init", "store_n"},
        {"exchange", "exchange_n"},
        {"compare_exchange_strong", "compare_exchange_n"},
        {"compare_exchange_weak", "compare_exchange_n"}};
    const auto found = names.find(rest);
    edits_.replace(begin, old.size(), "__atomic_" + (found == names.end() ? rest : found->second));
    if (rest == "init") edits_.insert(source_.offset(expression->getRParenLoc()), ",0");
    if (rest.rfind("compare_exchange", 0) == 0)
      edits_.insert(source_.offset(expression->getOrder()->getBeginLoc()),
                    rest == "compare_exchange_weak" ? "1," : "0,");
    return true;
  }

  bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(reference->getDecl());
    if (!function || !function->getIdentifier() || !function->getName().starts_with(builtin_prefix))
      return true;
    edits_.replace(source_.offset(reference->getLocation()), function->getName().size(),
                   "__atomic_" + function->getName().substr(builtin_prefix.size()).str());
    return true;
  }

 private:
  const SourceText& source_;
  TextEdits& edits_;
};

}  // namespace

void translate_for_gcc(clang::ASTContext& context, const SourceText& source, TextEdits& edits) {
  GccDialect(source, edits).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace mpisim::preprocessor
