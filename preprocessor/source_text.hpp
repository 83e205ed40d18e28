#pragma once
// The preprocessed text of a unit by offsets, and a little lexing of it.
#include <optional>
#include <string_view>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace mpisim::preprocessor {

class SourceText {
 public:
  explicit SourceText(clang::ASTContext& context);

  std::string_view text() const { return text_; }
  /// Offset of a location in the unit's only file.
  std::size_t offset(clang::SourceLocation location) const;
  /// Offset behind the token that starts at `location`.
  std::size_t end_of_token(clang::SourceLocation location) const;
  /// The text of a range of tokens.
  std::string_view slice(clang::SourceRange range) const;

  struct Token {
    std::size_t offset;
    std::string_view spelling;
  };
  /// The first token at or behind an offset; comments and line markers do not count.
  std::optional<Token> token_at(std::size_t offset) const;
  /// Offset behind a statement, its semicolon included.
  std::size_t end_of_statement(const clang::Stmt* statement) const;
  /// `offset`, or if pragmas or line markers stand in front of it, the end of the line before those.
  std::size_t before_directives(std::size_t offset) const;
  /// Where a declarator ends: in front of its `=`, `,` or `;`, behind an assembler label and attributes.
  std::size_t end_of_declarator(const clang::VarDecl* variable) const;
  /// The token of the declaration specifiers that is spelled as one of `words`, if any.
  std::optional<Token> find_specifier(const clang::VarDecl* variable,
                                      std::initializer_list<std::string_view> words) const;

 private:
  clang::ASTContext& context_;
  clang::SourceManager& sources_;
  std::string_view text_;
};

}  // namespace mpisim::preprocessor
