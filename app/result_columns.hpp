#pragma once
// What a sweep's table tells of each run, beside the study's inputs, and the units in which plots show it.
#include <string>
#include <vector>

namespace mpisim::app {

/// What the numbers of a column are.
enum class Quantity { count, seconds, picoseconds, bytes, share, words };

/// A column of the table and where its value stands in the JSON of a run.
struct ResultColumn {
  std::string name;
  std::string pointer;  ///< JSON pointer
  std::string label;    ///< of a plot's axis, without unit
  Quantity quantity = Quantity::count;

  bool is_time() const { return quantity == Quantity::seconds || quantity == Quantity::picoseconds; }
};

/// All columns, in the order of the table.
const std::vector<ResultColumn>& result_columns();
/// Their names.
const std::vector<std::string>& result_column_names();
/// The column of this name; null if there is none.
const ResultColumn* find_result_column(const std::string& name);

/// A unit for an axis: the column's numbers times `factor` are shown.
struct AxisUnit {
  double factor = 1;
  std::string name{};  ///< "ms", "MiB", "million"; empty: plain numbers
};

/// The unit in which the largest number of an axis has one to about four digits before the point.
AxisUnit axis_unit(Quantity quantity, double largest);

}  // namespace mpisim::app
