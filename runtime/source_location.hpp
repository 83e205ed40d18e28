#pragma once
// From code addresses to source lines, for reports (DWARF line tables; mpisimcc always keeps them).
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mpisim::runtime {

struct SourceLocation {
  std::string function;  ///< empty if unknown
  std::string file;      ///< as the compiler saw it; empty if unknown
  int line = 0;
};

/// Location of the call that returns to `return_address` (or of the instruction at it - 1). Slow: for reports
/// only.
SourceLocation locate(const void* return_address);
/// "file.c:12" (base name kept as given to the compiler) or "?" if unknown.
std::string describe(const void* return_address);

/// Whether the instruction at `address` is code that mpisimcc has linked.
bool is_code_of_target(std::uintptr_t address);

/// The innermost call that the target has made: the address behind it, and the function that it called, as
/// the linker knows it without "__wrap_"; null and empty if there is none.
struct TargetCall {
  const void* address = nullptr;
  std::string called;
};
TargetCall innermost_call();
/// One "#k function at file:line" per line, for the first return addresses of a call stack.
std::string describe_calls(const void* const* addresses, std::size_t count);

/// Addresses are those of another process from now on, which runs the same program.
void locate_in_process(int process);

/// Return addresses of the calling thread's current stack, innermost first, simulator frames left out.
std::vector<const void*> backtrace_of_target();
/// The same without use of the heap: fills the array and returns how many there are.
std::size_t backtrace_of_target(const void** addresses, std::size_t most);

}  // namespace mpisim::runtime
