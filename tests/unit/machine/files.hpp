#pragma once
// Machine files for tests: those of the project, and short ones in a temporary folder.
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "machine/description.hpp"

/// A folder of its own that goes with the object.
class Folder {
 public:
  Folder() {
    static std::atomic<int> count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("mpisim-machine-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file;
  }
  std::filesystem::path path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline mpisim::machine::Description config(const std::string& name, std::vector<std::string> overrides = {}) {
  return mpisim::machine::load(PROJECT_FOLDER "/configs/" + name + ".yaml", {std::move(overrides), {}});
}

/// The smallest good file; tests put lines behind it.
inline const std::string minimal = "schema_version: 1\nname: small\nnetwork: {model: ideal}\n";

inline mpisim::machine::Description load_text(const std::string& text,
                                              std::vector<std::string> overrides = {}) {
  const Folder folder;
  return mpisim::machine::load(folder.write("machine.yaml", text), {std::move(overrides), {}});
}

/// All faults of a file, one per line, with places relative to its folder.
inline std::string faults(const std::string& text, std::vector<std::string> overrides = {}) {
  const Folder folder;
  const std::string prefix = folder.path().string() + "/";
  std::string result;
  for (const auto& each :
       mpisim::machine::check_file(folder.write("machine.yaml", text), {std::move(overrides), {}}))
    result += mpisim::machine::to_string(each) + "\n";
  for (std::size_t at = result.find(prefix); at != std::string::npos; at = result.find(prefix))
    result.erase(at, prefix.size());
  return result;
}
