#include "preprocessor/source_text.hpp"

#include <algorithm>

#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

namespace mpisim::preprocessor {

SourceText::SourceText(clang::ASTContext& context) : context_(context), sources_(context.getSourceManager()) {
  const llvm::StringRef buffer = sources_.getBufferData(sources_.getMainFileID());
  text_ = std::string_view(buffer.data(), buffer.size());
}

std::size_t SourceText::offset(clang::SourceLocation location) const {
  return sources_.getFileOffset(sources_.getExpansionLoc(location));
}

std::size_t SourceText::end_of_token(clang::SourceLocation location) const {
  return offset(location) + clang::Lexer::MeasureTokenLength(location, sources_, context_.getLangOpts());
}

std::string_view SourceText::slice(clang::SourceRange range) const {
  const std::size_t begin = offset(range.getBegin());
  return text_.substr(begin, end_of_token(range.getEnd()) - begin);
}

std::optional<SourceText::Token> SourceText::token_at(std::size_t offset) const {
  const clang::SourceLocation start = sources_.getLocForStartOfFile(sources_.getMainFileID());
  clang::Lexer lexer(start, context_.getLangOpts(), text_.data(), text_.data() + offset,
                     text_.data() + text_.size());
  for (;;) {
    clang::Token token;
    lexer.LexFromRawLexer(token);
    if (token.is(clang::tok::eof)) return std::nullopt;
    const std::size_t at = sources_.getFileOffset(token.getLocation());
    if (token.is(clang::tok::hash) && token.isAtStartOfLine()) {
      // A line marker or pragma in the middle of a declaration.
      const std::size_t end = text_.find('\n', at);
      if (end == std::string_view::npos) return std::nullopt;
      return token_at(end + 1);
    }
    return Token{at, text_.substr(at, token.getLength())};
  }
}

std::size_t SourceText::end_of_statement(const clang::Stmt* statement) const {
  const clang::Stmt* last = nullptr;
  if (const auto* condition = llvm::dyn_cast<clang::IfStmt>(statement))
    last = condition->getElse() ? condition->getElse() : condition->getThen();
  else if (const auto* loop = llvm::dyn_cast<clang::WhileStmt>(statement))
    last = loop->getBody();
  else if (const auto* count = llvm::dyn_cast<clang::ForStmt>(statement))
    last = count->getBody();
  else if (const auto* choice = llvm::dyn_cast<clang::SwitchStmt>(statement))
    last = choice->getBody();
  else if (const auto* label = llvm::dyn_cast<clang::LabelStmt>(statement))
    last = label->getSubStmt();
  else if (const auto* alternative = llvm::dyn_cast<clang::SwitchCase>(statement))
    last = alternative->getSubStmt();
  else if (const auto* attributed = llvm::dyn_cast<clang::AttributedStmt>(statement))
    last = attributed->getSubStmt();
  if (last) return end_of_statement(last);
  const std::size_t end = end_of_token(statement->getEndLoc());
  if (llvm::isa<clang::CompoundStmt>(statement) || llvm::isa<clang::NullStmt>(statement) ||
      llvm::isa<clang::DeclStmt>(statement))
    return end;
  const std::optional<Token> semicolon = token_at(end);
  return semicolon ? semicolon->offset + semicolon->spelling.size() : end;
}

std::size_t SourceText::before_directives(std::size_t offset) const {
  std::size_t result = offset;
  std::size_t line = text_.rfind('\n', offset == 0 ? 0 : offset - 1);
  if (line == std::string_view::npos) return offset;
  if (text_.substr(line + 1, offset - line - 1).find_first_not_of(" \t") != std::string_view::npos)
    return text_[text_.find_first_not_of(" \t", line + 1)] == '#' ? line : offset;
  bool pragma = false;
  // Upwards over directives and empty lines.
  while (line != 0 && line != std::string_view::npos) {
    const std::size_t above = text_.rfind('\n', line - 1);
    const std::size_t begin = above == std::string_view::npos ? 0 : above + 1;
    const std::string_view content = text_.substr(begin, line - begin);
    const std::size_t first = content.find_first_not_of(" \t");
    if (first != std::string_view::npos && content[first] != '#') break;
    pragma = pragma || content.find("#pragma") != std::string_view::npos;
    line = above;
    if (pragma) result = above;
  }
  return pragma ? result : offset;
}

std::size_t SourceText::end_of_declarator(const clang::VarDecl* variable) const {
  std::size_t position = end_of_token(variable->getLocation());
  std::size_t end = position;
  int depth = 0;
  while (const std::optional<Token> token = token_at(position)) {
    const std::string_view word = token->spelling;
    if (word == "(" || word == "[" || word == "{") ++depth;
    // Closing brackets beyond those seen belong to a declarator such as (*name)[3].
    if (word == ")" || word == "]" || word == "}") depth = std::max(0, depth - 1);
    if (depth == 0 && (word == "=" || word == "," || word == ";")) break;
    position = end = token->offset + word.size();
  }
  return end;
}

std::optional<SourceText::Token> SourceText::find_specifier(
    const clang::VarDecl* variable, std::initializer_list<std::string_view> words) const {
  std::size_t position = offset(variable->getBeginLoc());
  const std::size_t name = offset(variable->getLocation());
  while (position < name) {
    const std::optional<Token> token = token_at(position);
    if (!token || token->offset >= name) break;
    if (std::find(words.begin(), words.end(), token->spelling) != words.end()) return token;
    position = token->offset + token->spelling.size();
  }
  return std::nullopt;
}

}  // namespace mpisim::preprocessor
