#pragma once
// Time of sequential code between MPI calls, by the four ways of `--compute` (design, section 4).
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "simkernel/sim_time.hpp"

namespace mpisim::mpi {

enum class ComputeMode : std::uint8_t { measured, counted, recorded, off };

/// A file that is no record, or cannot be read.
struct WrongRecord : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Durations per call site and visit, written by one run and used by others (`--record FILE`). A site is the
/// offset of the return address of the MPI call that ends a computation; visits are numbered per rank.
class ComputeRecord {
 public:
  /// Reads a record; throws WrongRecord naming file, line and what is wrong.
  void load(const std::string& file);
  /// Writes all durations that were added; throws std::runtime_error.
  void save(const std::string& file) const;
  void add(int rank, std::uint64_t site, kernel::SimTime duration);
  /// The recorded duration, or the site's mean (counted in missing()), or zero for an unknown site.
  kernel::SimTime find(int rank, std::uint64_t site, std::uint32_t visit);
  std::uint64_t missing() const { return missing_; }
  void merge(const std::vector<std::byte>& packed);
  std::vector<std::byte> pack() const;

 private:
  struct Site {
    std::map<int, std::vector<kernel::SimTime>> visits;
    kernel::SimTime total;
    std::int64_t count = 0;
  };
  std::map<std::uint64_t, Site> sites_;
  std::uint64_t missing_ = 0;
};

}  // namespace mpisim::mpi
