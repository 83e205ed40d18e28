#pragma once
// What mpisimcc writes into an object about itself and reads again when it links: words in a section that
// does not reach linked files.
#include <set>
#include <string>

#include "runtime/target_abi.h"

namespace mpisim::preprocessor {

inline constexpr const char* note_section = ".mpisim.note";

/// Assembly that places the note: interface version; pic if the object may be part of a shared library, else
/// pie; counted if it has bodies with counters; then the private variables that it uses and does not define.
inline std::string object_note(bool pic, bool counted, const std::set<std::string>& private_externs) {
  std::string words = "mpisim " + std::to_string(MPISIM_ABI_VERSION) + (pic ? " pic" : " pie") +
                      (counted ? " counted" : " uncounted");
  for (const std::string& name : private_externs) words += " " + name;
  return std::string(".pushsection ") + note_section + ",\"e\",@progbits\n.asciz \"" + words +
         "\"\n.popsection";
}

}  // namespace mpisim::preprocessor
