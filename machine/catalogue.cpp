#include "machine/catalogue.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>

#include "machine/description.hpp"

namespace mpisim::machine {

namespace fs = std::filesystem;

namespace {

// The running executable or the shared library that this code is part of. The loader knows the executable
// only by the word that it was called by.
fs::path own_binary() {
  static const char here = 0;
  Dl_info module{};
  link_map* loaded = nullptr;
  std::error_code error;
  if (dladdr1(&here, &module, reinterpret_cast<void**>(&loaded), RTLD_DL_LINKMAP) == 0) return {};
  const bool executable = loaded == nullptr || loaded->l_name == nullptr || *loaded->l_name == '\0';
  const fs::path binary = fs::canonical(executable ? "/proc/self/exe" : loaded->l_name, error);
  return error ? fs::path() : binary;
}

}  // namespace

std::vector<fs::path> config_folders() {
  std::vector<fs::path> candidates;
  if (const char* own = std::getenv("MPISIM_CONFIGS")) candidates.emplace_back(own);
  // An installed command or library uses the machine files that were installed with it, wherever that was
  // moved to.
  if (const fs::path binary = own_binary(); !binary.empty())
    candidates.push_back(binary.parent_path().parent_path() / "share/mpisim/configs");
  candidates.emplace_back(MPISIM_SOURCE_CONFIGS);
  candidates.emplace_back(MPISIM_INSTALLED_CONFIGS);
  std::erase_if(candidates, [](const fs::path& folder) {
    std::error_code ignored;
    return !fs::is_directory(folder, ignored);
  });
  return candidates;
}

std::optional<fs::path> find_listed(const std::string& name) {
  std::error_code error;
  for (const fs::path& folder : config_folders()) {
    fs::path file = folder / (name + ".yaml");
    if (fs::is_regular_file(file, error)) return file;
  }
  return std::nullopt;
}

fs::path find_machine(const std::string& name) {
  std::error_code error;
  fs::path given(name);
  if (fs::is_regular_file(given, error) || given.extension() == ".yaml" ||
      name.find('/') != std::string::npos)
    return given;
  return find_listed(name).value_or(given);
}

std::vector<Listed> list_machines() {
  std::vector<Listed> found;
  for (const fs::path& folder : config_folders()) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() != ".yaml") continue;
      const std::string name = entry.path().stem().string();
      const bool hidden =
          std::any_of(found.begin(), found.end(), [&](const Listed& each) { return each.name == name; });
      if (!hidden) found.push_back({name, entry.path(), ""});
    }
  }
  std::sort(found.begin(), found.end(), [](const Listed& a, const Listed& b) { return a.name < b.name; });
  for (Listed& each : found) {
    try {
      each.description = load(each.file).description();
    } catch (const InvalidMachine& error) {
      each.description = "faulty: " + to_string(error.diagnostics().front());
    }
  }
  return found;
}

}  // namespace mpisim::machine
