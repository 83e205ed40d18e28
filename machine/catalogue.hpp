#pragma once
// Where machine files are.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mpisim::machine {

struct Listed {
  std::string name;  ///< file name without .yaml: what `-m` takes
  std::filesystem::path file;
  std::string description;  ///< of the file, or its first fault
};

/// Folders that are searched, those that exist: $MPISIM_CONFIGS, the source tree's configs/ (in a build
/// tree), the installed share/mpisim/configs (also relative to the running program).
std::vector<std::filesystem::path> config_folders();

/// NAME.yaml in the first of config_folders() that has one.
std::optional<std::filesystem::path> find_listed(const std::string& name);

/// The file that `-m NAME` means: NAME itself if there is such a file or it ends in .yaml or has a slash,
/// else find_listed(NAME), else NAME.
std::filesystem::path find_machine(const std::string& name);

/// All machine files of config_folders(), sorted by name; a name that an earlier folder has hides later ones.
std::vector<Listed> list_machines();

}  // namespace mpisim::machine
