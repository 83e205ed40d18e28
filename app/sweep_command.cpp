#include "app/sweep_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "app/exit_codes.hpp"
#include "app/json_file.hpp"
#include "app/result_columns.hpp"
#include "app/suggestions.hpp"
#include "app/sweep_results.hpp"
#include "app/sweep_study.hpp"
#include "machine/description.hpp"
#include "machine/diagnostic.hpp"
#include "machine/show.hpp"

namespace mpisim::app {

namespace {

constexpr const char* arguments_variable = "program.arguments";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// One run of a point.
struct Task {
  std::size_t point = 0;       ///< index
  std::size_t repetition = 0;  ///< from 0
};

/// The study's points on this host's processors, each in a process and a folder of its own.
class Sweep {
 public:
  Sweep(const Study& study, std::size_t jobs) : study_(study), jobs_(jobs), points_(points_of(study)) {
    results_.resize(points_.size());
    machines_.resize(points_.size());
  }

  /// Checks every machine before the first point runs: what `mpisim run` would refuse is marked as skipped.
  /// Throws machine::InvalidMachine if no point can run.
  void check() {
    std::vector<machine::Diagnostic> faults;
    bool any_can_run = false;
    for (std::size_t index = 0; index < points_.size(); ++index) {
      results_[index].point = points_[index];
      try {
        check_machine(index);
        any_can_run = true;
      } catch (const machine::InvalidMachine& error) {
        results_[index].skipped = error.what();
        for (const machine::Diagnostic& fault : error.diagnostics()) add_once(faults, fault);
      }
    }
    if (!any_can_run) throw machine::InvalidMachine(faults);
    // The repetitions of a point are far from each other, so that what the host does meanwhile meets all
    // points.
    for (std::size_t repetition = 0; repetition < study_.repeat; ++repetition)
      for (std::size_t index = 0; index < points_.size(); ++index)
        if (results_[index].skipped.empty()) tasks_.push_back({index, repetition});
    for (PointResult& result : results_)
      if (result.skipped.empty()) result.runs.resize(study_.repeat);
  }

  int list() const {
    int status = success;
    for (const PointResult& result : results_) {
      fmt::print("{:>4}  {}\n", result.point.number, title(result.point));
      if (result.skipped.empty()) {
        fmt::print("      {}", join_command(result.point));
      } else {
        fmt::print("      cannot run: {}\n", result.skipped);
        status = point_failed;
      }
    }
    if (study_.repeat > 1) fmt::print("each of them {} times\n", study_.repeat);
    return status;
  }

  int run() {
    make_output_folder();
    for (const PointResult& result : results_)
      if (!result.skipped.empty())
        fmt::print(stderr, "{}: skipped: {}\n", title(result.point), result.skipped);
    std::size_t next = 0;
    while (next < tasks_.size() || !running_.empty()) {
      if (next < tasks_.size() && running_.size() < jobs_) {
        begin(tasks_[next++]);
      } else {
        finish_one();
      }
    }
    return report();
  }

 private:
  /// What a run of this point does before it begins. Throws machine::InvalidMachine.
  void check_machine(std::size_t index) {
    machine::LoadOptions options;
    options.overrides = overrides_of(points_[index]);
    const machine::Description description = machine::load(study_.machine, options);
    const machine::Placement placement = description.placement(points_[index].ranks);
    (void)description.build_network(points_[index].ranks);
    (void)description.io_config(placement);
    machines_[index] = machine::show(description);
  }

  static void add_once(std::vector<machine::Diagnostic>& faults, const machine::Diagnostic& fault) {
    const auto same = [&](const machine::Diagnostic& known) { return to_string(known) == to_string(fault); };
    if (std::ranges::none_of(faults, same)) faults.push_back(fault);
  }

  void make_output_folder() const {
    const std::filesystem::path folder = study_.output / "points";
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!error && access(folder.c_str(), W_OK) != 0) error = std::error_code(errno, std::generic_category());
    if (error)
      throw machine::InvalidMachine(
          {{study_.file.string(),
            fmt::format("output: cannot write to {}: {}", study_.output.string(), error.message())}});
  }

