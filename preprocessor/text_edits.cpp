#include "preprocessor/text_edits.hpp"

#include <utility>

namespace mpisim::preprocessor {

void TextEdits::replace(std::size_t offset, std::size_t length, std::string text) {
  Edit& edit = edits_[offset];
  edit.removed = length;
  edit.replacement = std::move(text);
}

void TextEdits::insert(std::size_t offset, std::string_view text) {
  edits_[offset].inserted += text;
}

void TextEdits::insert_statement(std::size_t offset, std::string_view text) {
  edits_[offset].statements += text;
}

void TextEdits::insert_closing(std::size_t offset, std::string_view text) {
  edits_[offset].closing += text;
}

std::string TextEdits::apply(std::string_view original) const {
  std::string result;
  result.reserve(original.size() + 64 * edits_.size());
  std::size_t position = 0;
  for (const auto& [offset, edit] : edits_) {
    if (offset < position) continue;  // inside of what a wider edit has replaced
    if (offset > position) {
      result.append(original, position, offset - position);
      position = offset;
    }
    result += edit.closing;
    result += edit.statements;
    result += edit.inserted;
    result += edit.replacement;
    if (edit.removed > 0) position = offset + edit.removed;
  }
  result.append(original, position);
  return result;
}

}  // namespace mpisim::preprocessor
