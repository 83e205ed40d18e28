#include "app/sweep_study.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "app/commands.hpp"
#include "app/suggestions.hpp"
#include "machine/catalogue.hpp"
#include "machine/diagnostic.hpp"
#include "machine/text_file.hpp"

namespace mpisim::app {

namespace {

/// Splits a command as a shell does: blanks separate, quotes and backslashes protect.
std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
      continue;
    }
    in_word = true;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote && quote != 0) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
    } else {
      word += c;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

constexpr std::size_t most_points = 100'000;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& file) { study_.file = file; }

  Study read() {
    YAML::Node root;
    try {
      root = YAML::Load(machine::read_text(study_.file));
    } catch (const YAML::ParserException& error) {
      fail({{place(error.mark), "not YAML: " + error.msg}});
    } catch (const std::runtime_error& error) {
      fail({{study_.file.string(),
             fmt::format("cannot be read; a study is a YAML file, see the guide: {}", error.what())}});
    }
    if (!root.IsMap())
      fail({{study_.file.string(), "a study is a map with the keys program, machine, vary, output"}});
    check_keys(root, keys, "a study");
    read_program(root["program"]);
    read_machine(root["machine"]);
    read_variables(root["vary"]);
    read_options(root["options"]);
    for (const std::string& input : list(root["inputs"]))
      study_.inputs.push_back(locate(input, root["inputs"], "input"));
    if (!root["output"]) {
      fault(root, "`output` is missing: the folder for results");
    } else {
      study_.output = text(root["output"]);
    }
    if (root["repeat"]) read_repeat(root["repeat"]);
    read_plots(root["plots"]);
    check_size(root);
    if (!faults_.empty()) fail(faults_);
    return std::move(study_);
  }

 private:
  inline static const std::vector<std::string> keys{"program", "machine", "vary",   "options",
                                                    "inputs",  "repeat",  "output", "plots"};

  [[noreturn]] static void fail(std::vector<machine::Diagnostic> faults) {
    throw machine::InvalidMachine(std::move(faults));
  }
  std::string place(const YAML::Mark& mark) const {
    return mark.is_null() ? study_.file.string()
                          : fmt::format("{}:{}:{}", study_.file.string(), mark.line + 1, mark.column + 1);
  }
  void fault(const YAML::Node& node, const std::string& message) {
    faults_.push_back({place(node.Mark()), message});
  }

  // A slip, more likely than a study of months.
  void check_size(const YAML::Node& root) {
    std::size_t points = study_.ranks.size() * study_.repeat;
    for (const Variable& variable : study_.variables) {
      points *= std::max<std::size_t>(1, variable.values.size());
      if (points > most_points) break;
    }
    if (points > most_points)
      fault(root,
            fmt::format(
                "more than {} points (the product of all values of ranks and of what varies, and of repeat)",
                most_points));
  }

  void check_keys(const YAML::Node& map, const std::vector<std::string>& known, const std::string& where) {
    for (const auto& entry : map) {
      const auto key = entry.first.Scalar();
      if (std::ranges::find(known, key) != known.end()) continue;
      fault(entry.first, fmt::format("unknown key '{}' in {}{}", key, where, did_you_mean(key, known)));
    }
  }

  std::string text(const YAML::Node& node) {
    if (node.IsScalar()) return node.Scalar();
    fault(node, "a single value is expected here");
    return {};
  }
  std::vector<std::string> list(const YAML::Node& node) {
    std::vector<std::string> items;
    if (!node || node.IsNull()) return items;
    if (node.IsScalar()) return {node.Scalar()};
    if (!node.IsSequence()) {
      fault(node, "a list is expected here, as in [1, 2, 4]");
      return items;
    }
    for (const auto& item : node) {
      if (item.IsScalar()) {
        items.push_back(item.Scalar());
      } else {
        // A list or map is a value too, written as YAML on one line (a mesh's shape).
        YAML::Emitter flow;
        flow << YAML::Flow << item;
        items.emplace_back(flow.c_str());
      }
    }
    return items;
  }

  std::filesystem::path locate(const std::string& name, const YAML::Node& node, const char* what) {
    std::filesystem::path path(name);
    const std::array<std::filesystem::path, 2> candidates{study_.file.parent_path() / path, path};
    for (const auto& candidate : candidates) {
      if (std::filesystem::exists(candidate)) return std::filesystem::absolute(candidate).lexically_normal();
    }
    fault(node, fmt::format("{} '{}' is neither beside the study nor in the current directory", what, name));
    return path;
  }

  /// 0 for what is no whole number from 1 on.
  static std::uint64_t whole_from_one(const std::string& words) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), value);
    return error == std::errc() && end == words.data() + words.size() ? value : 0;
  }

  void read_program(const YAML::Node& program) {
    if (!program || !program.IsMap()) {
      fault(program, "`program: {command: ./app.sim ARGS, ranks: [4, 8]}` is missing");
      return;
    }
    check_keys(program, {"command", "ranks"}, "`program`");
    if (program["command"]) study_.command = split_words(text(program["command"]));
    if (study_.command.empty()) {
      fault(program, "`program.command` is missing: the program and its arguments");
    } else {
      study_.command[0] = locate(study_.command[0], program["command"], "program").string();
    }
    for (const std::string& count : list(program["ranks"])) {
      const std::uint64_t value = whole_from_one(count);
      if (value == 0)
        fault(program["ranks"], fmt::format("'{}' is no number of ranks: a whole number from 1 on", count));
      study_.ranks.push_back(value);
    }
    if (study_.ranks.empty()) fault(program, "`program.ranks` is missing: one number of ranks, or a list");
  }

  void read_machine(const YAML::Node& node) {
    if (!node) {
      faults_.push_back(
          {study_.file.string(), "`machine` is missing: a machine file, or the name of a bundled one"});
      return;
    }
    const std::string name = text(node);
    const auto beside = study_.file.parent_path() / name;
    study_.machine = std::filesystem::is_regular_file(beside) ? beside : machine::find_machine(name);
    if (!std::filesystem::exists(study_.machine)) {
      fault(node, fmt::format("there is no machine '{}' (see `mpisim machine list`)", name));
    } else {
      study_.machine = std::filesystem::absolute(study_.machine).lexically_normal();
    }
  }

  void read_variables(const YAML::Node& vary) {
    if (!vary || vary.IsNull()) return;
    if (!vary.IsMap()) {
      fault(vary, "`vary` is a map from paths of the machine file to lists, as in {nodes.io: [1, 2, 4]}");
      return;
    }
    for (const auto& entry : vary) {
      Variable variable{entry.first.Scalar(), list(entry.second)};
      if (variable.values.empty()) fault(entry.first, fmt::format("no values for '{}'", variable.path));
      study_.variables.push_back(std::move(variable));
    }
  }

  void read_options(const YAML::Node& options) {
    if (!options || options.IsNull()) return;
    if (!options.IsMap()) {
      fault(options, "`options` is a map of options of `mpisim run`, as in {compute: counted}");
      return;
    }
    std::vector<std::string> known;
    for (const Option& option : find_command("run")->options) {
      static const std::vector<std::string> own{"ranks", "machine", "set", "json", "quiet"};
      if (option.available && std::ranges::find(own, option.name) == own.end()) known.push_back(option.name);
    }
    check_keys(options, known, "`options`");
    for (const auto& entry : options) study_.options.emplace_back(entry.first.Scalar(), text(entry.second));
  }

  void read_repeat(const YAML::Node& node) {
    constexpr std::uint64_t most = 1000;
    study_.repeat = whole_from_one(text(node));
    if (study_.repeat >= 1 && study_.repeat <= most) return;
    study_.repeat = 1;
    fault(node, fmt::format("repeat: how often each point is run: a whole number from 1 to {}", most));
  }

  AxisScale scale(const YAML::Node& plot, const char* key, AxisScale otherwise) {
    if (!plot[key]) return otherwise;
    const std::string word = text(plot[key]);
    if (word == "linear") return AxisScale::linear;
    if (word != "log") fault(plot[key], fmt::format("{}: '{}' is neither linear nor log", key, word));
    return AxisScale::logarithmic;
  }

  void read_plots(const YAML::Node& plots) {
    if (!plots || plots.IsNull()) return;
    if (!plots.IsSequence()) {
      fault(plots, "`plots` is a list, as in [{x: nodes.io, y: predicted_time_s, series: ranks}]");
      return;
    }
    for (const auto& plot : plots) {
      if (!plot.IsMap() || !plot["x"] || !plot["y"]) {
        fault(plot, "a plot needs x and y, as in {x: nodes.io, y: predicted_time_s, series: ranks}");
        continue;
      }
      check_keys(plot, {"x", "y", "series", "title", "x_scale", "y_scale"}, "a plot");
      PlotRequest request;
      request.x = text(plot["x"]);
      request.y = text(plot["y"]);
      request.x_scale = scale(plot, "x_scale", request.x_scale);
      request.y_scale = scale(plot, "y_scale", request.y_scale);
      if (plot["series"]) request.series = text(plot["series"]);
      if (plot["title"]) request.title = text(plot["title"]);
      std::vector<std::string> inputs{"ranks"};
      for (const Variable& variable : study_.variables) inputs.push_back(variable.path);
      const auto check_input = [&](const char* key, const std::string& column) {
        if (column.empty() || std::ranges::find(inputs, column) != inputs.end()) return;
        fault(plot[key], fmt::format("{}: '{}' is not varied by this study{}", key, column,
                                     did_you_mean(column, inputs)));
      };
      check_input("x", request.x);
      check_input("series", request.series);
      study_.plots.push_back(std::move(request));
    }
  }

  Study study_;
  std::vector<machine::Diagnostic> faults_;
};

}  // namespace

std::string option_of(const Study& study, const std::string& name) {
  for (const auto& [known, value] : study.options)
    if (known == name) return value;
  return {};
}

Study load_study(const std::filesystem::path& file) {
  return Reader(file).read();
}

std::vector<Point> points_of(const Study& study) {
  std::vector<Point> points;
  for (const std::uint64_t ranks : study.ranks) {
    std::vector<std::size_t> at(study.variables.size(), 0);
    for (bool more = true; more;) {
      Point point;
      point.number = points.size() + 1;
      point.ranks = ranks;
      for (std::size_t v = 0; v < at.size(); ++v) point.values.push_back(study.variables[v].values[at[v]]);
      points.push_back(std::move(point));
      more = false;
      for (std::size_t v = at.size(); v-- > 0;) {
        if (++at[v] < study.variables[v].values.size()) {
          more = true;
          break;
        }
        at[v] = 0;
      }
    }
  }
  return points;
}

}  // namespace mpisim::app