  /// Later repetitions stand beside the first, which a study without repetitions has, too.
  std::filesystem::path folder_of(const Task& task) const {
    std::string name = std::to_string(points_[task.point].number);
    if (task.repetition > 0) name += fmt::format(".{}", task.repetition + 1);
    return std::filesystem::absolute(study_.output / "points" / name);
  }

  PointRun& run_of(const Task& task) { return results_[task.point].runs[task.repetition]; }

  std::string title(const Task& task) const {
    const std::string text = title(points_[task.point]);
    return study_.repeat == 1 ? text
                              : fmt::format("{}, run {} of {}", text, task.repetition + 1, study_.repeat);
  }

  std::vector<std::string> overrides_of(const Point& point) const {
    std::vector<std::string> overrides;
    for (std::size_t v = 0; v < study_.variables.size(); ++v) {
      if (study_.variables[v].path != arguments_variable) {
        overrides.push_back(study_.variables[v].path + "=" + point.values[v]);
      }
    }
    return overrides;
  }

  std::string title(const Point& point) const {
    std::string text = fmt::format("ranks={}", point.ranks);
    for (std::size_t v = 0; v < study_.variables.size(); ++v) {
      text += fmt::format(" {}={}", study_.variables[v].path, point.values[v]);
    }
    return text;
  }

  /// Words behind `mpisim`.
  std::vector<std::string> command_of(const Point& point) const {
    std::vector<std::string> words{
        "run", "-n", std::to_string(point.ranks), "-m", study_.machine.string(), "--json", "result.json"};
    for (const std::string& assignment : overrides_of(point)) {
      words.emplace_back("--set");
      words.push_back(assignment);
    }
    for (const auto& [name, value] : study_.options) {
      words.push_back("--" + name);
      if (value != "true") words.push_back(value);
    }
    // Points are compared with each other, so their sequential code must not be measured beside other points.
    if (option_of(study_, "compute").empty()) words.insert(words.end(), {"--compute", "counted"});
    words.insert(words.end(), study_.command.begin(), study_.command.end());
    for (std::size_t v = 0; v < study_.variables.size(); ++v) {
      if (study_.variables[v].path != arguments_variable) continue;
      std::istringstream more(point.values[v]);
      for (std::string word; more >> word;) words.push_back(word);
    }
    return words;
  }

  static std::string quoted(const std::string& word) {
    if (!word.empty() && word.find_first_of(" \t'\"\\$&;()*?[]{}<>|") == std::string::npos) return word;
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
  }

  /// All that the result of a point depends on: if it is what it was, the point needs not run again.
  std::string definition_of(std::size_t index) const {
    nlohmann::ordered_json definition;
    definition["version"] = MPISIM_VERSION;
    definition["command"] = command_of(points_[index]);
    definition["machine"] = machines_[index];
    struct stat program{};
    stat(study_.command[0].c_str(), &program);
    definition["program_bytes"] = program.st_size;
    definition["program_modified_ns"] = program.st_mtim.tv_sec * 1'000'000'000LL + program.st_mtim.tv_nsec;
    return definition.dump(2) + "\n";
  }

  void begin(const Task& task) {
    const auto folder = folder_of(task);
    if (read_file(folder / "point.json") == definition_of(task.point) &&
        std::filesystem::exists(folder / "result.json")) {
      run_of(task).json = read_file(folder / "result.json");
      ++kept_;
      ++done_;
      return;
    }
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    for (const auto& input : study_.inputs) std::filesystem::create_symlink(input, folder / input.filename());
    write_atomically((folder / "command.txt").string(), join_command(points_[task.point]));
    running_.emplace(start(folder, command_of(points_[task.point])), task);
  }

  std::string join_command(const Point& point) const {
    std::string line = "mpisim";
    for (const std::string& word : command_of(point)) line += " " + quoted(word);
    return line + "\n";
  }

