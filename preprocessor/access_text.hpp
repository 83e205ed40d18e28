#pragma once
// The expressions and declarations that privatized code is made of.
#include <string>
#include <vector>

#include "clang/AST/Decl.h"
#include "preprocessor/privatizer.hpp"

namespace mpisim::preprocessor {

/// Writes the C text that replaces uses of variables. All results are lvalues of the variable's type.
class AccessText {
 public:
  explicit AccessText(const PrivatizeOptions& options) : options_(options) {}

  /// GS-relative access to a private variable.
  std::string segment(const clang::VarDecl* variable) const;
  /// Access through an ordinary pointer, for what takes the address of the variable or of a part of it.
  std::string displaced(const clang::VarDecl* variable) const;
  /// Access to this rank's instance of a variable of the C library.
  std::string library(const clang::VarDecl* variable, const std::string& library_name) const;
  /// Attribute that places a private variable; `serial` tells constants of a unit apart.
  std::string section(bool zero, bool constant, bool holds_addresses, unsigned serial) const;
  /// Attribute that lets the linker merge a tentative definition with those of other units; empty if none is
  /// needed. A common symbol cannot lie in a section of ours, a weak one can.
  static std::string merged() { return " __attribute__((weak))"; }
  /// The qualifier of what lies in the segment that GS points to.
  std::string segment_keyword() const;
  /// Declarations that the above rely on, on one line.
  std::string declarations() const;
  /// Top-level assembly that describes the object to the link step; see note_section.
  std::string note(const std::vector<std::string>& private_externs) const;
  static std::string library_declaration(const std::string& library_name);

 private:
  std::string segment_pointer(const clang::VarDecl* variable) const;
  std::string image_address(const clang::VarDecl* variable) const;
  PrivatizeOptions options_;
};

}  // namespace mpisim::preprocessor
