#include "app/sweep_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/exit_codes.hpp"
#include "app/json_file.hpp"
#include "app/line_plot.hpp"
#include "app/result_columns.hpp"
#include "app/sweep_plots.hpp"

namespace mpisim::app {

namespace {

using Json = nlohmann::ordered_json;

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string plain(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// A value of all runs that have it; means of whole numbers are whole where they can be, and always in
/// picoseconds.
Json mean_of(const std::vector<Json>& values, Quantity quantity) {
  if (values.empty()) return {};
  if (values.size() == 1 || !values.front().is_number()) return values.front();
  double sum = 0;
  bool whole = true;
  for (const Json& value : values) {
    sum += value.get<double>();
    whole = whole && value.is_number_integer();
  }
  const double mean = sum / static_cast<double>(values.size());
  if (std::ranges::all_of(values, [&](const Json& value) { return value == values.front(); }))
    return values.front();
  if (whole && (quantity == Quantity::picoseconds || mean == std::floor(mean))) return std::llround(mean);
  return mean;
}

void add_spread(Json& row, const std::string& name, const std::vector<Json>& values) {
  Json least, largest, deviation;
  if (!values.empty()) {
    least = *std::ranges::min_element(values);
    largest = *std::ranges::max_element(values);
  }
  if (values.size() > 1) {
    double mean = 0, squares = 0;
    for (const Json& value : values) mean += value.get<double>() / static_cast<double>(values.size());
    for (const Json& value : values) squares += std::pow(value.get<double>() - mean, 2);
    deviation = std::sqrt(squares / static_cast<double>(values.size() - 1));
  }
  row[name + "_min"] = least;
  row[name + "_max"] = largest;
  row[name + "_sd"] = deviation;
}

/// The documents of the runs that did not fail; of the first if all did.
std::vector<Json> documents_of(const PointResult& result) {
  std::vector<Json> documents;
  for (const PointRun& run : result.runs)
    if (run.good()) documents.push_back(Json::parse(run.json));
  if (documents.empty() && !result.runs.empty() && !result.runs.front().json.empty())
    documents.push_back(Json::parse(result.runs.front().json));
  return documents;
}

/// On one line, and not the whole of a long report.
std::string reason_of(const PointResult& result) {
  constexpr std::size_t longest = 300;
  const PointRun* failure = result.failure();
  std::string text = !result.skipped.empty() ? result.skipped
                     : failure != nullptr
                         ? fmt::format("exit status {}: {}", failure->exit_status, failure->explanation)
                         : "";
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::ranges::replace(text, '\n', ' ');
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

Json row_of(const Study& study, const PointResult& result) {
  Json row;
  row["point"] = result.point.number;
  row["ranks"] = result.point.ranks;
  for (std::size_t v = 0; v < study.variables.size(); ++v)
    row[study.variables[v].path] = result.point.values[v];
  const std::vector<Json> documents = documents_of(result);
  const auto values_of = [&](const ResultColumn& column) {
    std::vector<Json> values;
    const Json::json_pointer pointer(column.pointer);
    for (const Json& document : documents)
      if (document.contains(pointer) && !document[pointer].is_null()) values.push_back(document[pointer]);
    return values;
  };
  for (const ResultColumn& column : result_columns())
    row[column.name] = mean_of(values_of(column), column.quantity);
  const PointRun* failure = result.failure();
  if (!result.skipped.empty()) row["exit_code"] = static_cast<int>(bad_input);
  if (failure != nullptr && (row["exit_code"].is_null() || row["exit_code"] == 0))
    row["exit_code"] = failure->exit_status;
  if (study.repeat > 1) {
    row["repetitions"] = documents.size();
    for (const ResultColumn& column : result_columns())
      if (column.is_time()) add_spread(row, column.name, values_of(column));
  }
  row["status"] = !result.skipped.empty() ? "skipped" : failure != nullptr ? "failed" : "finished";
  row["reason"] = reason_of(result);
  return row;
}

std::string csv_of(const std::vector<Json>& rows) {
  std::string csv;
  if (!rows.empty()) {
    for (const auto& [name, unused] : rows.front().items()) csv += (csv.empty() ? "" : ",") + csv_field(name);
    csv += '\n';
  }
  for (const Json& row : rows) {
    bool first = true;
    for (const auto& [unused, value] : row.items()) {
      csv += (first ? "" : ",") + csv_field(plain(value));
      first = false;
    }
    csv += '\n';
  }
  return csv;
}

}  // namespace

const PointRun* PointResult::failure() const {
  const auto found = std::ranges::find_if(runs, [](const PointRun& run) { return !run.good(); });
  return found == runs.end() ? nullptr : &*found;
}

std::vector<Json> table_of(const Study& study, const std::vector<PointResult>& results) {
  std::vector<Json> rows;
  for (const PointResult& result : results) rows.push_back(row_of(study, result));
  return rows;
}

std::vector<std::filesystem::path> write_results(const Study& study,
                                                 const std::vector<PointResult>& results) {
  const std::vector<Json> rows = table_of(study, results);
  std::vector<std::filesystem::path> files;
  files.push_back(study.output / "results.csv");
  write_atomically(files.back().string(), csv_of(rows));

  Json document;
  document["study"] = study.file.string();
  document["machine"] = study.machine.string();
  document["command"] = study.command;
  document["repeat"] = study.repeat;
  document["points"] = rows;
  files.push_back(study.output / "results.json");
  // Reasons may quote what a program wrote, in any encoding.
  write_atomically(files.back().string(),
                   document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");

  std::map<std::string, int> used;
  for (const PlotRequest& request : study.plots) {
    const LinePlot plot = plot_of(study, request, rows);
    if (plot.series.empty()) continue;  // no point has a value yet
    std::string name = request.y + "-over-" + request.x;
    std::ranges::replace(name, '/', '_');
    if (const int again = used[name]++; again > 0) name += fmt::format("-{}", again + 1);
    files.push_back(study.output / (name + ".svg"));
    write_atomically(files.back().string(), to_svg(plot));
  }
  return files;
}

}  // namespace mpisim::app
