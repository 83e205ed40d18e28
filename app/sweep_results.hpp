#pragma once
// Results of a sweep as a table: one row per point, written as CSV, JSON and plots.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/sweep_study.hpp"

namespace mpisim::app {

/// What became of one run of a point.
struct PointRun {
  int exit_status = 0;      ///< of `mpisim run`
  std::string json;         ///< the run's JSON document; empty if there is none
  std::string explanation;  ///< its standard error if it failed

  bool good() const { return exit_status == 0 && !json.empty(); }
};

/// What became of one point.
struct PointResult {
  Point point;
  std::string skipped;         ///< why the point was not run; empty if it was
  std::vector<PointRun> runs;  ///< one per repetition; empty if skipped

  /// The first run that failed; null if there is none.
  const PointRun* failure() const;
};

/// One row per point: the number of the point, its inputs, result_columns(), with repetitions their number
/// and the spread of times (NAME_min, NAME_max, NAME_sd: the sample's standard deviation), `status`
/// (finished, failed, skipped) and `reason`. With repetitions a value is the mean of the runs that did not
/// fail.
std::vector<nlohmann::ordered_json> table_of(const Study& study, const std::vector<PointResult>& results);

/// Writes results.csv, results.json and one SVG per plot into the study's output folder; returns the files.
std::vector<std::filesystem::path> write_results(const Study& study, const std::vector<PointResult>& results);

}  // namespace mpisim::app
