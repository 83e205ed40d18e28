#pragma once
// Results of a sweep as a table: one row per point, written as CSV, JSON and plots.
#include <filesystem>
#include <string>
#include <vector>

#include "app/sweep_study.hpp"

namespace mpisim::app {

/// What became of one point. The values of its columns are JSON scalars as text, in the order of
/// result_columns().
struct PointResult {
  Point point;
  int exit_status = 0;      ///< of `mpisim run`
  std::string json;         ///< the run's JSON document; empty if there is none
  std::string explanation;  ///< last lines of its standard error if it failed
};

/// Columns behind those of the study's inputs (point, ranks, the varied paths).
const std::vector<std::string>& result_columns();

/// Writes results.csv, results.json and one SVG per plot into the study's output folder; returns the files.
std::vector<std::filesystem::path> write_results(const Study& study, const std::vector<PointResult>& results);

}  // namespace mpisim::app
