#pragma once
// Where the compilers and our own files are.
#include <string>

namespace mpisim::preprocessor {

struct Toolchain {
  std::string clang;
  std::string include_directory;  ///< of mpi.h
  std::string library_directory;  ///< of libmpisim.so
  std::string support_directory;  ///< start objects, linker script, plugins of the compiler

  std::string start_object(bool shared) const;
  std::string linker_script() const { return support_directory + "/image.ld"; }
  std::string source_plugin() const { return support_directory + "/libmpisim_source.so"; }
  std::string pass_plugin() const { return support_directory + "/libmpisim_pass.so"; }
  std::string runtime_library() const { return library_directory + "/libmpisim.so"; }
};

/// Finds everything relative to this program's own file: in a build tree or where it was installed.
Toolchain find_toolchain();

}  // namespace mpisim::preprocessor
