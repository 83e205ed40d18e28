#pragma once
// Source lines for a process whose heap may be destroyed. Debug information cannot be read without a heap, so
// another process reads it: the same program, which is started again and ends before its main.
#include <cstddef>

namespace mpisim::runtime {

/// To be called before anything can be destroyed.
void prepare_crash_location();

/// What describe_calls() says about the addresses, as terminated text in `text`; empty if it cannot be found.
/// Safe in a handler of a signal: uses system calls and memory that is already there.
void locate_crash(const void* const* addresses, std::size_t count, char* text, std::size_t size);

}  // namespace mpisim::runtime
