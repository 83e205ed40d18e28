#pragma once
// Calls that take the name of a file: carried out where the rank means it, and told to the simulation.
#include <fcntl.h>

#include <string>

#include "runtime/libc/descriptor_table.hpp"
#include "runtime/libc/directories.hpp"
#include "runtime/libc/file_use.hpp"

namespace mpisim::runtime {

/// What operation(path) returns.
template <class Operation>
auto named_call(FileUse::Kind kind, const char* path, Operation operation) {
  const RankPath complete(path);
  FileCall call(current_environment());
  const auto result = operation(complete.c_str());
  call.named(kind, complete);
  return result;
}

/// The path of a name in an open directory, a real descriptor; empty if there is none. Without a name: the
/// directory's own.
std::string path_in(int directory, const char* name);

/// The same for functions with a number of the rank's for a directory: what operation(real descriptor, name)
/// returns. Only AT_FDCWD means the working directory.
template <class Operation>
auto named_call_at(FileUse::Kind kind, int directory, const char* path, Operation operation) {
  if (directory == AT_FDCWD || path == nullptr || *path == '/')
    return named_call(kind, path, [&](const char* complete) { return operation(AT_FDCWD, complete); });
  if (RankEnvironment* const rank = current_environment()) rank->services().settle_files();
  const int real = real_directory(directory);
  FileCall call(current_environment());
  const auto result = operation(real, path);
  call.named(kind, path_in(real, path).c_str());
  return result;
}

}  // namespace mpisim::runtime
