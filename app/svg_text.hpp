#pragma once
// Words in an SVG picture: how much room they take, and how they are broken into lines so that none is cut.
#include <string>
#include <string_view>
#include <vector>

namespace mpisim::app {

/// Width of UTF-8 text in pixels at a font size, rather too wide than too narrow: that of DejaVu Sans, the
/// widest of the fonts that viewers take for sans-serif.
double text_width(std::string_view text, double font_size, bool bold = false);

/// Lines no wider than `width`, broken at blanks, and inside words that are wider than a line. At least one.
std::vector<std::string> wrapped(std::string_view text, double width, double font_size, bool bold = false);

/// With the characters that XML gives a meaning replaced.
std::string escaped(std::string_view text);

}  // namespace mpisim::app
