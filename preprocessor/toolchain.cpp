#include "preprocessor/toolchain.hpp"

#include <filesystem>

namespace mpisim::preprocessor {

std::string Toolchain::start_object(bool shared) const {
  return support_directory + (shared ? "/start_library.o" : "/start_executable.o");
}

Toolchain find_toolchain() {
  namespace fs = std::filesystem;
  const fs::path root = fs::canonical("/proc/self/exe").parent_path().parent_path();
  Toolchain result;
  result.clang = MPISIM_CLANG;
  result.library_directory = (root / MPISIM_LIBRARY_DIRECTORY).string();
  result.support_directory = (root / MPISIM_LIBRARY_DIRECTORY / "mpisim").string();
  result.include_directory = (root / "include" / "mpisim").string();
  // In a build tree libraries are in lib, and the header is in the source tree.
  if (root == fs::path(MPISIM_BUILD_TREE)) {
    result.library_directory = (root / "lib").string();
    result.support_directory = (root / "lib" / "mpisim").string();
    result.include_directory = MPISIM_SOURCE_INCLUDE;
  }
  return result;
}

}  // namespace mpisim::preprocessor
