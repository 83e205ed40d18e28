#pragma once
// What the tests of files share: a directory of their own, and runs with a configuration of PIO-SIM.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>

#include "disk_models/simple.hpp"
#include "mpisim/include/mpi.h"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"
#include "tests/support/mpi_harness.hpp"

/// For programs of ranks: a failed condition ends the rank with its line (modulo 200) as exit status.
#define EXPECT(condition) \
  if (!(condition)) return __LINE__ % 200 + 1

namespace mpisim::test {

constexpr kernel::SimTime millisecond = kernel::SimTime::picoseconds(1'000'000'000);

class Directory {
 public:
  Directory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mpisim-pio-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = pattern;
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_content(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

inline HarnessOptions with(const pio::Config& config, int hosts = 1, int ranks_per_node = 1) {
  HarnessOptions options;
  options.hosts = hosts;
  options.ranks_per_node = ranks_per_node;
  options.extension = [config] { return std::make_shared<pio::WorldIo>(config); };
  return options;
}

inline pio::Config with_collective(pio::Collective collective) {
  pio::Config config;
  config.collective = collective;
  return config;
}

/// Three I/O nodes with a disk each, behind all nodes that tests have.
inline pio::Config with_file_system() {
  pio::Config config;
  config.model = pio::Model::pfs;
  config.disk = disk::factory<disk::Simple>(disk::SimpleParameters{});
  config.pfs.io_nodes = 3;
  config.pfs.first_io_node = 1000;
  config.pfs.stripe_unit = 64;
  return config;
}

inline pio::Config config_of(bool file_system) {
  return file_system ? with_file_system() : pio::Config();
}

/// A program that initialises, runs `inner`, and finalises.
inline std::function<int(int)> program(std::function<int(int)> inner) {
  return [inner = std::move(inner)](int rank) {
    MPI_Init(nullptr, nullptr);
    const int status = inner(rank);
    MPI_Finalize();
    return status;
  };
}

inline std::uint64_t counted(const HarnessResult& result, pio::Counter counter) {
  return result.totals.counters[static_cast<std::size_t>(counter)];
}

inline std::string warnings_of(const HarnessResult& result) {
  std::string text;
  for (const std::string& warning : result.warnings) text += warning + "\n";
  return text;
}

}  // namespace mpisim::test
