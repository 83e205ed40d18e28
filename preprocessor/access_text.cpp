#include "preprocessor/access_text.hpp"

#include <fmt/format.h>

#include "preprocessor/object_scan.hpp"
#include "preprocessor/variables.hpp"
#include "runtime/target_abi.h"

namespace mpisim::preprocessor {
namespace {

// gcc's keyword is not known to clang when it reads preprocessed text, where it is a macro.
constexpr const char* clang_segment = "__attribute__((address_space(256)))";
constexpr const char* gcc_segment = "__seg_gs";

// typeof drops _Atomic from the type of an atomic object in gcc.
std::string type_of(const clang::VarDecl* variable) {
  return fmt::format("{}__typeof__({})", variable->getType()->isAtomicType() ? "_Atomic " : "",
                     variable->getName().str());
}

}  // namespace

std::string AccessText::image_address(const clang::VarDecl* variable) const {
  const std::string name = variable->getName().str();
  if (options_.pic && Variables::is_module_local(variable))
    return fmt::format("((unsigned long)&{}+__mpisim_module_offset)", name);
  return fmt::format("(unsigned long)&{}", name);
}

// A pointer type to a variable in the segment. gcc loses the address space of an array whose element type
// does not name it, so arrays are spelled out.
std::string AccessText::segment_pointer(const clang::VarDecl* variable) const {
  const char* segment = options_.for_gcc ? gcc_segment : clang_segment;
  const clang::ASTContext& context = variable->getASTContext();
  const clang::ArrayType* array = context.getAsArrayType(variable->getType());
  if (!options_.for_gcc || !array) return fmt::format("{} {}*", type_of(variable), segment);
  std::string element = variable->getName().str();
  std::string bounds;
  for (; array; array = context.getAsArrayType(array->getElementType())) {
    const auto* sized = llvm::dyn_cast<clang::ConstantArrayType>(array);
    bounds += sized ? fmt::format("[{}]", sized->getSize().getZExtValue()) : "[]";
    element += "[0]";
  }
  return fmt::format("__typeof__({}) {}(*){}", element, segment, bounds);
}

std::string AccessText::segment(const clang::VarDecl* variable) const {
  // clang follows an address space cast to the object, which keeps its alias analysis exact; gcc takes a
  // direct cast between disjoint address spaces for a mistake.
  const bool direct = !options_.for_gcc && !(options_.pic && Variables::is_module_local(variable));
  return fmt::format("(*({}){})", segment_pointer(variable),
                     direct ? "&" + variable->getName().str() : image_address(variable));
}

std::string AccessText::displaced(const clang::VarDecl* variable) const {
  const std::string address = fmt::format("{}+__mpisim_delta", image_address(variable));
  const std::string type = type_of(variable);
  // A weak variable that nobody defines has the address null for every rank.
  if (variable->isWeak() && !Variables::definition(variable))
    return fmt::format("(*({}*)(&{}?{}:0))", type, variable->getName().str(), address);
  return fmt::format("(*({}*)({}))", type, address);
}

std::string AccessText::library(const clang::VarDecl* variable, const std::string& library_name) const {
  return fmt::format("(*({}*)mpisim_libc_{}())", type_of(variable), library_name);
}

std::string AccessText::section(bool zero, bool constant, bool holds_addresses, unsigned serial) const {
  // Compilers insist on one set of flags per section and unit, and constants have others than variables.
  if (constant) return fmt::format(" __attribute__((used,section(\"{}.c{}\")))", MPISIM_DATA_SECTION, serial);
  // The image's initial addresses are not what a rank sees: `used` keeps gcc from folding loads of variables
  // that nobody changes.
  return fmt::format(" __attribute__(({}section(\"{}\")))",
                     holds_addresses && options_.for_gcc ? "used," : "",
                     zero ? MPISIM_BSS_SECTION : MPISIM_DATA_SECTION);
}

std::string AccessText::segment_keyword() const {
  return options_.for_gcc ? gcc_segment : clang_segment;
}

std::string AccessText::declarations() const {
  std::string text = fmt::format("extern const unsigned long {} __mpisim_delta;",
                                 options_.for_gcc ? gcc_segment : clang_segment);
  if (options_.pic)
    text += "extern const long __mpisim_module_offset __attribute__((visibility(\"hidden\")));";
  return text;
}

std::string AccessText::note(const std::vector<std::string>& private_externs) const {
  std::string words = fmt::format("mpisim {} {}", MPISIM_ABI_VERSION, options_.pic ? "pic" : "pie");
  for (const std::string& name : private_externs) words += " " + name;
  return fmt::format("__asm__(\".pushsection {},\\\"e\\\",@progbits\\n.asciz \\\"{}\\\"\\n.popsection\");",
                     note_section, words);
}

std::string AccessText::library_declaration(const std::string& library_name) {
  return fmt::format("extern void*mpisim_libc_{}(void) __attribute__((const));", library_name);
}

}  // namespace mpisim::preprocessor
