#include "preprocessor/source_text.hpp"

#include <algorithm>

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
