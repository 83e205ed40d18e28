#pragma once
// What mpisimcc writes into an object about itself and reads again when it links: words in a section that
// does not reach linked files.
#include <set>
#include <string>

#include "runtime/target_abi.h"

namespace mpisim::preprocessor {

inline constexpr const char* note_section = ".mpisim.note";

/// In front of names of variables that an object takes for a system library's.
inline constexpr char foreign_mark = '!';

/// Assembly that places the note: interface version; pic if the object may be part of a shared library, else
/// pie; counted if it has bodies with counters; then the variables that it uses and does not define: private
/// ones, and, marked, those of system libraries and the linker.
inline std::string object_note(bool pic, bool counted, const std::set<std::string>& private_externs,
                               const std::set<std::string>& foreign) {
  std::string words = "mpisim " + std::to_string(MPISIM_ABI_VERSION) + (pic ? " pic" : " pie") +
                      (counted ? " counted" : " uncounted");
  for (const std::string& name : private_externs) words += " " + name;
  for (const std::string& name : foreign) words += std::string(" ") + foreign_mark + name;
  return std::string(".pushsection ") + note_section + ",\"e\",@progbits\n.asciz \"" + words +
         "\"\n.popsection";
}

}  // namespace mpisim::preprocessor
