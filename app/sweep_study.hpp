#pragma once
// A study: which program runs on which variants of a machine (design, section 7). Read from YAML.
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace mpisim::app {

/// One dimension of the study: a path of the machine file, or `program.arguments`.
struct Variable {
  std::string path;
  std::vector<std::string> values;
};

/// `automatic`: logarithmic for an x axis of positive numbers whose largest is eight times the least or more.
enum class AxisScale { automatic, linear, logarithmic };

struct PlotRequest {
  std::string x;  ///< a column of the results
  std::string y;
  std::string series;  ///< one line per value of this column; empty: one line
  std::string title;
  AxisScale x_scale = AxisScale::automatic;
  AxisScale y_scale = AxisScale::linear;
};

struct Study {
  std::filesystem::path file;
  std::vector<std::string> command;  ///< program and fixed arguments
  std::vector<std::uint64_t> ranks;
  std::filesystem::path machine;
  std::vector<Variable> variables;                           ///< in the order of the file
  std::vector<std::pair<std::string, std::string>> options;  ///< of `mpisim run`, long name and value
  std::vector<std::filesystem::path> inputs;                 ///< linked into each point's folder
  std::uint64_t repeat = 1;                                  ///< runs of each point
  std::filesystem::path output;
  std::vector<PlotRequest> plots;
};

/// The value of an option of `mpisim run` in the study; empty if it is not given.
std::string option_of(const Study& study, const std::string& name);

/// Reads and checks a study. Paths of program, machine and inputs are looked up beside the study, then in the
/// current directory; `output` is relative to the current directory. Throws machine::InvalidMachine with
/// every fault, each with file, line and column.
Study load_study(const std::filesystem::path& file);

/// One combination of values.
struct Point {
  std::size_t number = 0;  ///< from 1
  std::uint64_t ranks = 1;
  std::vector<std::string> values;  ///< one per variable
};

/// Every combination; the last variable changes fastest, the number of ranks slowest.
std::vector<Point> points_of(const Study& study);

}  // namespace mpisim::app
