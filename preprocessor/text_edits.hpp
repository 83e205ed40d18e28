#pragma once
// Changes to a source text, collected in any order and applied at once.
#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace mpisim::preprocessor {

/// Insertions and replacements by offset into the original text. No edit may contain a line break, so that
/// the line markers of preprocessed text keep their meaning.
class TextEdits {
 public:
  /// Replaces `length` characters at `offset`; a later replacement of the same place wins.
  void replace(std::size_t offset, std::size_t length, std::string text);
  /// Inserts in front of `offset`; insertions at one place keep the order in which they were made.
  void insert(std::size_t offset, std::string_view text);
  /// The same, in front of what `insert` puts there: whole statements before parts of the next one.
  void insert_statement(std::size_t offset, std::string_view text);
  /// Inserts in front of whatever else is inserted at `offset`: what closes something that began earlier.
  void insert_closing(std::size_t offset, std::string_view text);
  bool empty() const { return edits_.empty(); }
  std::string apply(std::string_view original) const;

 private:
  struct Edit {
    std::string inserted;
    std::string closing;
    std::string statements;
    std::size_t removed = 0;
    std::string replacement;
  };
  std::map<std::size_t, Edit> edits_;
};

}  // namespace mpisim::preprocessor