  static pid_t start(const std::filesystem::path& folder, const std::vector<std::string>& words) {
    std::vector<std::string> all{"mpisim"};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (std::string& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error(std::string("cannot start a point: ") + std::strerror(errno));
    if (child > 0) return child;
    // A killed sweep takes its points along; `mpisim run` does the same for what it started.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || chdir(folder.c_str()) != 0) _exit(host_failure);
    const int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    // Not through a link to an input of the same name.
    constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    const int output = open("output.txt", flags, 0666);
    const int errors = open("errors.txt", flags, 0666);
    if (input < 0 || output < 0 || errors < 0) {
      std::perror("mpisim sweep: output.txt and errors.txt of a point");
      _exit(host_failure);
    }
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(errors, STDERR_FILENO);
    execv(self.c_str(), argv.data());
    _exit(host_failure);
  }

  void finish_one() {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0) {
      if (errno == EINTR) return;
      throw std::runtime_error(std::string("lost a point's process: ") + std::strerror(errno));
    }
    const auto found = running_.find(pid);
    if (found == running_.end()) return;
    const Task task = found->second;
    running_.erase(found);
    const auto folder = folder_of(task);
    PointRun& result = run_of(task);
    result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (std::filesystem::exists(folder / "result.json")) result.json = read_file(folder / "result.json");
    ++done_;
    if (result.good()) {
      // Only a success is remembered: what failed runs again next time.
      write_atomically((folder / "point.json").string(), definition_of(task.point));
      const auto run = nlohmann::json::parse(result.json);
      fmt::print(stderr, "[{}/{}] {}: {:.6g} s\n", done_, tasks_.size(), title(task),
                 run.value("predicted_time_s", 0.0));
    } else {
      result.explanation = read_file(folder / "errors.txt");
      fmt::print(stderr, "[{}/{}] {}: failed with exit status {}\n", done_, tasks_.size(), title(task),
                 result.exit_status);
    }
  }

  int report() const {
    if (kept_ > 0)
      fmt::print(stderr, "{} of {} {} were finished before\n", kept_, tasks_.size(),
                 study_.repeat == 1 ? "points" : "runs");
    for (const auto& file : write_results(study_, results_)) fmt::print("{}\n", file.string());
    int status = success;
    for (const Task& task : tasks_) {
      const PointRun& result = results_[task.point].runs[task.repetition];
      if (result.good()) continue;
      status = point_failed;
      fmt::print(stderr, "\npoint {} ({}) failed with exit status {}; see {}\n{}\n",
                 points_[task.point].number, title(task), result.exit_status,
                 (folder_of(task) / "errors.txt").string(), result.explanation.substr(0, 600));
    }
    const auto skipped =
        std::ranges::count_if(results_, [](const PointResult& result) { return !result.skipped.empty(); });
    if (skipped == 0) return status;
    fmt::print(stderr, "\n{} of {} points skipped, they cannot run: see above, or `reason` in the table\n",
               skipped, results_.size());
    return point_failed;
  }

  const Study& study_;
  std::size_t jobs_;
  std::vector<Point> points_;
  std::vector<std::string> machines_;  ///< effective machine file of each point that can run
  std::vector<PointResult> results_;
  std::vector<Task> tasks_;
  std::map<pid_t, Task> running_;
  std::size_t done_ = 0;
  std::size_t kept_ = 0;
};

}  // namespace

int sweep_command(const Arguments& arguments) {
  const Study study = load_study(arguments.operands()[0]);
  for (const PlotRequest& plot : study.plots) {
    const auto& columns = result_column_names();
    if (std::ranges::find(columns, plot.y) == columns.end()) {
      throw machine::InvalidMachine({{study.file.string(), fmt::format("y: there is no result '{}'{}", plot.y,
                                                                       did_you_mean(plot.y, columns))}});
    }
  }
  const std::string compute = option_of(study, "compute");
  // What is measured must not be disturbed by other points.
  std::size_t jobs = compute == "measured" ? 1 : std::max(1U, std::thread::hardware_concurrency());
  if (const auto given = arguments.value("jobs")) jobs = whole_number(*given, "jobs", 1, 1024);
  Sweep sweep(study, jobs);
  sweep.check();
  if (arguments.has("dry-run")) return sweep.list();
  if (study.repeat > 1 && compute != "measured")
    fmt::print(stderr,
               "note: with --compute {} all repetitions predict the same time; only host times differ "
               "between them\n",
               compute.empty() ? "counted" : compute);
  return sweep.run();
}

}  // namespace mpisim::app
