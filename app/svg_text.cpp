#include "app/svg_text.hpp"

#include <algorithm>

namespace mpisim::app {

namespace {

/// Bytes of the UTF-8 character that begins with this one; 1 for what is no beginning.
std::size_t length_of(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte >= 0xF0) return 4;
  if (byte >= 0xE0) return 3;
  return byte >= 0xC0 ? 2 : 1;
}

/// In parts of the font size, rounded up over each group of letters.
double width_of(std::string_view character) {
  if (character.size() > 2) return 1.0;  // beyond Latin, Greek and Cyrillic: may be as wide as high
  constexpr std::string_view narrow = "iljI.,:;|'! ", middle = "frt()[]{}/-\"*", wide = "mwMW@%";
  if (narrow.find(character) != std::string_view::npos) return 0.34;
  if (middle.find(character) != std::string_view::npos) return 0.46;
  if (wide.find(character) != std::string_view::npos) return 1.0;
  return character[0] >= 'A' && character[0] <= 'Z' ? 0.79 : 0.65;
}

constexpr double bold_factor = 1.12;

}  // namespace

double text_width(std::string_view text, double font_size, bool bold) {
  double width = 0;
  while (!text.empty()) {
    const std::size_t length = std::min(length_of(text.front()), text.size());
    width += width_of(text.substr(0, length));
    text.remove_prefix(length);
  }
  return width * font_size * (bold ? bold_factor : 1);
}

std::vector<std::string> wrapped(std::string_view text, double width, double font_size, bool bold) {
  std::vector<std::string> lines{""};
  const auto fits = [&](const std::string& line) { return text_width(line, font_size, bold) <= width; };
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    const std::string longer =
        lines.back().empty() ? std::string(word) : lines.back() + " " + std::string(word);
    if (fits(longer)) {
      lines.back() = longer;
      continue;
    }
    if (!lines.back().empty()) lines.emplace_back();
    for (std::size_t i = 0; i < word.size();) {
      const std::string character(word.substr(i, length_of(word[i])));
      if (!lines.back().empty() && !fits(lines.back() + character)) lines.emplace_back();
      lines.back() += character;
      i += character.size();
    }
  }
  return lines;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace mpisim::app
