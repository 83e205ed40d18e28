#pragma once
// What is in object files, archives and shared libraries, as far as linking needs to know.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "preprocessor/command_line.hpp"

namespace mpisim::preprocessor {

/// One object file, or one member of an archive.
struct ObjectFacts {
  std::string label;  ///< path, with the member's name in parentheses
  bool archive_member = false;
  bool weak_main = false;
  bool ours = false;          ///< made by mpisimcc
  int interface_version = 0;  ///< MPISIM_ABI_VERSION of the mpisimcc that made it; known for ours only
  bool counted = false;       ///< all of it has bodies with counters; known for ours only
  bool has_code = false;
  bool position_independent = false;  ///< -fPIC; known for ours only
  bool writable_data = false;         ///< has variables outside of the private image
  std::set<std::string> defined;
  std::set<std::string> undefined;
  /// A variable that the object defines.
  struct Variable {
    std::uint64_t bytes = 0;
    bool weak = false;  ///< may be merged with one of another object
  };
  std::map<std::string, Variable> variables;
  std::set<std::string> private_externs;  ///< used as private data of another object; known for ours only
  std::set<std::string> foreign_externs;  ///< used as a system library's or the linker's; known for ours only
};

/// Names that a shared library exports.
std::set<std::string> exported_symbols(const std::string& shared_library);

/// All objects that a link names, and the members of the archives that it names or finds by -l in the
/// directories of its own -L options.
std::vector<ObjectFacts> scan_inputs(const std::vector<std::string>& objects, const CommandLine& line);

/// Without the archive members that nothing refers to (beginning with `roots`).
std::vector<ObjectFacts> linked_objects(std::vector<ObjectFacts> all, const std::set<std::string>& roots);

/// In a linked file: names of the variables in `wanted` that it defines outside of its private image.
std::set<std::string> outside_private_image(const std::string& linked, const std::set<std::string>& wanted);

/// Of `wanted`, what the linked file leaves to shared libraries.
std::set<std::string> left_to_libraries(const std::string& linked, const std::set<std::string>& wanted);

/// Names that a shared library's private image defines; empty if mpisimcc did not make it.
std::set<std::string> private_exports(const std::string& shared_library);

/// Whether a shared library that mpisimcc did not make has variables that can change.
bool has_shared_variables(const std::string& shared_library);

/// Names of the shared libraries that a linked file needs.
std::vector<std::string> needed_libraries(const std::string& linked);

/// Whether a linked file has functions with counters.
bool has_counters(const std::string& linked);

/// Shared libraries that a link names, or finds by -l in the directories of its own -L options.
std::vector<std::string> shared_libraries(const std::vector<std::string>& objects, const CommandLine& line);

}  // namespace mpisim::preprocessor
