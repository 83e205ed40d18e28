#include "app/sweep_plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "app/result_columns.hpp"
#include "machine/units.hpp"

namespace mpisim::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr double logarithmic_from =
    8;  // largest over least value of an x axis that says nothing of its scale
constexpr std::size_t most_listed = 6;  // values of a variable that a note lists

std::string label_of(const std::string& column) {
  if (const ResultColumn* known = find_result_column(column)) return known->label;
  if (column == "nodes.io") return "I/O nodes";
  if (column == "nodes.compute") return "compute nodes";
  return column;
}

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// A quantity as a number, if it is one: numbers for `kind` 0, then times, amounts and rates of transfer.
std::optional<double> number_of(const std::string& text, int kind) {
  try {
    switch (kind) {
      case 0:
        return machine::parse_number(text);
      case 1:
        return machine::parse_time(text).seconds();
      case 2:
        return static_cast<double>(machine::parse_bytes(text).count());
      default: {
        const double time = (machine::parse_bandwidth(text) * kernel::Bytes(1'000'000'000)).seconds();
        if (time > 0) return 1e9 / time;
      }
    }
  } catch (const machine::BadQuantity&) {
    return std::nullopt;
  }
  return std::nullopt;
}
constexpr int kinds_of_number = 4;

/// All texts as numbers of one kind; empty if they are not.
std::vector<double> numbers_of(const std::vector<std::string>& texts) {
  for (int kind = 0; kind < kinds_of_number; ++kind) {
    std::vector<double> numbers;
    for (const std::string& text : texts)
      if (const auto number = number_of(text, kind)) numbers.push_back(*number);
    if (numbers.size() == texts.size()) return numbers;
  }
  return {};
}

/// The points that one mark stands for.
struct Mark {
  double sum = 0, low = 0, high = 0;
  int count = 0;
};

class PlotMaker {
 public:
  PlotMaker(const Study& study, const PlotRequest& request, const std::vector<Json>& rows)
      : study_(study), request_(request) {
    for (const Json& row : rows) (usable(row) ? rows_ : left_out_).push_back(&row);
  }

  LinePlot make() {
    plot_.x_label = label_of(request_.x);
    plot_.series_label = request_.series.empty() ? "" : label_of(request_.series);
    plot_.log_y = request_.y_scale == AxisScale::logarithmic;
    if (rows_.empty()) return plot_;
    take_horizontal_axis();
    take_unit();
    for (const std::string& name :
         request_.series.empty() ? std::vector<std::string>{""} : distinct(request_.series))
      take_series(name);
    plot_.title = request_.title.empty() ? fmt::format("{} over {}", label_of(request_.y), plot_.x_label)
                                         : request_.title;
    take_notes();
    return plot_;
  }

 private:
  bool usable(const Json& row) const {
    if (row["status"] != "finished" || !row[request_.y].is_number()) return false;
    return request_.y_scale != AxisScale::logarithmic || row[request_.y].get<double>() > 0;
  }

  /// Values of a column in the points that are shown, in the study's order.
  std::vector<std::string> distinct(const std::string& column) const {
    std::vector<std::string> values;
    for (const Json* row : rows_) {
      const std::string value = plain((*row)[column]);
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
    return values;
  }

  void take_horizontal_axis() {
    const std::vector<std::string> xs = distinct(request_.x);
    const std::vector<double> numbers = numbers_of(xs);
    plot_.categories = numbers.empty();
    for (std::size_t i = 0; i < xs.size(); ++i) {
      positions_[xs[i]] = plot_.categories ? static_cast<double>(i) : numbers[i];
      const auto same = std::ranges::find(plot_.x_ticks, positions_[xs[i]], &PlotTick::position);
      if (same == plot_.x_ticks.end()) plot_.x_ticks.push_back({positions_[xs[i]], xs[i]});
    }
    std::ranges::sort(plot_.x_ticks, {}, &PlotTick::position);
    const double low = plot_.x_ticks.front().position, high = plot_.x_ticks.back().position;
    const bool possible = !plot_.categories && low > 0 && low < high;
    plot_.log_x = possible && (request_.x_scale == AxisScale::logarithmic ||
                               (request_.x_scale == AxisScale::automatic && high / low >= logarithmic_from));
    if (request_.x_scale == AxisScale::logarithmic && !possible)
      plot_.notes.push_back(fmt::format(
          "the scale of {} is not logarithmic: that needs two positive numbers at least", request_.x));
  }

  double bound(const Json& row, const char* which) const {
    const std::string name = request_.y + which;
    return row.contains(name) && row[name].is_number() ? row[name].get<double>()
                                                       : row[request_.y].get<double>();
  }

  void take_unit() {
    double largest = 0;
    for (const Json* row : rows_) largest = std::max(largest, bound(*row, "_max"));
    const ResultColumn* column = find_result_column(request_.y);
    const AxisUnit unit = axis_unit(column == nullptr ? Quantity::count : column->quantity, largest);
    factor_ = unit.factor;
    plot_.y_label = label_of(request_.y) + (unit.name.empty() ? "" : " (" + unit.name + ")");
  }

  void take_series(const std::string& name) {
    std::map<double, Mark> marks;
    for (const Json* row : rows_) {
      if (!request_.series.empty() && plain((*row)[request_.series]) != name) continue;
      Mark& mark = marks[positions_.at(plain((*row)[request_.x]))];
      mark.sum += (*row)[request_.y].get<double>();
      mark.low += bound(*row, "_min");
      mark.high += bound(*row, "_max");
      ++mark.count;
    }
    const bool bars = study_.repeat > 1 && rows_.front()->contains(request_.y + "_min");
    PlotSeries series;
    series.name = name;
    for (const auto& [x, mark] : marks) {
      series.x.push_back(x);
      series.y.push_back(mark.sum / mark.count * factor_);
      fewest_ = std::min(fewest_, mark.count);
      most_ = std::max(most_, mark.count);
      if (!bars) continue;
      series.low.push_back(mark.low / mark.count * factor_);
      series.high.push_back(mark.high / mark.count * factor_);
    }
    has_bars_ = bars;
    plot_.series.push_back(std::move(series));
  }

  /// "mpi.eager_limit (1 KiB, 64 KiB)" for everything that varies and is on no axis.
  std::string averaged() const {
    std::vector<std::string> inputs{"ranks"};
    for (const Variable& variable : study_.variables) inputs.push_back(variable.path);
    std::string text;
    for (const std::string& input : inputs) {
      if (input == request_.x || input == request_.series) continue;
      const std::vector<std::string> values = distinct(input);
      if (values.size() < 2) continue;
      std::string listed;
      for (std::size_t i = 0; i < std::min(values.size(), most_listed); ++i)
        listed += (i == 0 ? "" : ", ") + values[i];
      if (values.size() > most_listed) listed = fmt::format("{} values: {}, ...", values.size(), listed);
      text += fmt::format("{}{} ({})", text.empty() ? "" : " and ", label_of(input), listed);
    }
    return text;
  }

  void take_notes() {
    if (const std::string over = averaged(); !over.empty() && most_ > 1)
      plot_.notes.push_back(fmt::format(
          "Each mark is the mean of {} over {}.",
          fewest_ == most_ ? fmt::format("{} points", most_) : fmt::format("{} to {} points", fewest_, most_),
          over));
    else if (!over.empty())
      plot_.notes.push_back(fmt::format("Each mark is one point, but not all have the same {}.", over));
    if (has_bars_)
      plot_.notes.push_back(fmt::format(
          "Marks are means of {} repetitions, bars reach from the least to the largest{}.", study_.repeat,
          most_ > 1 ? " (means of these, where a mark stands for several points)" : ""));
    std::map<std::string, int> reasons;
    for (const Json* row : left_out_) {
      const std::string status = plain((*row)["status"]);
      ++reasons[status != "finished"             ? status
                : (*row)[request_.y].is_number() ? "not above 0, where the logarithmic scale ends"
                                                 : "without this value"];
    }
    for (const auto& [reason, count] : reasons)
      plot_.notes.push_back(
          fmt::format("Left out: {} of {} points, {}.", count, rows_.size() + left_out_.size(), reason));
  }

  const Study& study_;
  const PlotRequest& request_;
  std::vector<const Json*> rows_, left_out_;
  LinePlot plot_;
  std::map<std::string, double> positions_;
  double factor_ = 1;
  int fewest_ = std::numeric_limits<int>::max(), most_ = 0;
  bool has_bars_ = false;
};

}  // namespace

LinePlot plot_of(const Study& study, const PlotRequest& request, const std::vector<Json>& rows) {
  return PlotMaker(study, request, rows).make();
}

}  // namespace mpisim::app
