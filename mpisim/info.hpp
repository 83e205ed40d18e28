#pragma once
// Info objects: pairs of strings in the order in which their keys were first set.
#include <string>
#include <utility>
#include <vector>

namespace mpisim::mpi {

struct Info {
  std::vector<std::pair<std::string, std::string>> pairs;

  void set(const std::string& key, const std::string& value);
  /// Null if the key is not set.
  const std::string* get(const std::string& key) const;
  /// False if the key is not set.
  bool erase(const std::string& key);
};

/// What MPI_INFO_ENV holds for the current rank (MPI-3.1 section 8.7).
Info environment_info();

}  // namespace mpisim::mpi
