#include "app/sweep_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/json_file.hpp"
#include "app/line_plot.hpp"
#include "app/suggestions.hpp"
#include "machine/diagnostic.hpp"

namespace mpisim::app {

namespace {

using Json = nlohmann::ordered_json;

/// A column of the table and where its value stands in the JSON of a run.
struct Column {
  std::string name;
  std::string pointer;
  std::string label;  ///< of a plot's axis
};

const std::vector<Column>& columns() {
  static const std::vector<Column> list{
      {"predicted_time_s", "/predicted_time_s", "predicted time (s)"},
      {"predicted_time_ps", "/predicted_time_ps", "predicted time (ps)"},
      {"compute_mean_ps", "/breakdown/compute_ps/mean", "compute, mean of ranks (ps)"},
      {"communication_mean_ps", "/breakdown/communication_ps/mean", "communication, mean of ranks (ps)"},
      {"io_mean_ps", "/breakdown/io_ps/mean", "I/O, mean of ranks (ps)"},
      {"communication_max_ps", "/breakdown/communication_ps/max", "communication, largest of ranks (ps)"},
      {"io_max_ps", "/breakdown/io_ps/max", "I/O, largest of ranks (ps)"},
      {"messages", "/messages", "messages"},
      {"bytes", "/bytes", "message bytes"},
      {"io_requests", "/io/requests", "I/O requests"},
      {"disk_reads", "/io/disk_reads", "disk reads"},
      {"disk_writes", "/io/disk_writes", "disk writes"},
      {"seeks", "/io/seeks", "seeks"},
      {"disk_seeks", "/io/disk_seeks", "disk seeks"},
      {"cnode_hits", "/io/cache/cnode_hits", "blocks from the node's cache"},
      {"remote_hits", "/io/cache/remote_hits", "blocks from other nodes' caches"},
      {"ionode_hits", "/io/cache/ionode_hits", "blocks from I/O nodes' caches"},
      {"misses", "/io/cache/misses", "blocks from disk"},
      {"disk_utilisation", "/io/all_disks/utilisation_mean", "utilisation of the disks, mean"},
      {"disk_utilisation_max", "/io/all_disks/utilisation_max", "utilisation of the busiest disk"},
      {"disk_cylinders", "/io/all_disks/cylinders", "cylinders that heads moved over"},
      {"disk_wait_ps", "/io/all_disks/mean_wait_ps", "wait at the disks, mean of requests (ps)"},
      {"disk_queue_max", "/io/all_disks/longest_queue", "longest queue at a disk"},
      {"invalidated", "/file_system/invalidated", "blocks invalidated"},
      {"forwarded", "/file_system/forwarded", "blocks forwarded between nodes"},
      {"written_back", "/file_system/written_back", "blocks written back"},
      {"bytes_read", "/io/bytes_read", "bytes read"},
      {"bytes_written", "/io/bytes_written", "bytes written"},
      {"wall_time_s", "/wall_time_s", "host time (s)"},
      {"events", "/events", "events"},
      {"peak_rss_bytes", "/peak_rss_bytes", "peak memory (B)"},
      {"exit_code", "/exit_code", "exit code"},
      {"exit_reason", "/exit_reason", "exit reason"},
  };
  return list;
}

std::string label_of(const std::string& column) {
  for (const Column& known : columns()) {
    if (known.name == column) return known.label;
  }
  if (column == "nodes.io") return "I/O nodes";
  if (column == "nodes.compute") return "compute nodes";
  return column;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

Json row_of(const Study& study, const PointResult& result) {
  Json row;
  row["point"] = result.point.number;
  row["ranks"] = result.point.ranks;
  for (std::size_t v = 0; v < study.variables.size(); ++v)
    row[study.variables[v].path] = result.point.values[v];
  const Json run = result.json.empty() ? Json() : Json::parse(result.json);
  for (const Column& column : columns()) {
    const Json::json_pointer pointer(column.pointer);
    row[column.name] = run.is_object() && run.contains(pointer) ? run[pointer] : Json();
  }
  if (row["exit_code"].is_null()) row["exit_code"] = result.exit_status;
  return row;
}

std::string plain(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// A number at the beginning of the text ("64 KiB" is 64); none for words.
std::optional<double> number_of(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != 0) return std::nullopt;
  return value;
}

class PlotMaker {
 public:
  explicit PlotMaker(const std::vector<Json>& rows) : rows_(rows) {}

  std::string draw(const PlotRequest& request) const {
    LinePlot plot;
    plot.x_label = label_of(request.x);
    plot.y_label = label_of(request.y);
    plot.series_label = request.series.empty() ? "" : label_of(request.series);
    plot.title =
        request.title.empty() ? fmt::format("{} over {}", plot.y_label, plot.x_label) : request.title;

    const std::vector<std::string> xs = distinct(request.x);
    std::vector<double> positions;
    for (const std::string& x : xs) {
      if (const auto number = number_of(x)) positions.push_back(*number);
    }
    if (positions.size() < xs.size()) {
      plot.categories = xs;
      positions.clear();
      for (std::size_t i = 0; i < xs.size(); ++i) positions.push_back(static_cast<double>(i));
    } else {
      const auto [low, high] = std::ranges::minmax(positions);
      plot.log_x = low > 0 && high / low >= 8;
    }
    for (const std::string& name :
         request.series.empty() ? std::vector<std::string>{""} : distinct(request.series)) {
      PlotSeries series{name, {}, {}};
      for (std::size_t i = 0; i < xs.size(); ++i) {
        // Points that differ in other variables only are averaged: a line needs one value per x.
        double sum = 0;
        int count = 0;
        for (const Json& row : rows_) {
          if (plain(row[request.x]) != xs[i] || (!name.empty() && plain(row[request.series]) != name))
            continue;
          if (!row[request.y].is_number()) continue;
          sum += row[request.y].get<double>();
          ++count;
        }
        if (count == 0) continue;
        series.x.push_back(positions[i]);
        series.y.push_back(sum / count);
      }
      if (series.x.empty()) continue;
      sort_by_x(series);
      plot.series.push_back(std::move(series));
    }
    return plot.series.empty() ? std::string() : to_svg(plot);
  }

 private:
  static void sort_by_x(PlotSeries& series) {
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < series.x.size(); ++i) points.emplace_back(series.x[i], series.y[i]);
    std::ranges::sort(points);
    for (std::size_t i = 0; i < points.size(); ++i) std::tie(series.x[i], series.y[i]) = points[i];
  }
  std::vector<std::string> distinct(const std::string& column) const {
    std::vector<std::string> values;
    for (const Json& row : rows_) {
      const std::string value = plain(row[column]);
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
    return values;
  }

  const std::vector<Json>& rows_;
};

}  // namespace

const std::vector<std::string>& result_columns() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Column& column : columns()) list.push_back(column.name);
    return list;
  }();
  return names;
}

std::vector<std::filesystem::path> write_results(const Study& study,
                                                 const std::vector<PointResult>& results) {
  std::vector<Json> rows;
  for (const PointResult& result : results) rows.push_back(row_of(study, result));
  std::vector<std::filesystem::path> files;

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
  files.push_back(study.output / "results.csv");
  write_atomically(files.back().string(), csv);

  Json document;
  document["study"] = study.file.string();
  document["machine"] = study.machine.string();
  document["command"] = study.command;
  document["points"] = rows;
  files.push_back(study.output / "results.json");
  write_atomically(files.back().string(), document.dump(2) + "\n");

  const PlotMaker plots(rows);
  std::map<std::string, int> used;
  for (const PlotRequest& request : study.plots) {
    const std::string svg = plots.draw(request);
    if (svg.empty()) continue;  // no point has a value yet
    std::string name = request.y + "-over-" + request.x;
    std::ranges::replace(name, '/', '_');
    if (const int again = used[name]++; again > 0) name += fmt::format("-{}", again + 1);
    files.push_back(study.output / (name + ".svg"));
    write_atomically(files.back().string(), svg);
  }
  return files;
}

}  // namespace mpisim::app
