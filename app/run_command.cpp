#include "app/run_command.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "app/exit_codes.hpp"
#include "app/host_processes.hpp"
#include "app/json_file.hpp"
#include "app/machine_command.hpp"
#include "app/program_file.hpp"
#include "app/run_plan.hpp"
#include "app/run_report.hpp"
#include "machine/description.hpp"
#include "machine/units.hpp"
#include "simkernel/arrival_order.hpp"
#include "simkernel/load_profile.hpp"
#include "simkernel/result_file.hpp"

namespace mpisim::app {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_ranks = std::uint64_t{1} << 26;
constexpr std::uint64_t most_hosts = 4096;

std::string readable_file(const std::string& name, std::string_view option) {
  if (access(name.c_str(), R_OK) != 0)
    throw UsageError(fmt::format("{}: cannot read the file {}", option, name));
  return fs::absolute(name).string();
}

// A file that the run will write: its folder must exist. What an earlier run left is removed, so that nobody
// takes it for the result of a run that failed.
std::string result_file(const std::string& name, std::string_view option) {
  const fs::path path = kernel::without_links(fs::absolute(name));
  if (!fs::is_directory(path.parent_path()))
    throw UsageError(fmt::format("{}: there is no folder {}", option, path.parent_path().string()));
  if (fs::is_directory(path)) throw UsageError(fmt::format("{}: {} is a folder", option, name));
  const fs::path checked = fs::exists(path) && !fs::is_regular_file(path) ? path : path.parent_path();
  if (access(checked.c_str(), W_OK) != 0)
    throw UsageError(fmt::format("{}: cannot write {}: {}", option, name, std::strerror(errno)));
  return path.string();
}

void remove_old_result(const std::string& path) {
  if (path == standard_output) return;
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) fs::remove(path, ignored);
}

// What processes that were killed had begun to write beside its result.
void remove_unfinished(const std::string& path) {
  if (path.empty() || path == standard_output) return;
  const std::string name = fs::path(path).filename().string();
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(path).parent_path(), ignored)) {
    const std::string found = entry.path().filename().string();
    if (found.starts_with(name + kernel::unfinished_suffix)) fs::remove(entry.path(), ignored);
  }
}

// The reader of the output went away, as in `mpisim run ... | head`: nothing is said, and the shell sees what
// it sees of other filters.
void end_like_a_filter() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
}

// By default what programs are used to; with so many ranks that it would cost each a page of the page table,
// less. By the number of all ranks: a program that overflows does so with every number of host processes.
constexpr std::uint64_t most_ranks_with_large_stacks = 16'384;

std::uint64_t stack_size(const Arguments& arguments, std::uint64_t ranks) {
  constexpr std::uint64_t least = std::uint64_t{16} << 10;
  constexpr std::uint64_t most = std::uint64_t{16} << 30;
  const std::string text =
      arguments.value_or("stack-size", ranks > most_ranks_with_large_stacks ? "256 KiB" : "8 MiB");
  try {
    const std::uint64_t bytes = machine::parse_bytes(text).count();
    if (bytes < least || bytes > most)
      throw UsageError("--stack-size must be from 16 KiB to 16 GiB, not " + text);
    return bytes;
  } catch (const machine::BadQuantity& error) {
    throw UsageError(std::string("--stack-size: ") + error.what());
  }
}

double time_limit(const std::string& text) {
  try {
    const double seconds = machine::parse_time(text).seconds();
    if (seconds > 0) return seconds;
  } catch (const machine::BadQuantity& error) {
    throw UsageError(std::string("--time-limit: ") + error.what());
  }
  throw UsageError("--time-limit must be longer than 0 s");
}

// Seconds since 1970 from a number or a date.
std::int64_t epoch(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%4d-%2u-%2u%c", &year, &month, &day, &rest) == 3) {
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                           std::chrono::day(day)};
    if (date.ok() && year >= 1970)
      return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::sys_days(date).time_since_epoch())
          .count();
  } else if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos &&
             text.size() <= 10) {
    return std::stoll(text);
  }
  throw UsageError("--epoch must be a number of seconds since 1970 or a date as in 2000-01-01, not '" + text +
                   "'");
}

void choose_protocol(RunPlan& plan, const Arguments& arguments) {
  plan.protocol = arguments.value_or("protocol", plan.hosts == 1 ? "sequential" : "combined");
  if (plan.protocol == "sequential" && plan.hosts > 1)
    throw UsageError(fmt::format(
        "--protocol sequential simulates with one host process, not {}; leave one of --protocol and "
        "--hosts out",
        plan.hosts));
  if (plan.protocol == "none" && !plan.deterministic)
    throw UsageError("--protocol none relies on determinism; leave --deterministic off out");
  if (const auto quantum = arguments.value("quantum")) {
    if (plan.protocol != "quantum") throw UsageError("--quantum needs --protocol quantum");
    try {
      plan.quantum_ps = machine::parse_time(*quantum).ps();
    } catch (const machine::BadQuantity& error) {
      throw UsageError(std::string("--quantum: ") + error.what());
    }
    if (plan.quantum_ps <= 0) throw UsageError("--quantum must be longer than zero");
  }
  const auto order = arguments.value("order");
  if (plan.protocol == "ideal") {
    if (!order)
      throw UsageError(
          "--protocol ideal needs --order FILE, which an earlier run with another protocol and --order FILE "
          "has "
          "written");
    plan.order_file = readable_file(*order, "--order");
  } else if (order) {
    plan.order_file = result_file(*order, "--order");
  }
}

void choose_compute(RunPlan& plan, const Arguments& arguments) {
  plan.compute = arguments.value_or("compute", plan.hosts == 1 ? "measured" : "counted");
  const auto record = arguments.value("record");
  if (plan.compute == "recorded") {
    if (!record)
      throw UsageError(
          "--compute recorded needs --record FILE, which an earlier run with --compute measured "
          "--record FILE has written");
    plan.record_file = readable_file(*record, "--record");
  } else if (record) {
    if (plan.compute != "measured")
      throw UsageError(
          "--record goes with --compute measured (which writes the file) or recorded (which uses "
          "it), not with " +
          plan.compute);
    if (plan.hosts > 1) throw UsageError("--record with --compute measured needs --hosts 1");
    plan.record_file = result_file(*record, "--record");
  }
}

void choose_partition(RunPlan& plan, const Arguments& arguments) {
  plan.partition = arguments.value_or("partition", "block");
  const auto profile = arguments.value("profile");
  if (plan.partition == "graph") {
    if (!profile)
      throw UsageError(
          "--partition graph needs --profile FILE, which an earlier run of the program with --profile FILE "
          "and "
          "another partition has written");
    plan.profile_file = readable_file(*profile, "--profile");
  } else if (profile) {
    plan.profile_file = result_file(*profile, "--profile");
  }
}

// Reads it all: what is wrong with the file is told before anything runs.
void check_profile(const RunPlan& plan) {
  try {
    const auto profile = kernel::LoadProfile::load(plan.profile_file);
    if (profile.processes != plan.ranks)
      throw UsageError(fmt::format(
          "--profile: {} is of a run with {} rank{}, but this one has {}; record one with -n {} --profile "
          "FILE "
          "and another partition",
          plan.profile_file, profile.processes, profile.processes == 1 ? "" : "s", plan.ranks, plan.ranks));
  } catch (const kernel::WrongProfile& error) {
    throw UsageError(std::string("--profile: ") + error.what());
  }
}

// With a user's own mpirun every one of its processes is this command, and becomes a host process.
int chosen_hosts(const Arguments& arguments) {
  const auto chosen = arguments.value("hosts");
  const auto hosts = static_cast<int>(whole_number(chosen.value_or("1"), "--hosts", 1, most_hosts));
  const std::optional<Launched> launched = launched_by_mpirun();
  if (!launched) return hosts;
  if (chosen && hosts != launched->processes)
    throw UsageError(
        fmt::format("--hosts {}, but mpirun has started {} processes; leave --hosts out under mpirun", hosts,
                    launched->processes));
  return launched->processes;
}

RunPlan plan_of(const Arguments& arguments) {
  RunPlan plan;
  plan.launched_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                         std::chrono::system_clock::now().time_since_epoch())
                         .count();
  plan.ranks = whole_number(arguments.required("ranks"), "-n", 1, most_ranks);
  plan.hosts = chosen_hosts(arguments);
  if (static_cast<std::uint64_t>(plan.hosts) > plan.ranks)
    throw UsageError(fmt::format("{} host processes cannot share {} rank{}; --hosts {} is the most",
                                 plan.hosts, plan.ranks, plan.ranks == 1 ? "" : "s", plan.ranks));
  plan.deterministic = arguments.value_or("deterministic", "on") == "on";
  choose_protocol(plan, arguments);
  choose_compute(plan, arguments);
  choose_partition(plan, arguments);
  plan.stack_size = stack_size(arguments, plan.ranks);
  if (const auto polls = arguments.value("livelock-polls"))
    plan.livelock_polls = whole_number(*polls, "--livelock-polls", 1, std::uint64_t{1} << 62);
  plan.heap = arguments.value_or("heap", plan.heap);
  if (const auto limit = arguments.value("time-limit")) plan.time_limit_s = time_limit(*limit);
  plan.epoch = epoch(arguments.value_or("epoch", "2000-01-01"));
  plan.overrides = arguments.values("set");
  for (const std::string& assignment : plan.overrides)
    if (assignment.find('=') == std::string::npos)
      throw UsageError("--set needs PATH=VALUE, not '" + assignment + "'");
  if (const auto file = arguments.value("json"))
    plan.json_file = *file == standard_output ? *file : result_file(*file, "--json");
  plan.per_rank = arguments.has("per-rank");
  plan.quiet = arguments.has("quiet");
  plan.io_tables = arguments.value_or("io-tables", plan.io_tables);
  plan.progress = !plan.quiet && isatty(STDERR_FILENO) != 0;
  return plan;
}

HostSettings host_settings(const Arguments& arguments, int hosts) {
  HostSettings settings;
  for (const char* option : {"hostfile", "mpirun-args"})
    if (arguments.has(option) && hosts == 1)
      throw UsageError(fmt::format("--{} needs --hosts with more than one host process", option));
  if (const auto file = arguments.value("hostfile")) settings.hostfile = readable_file(*file, "--hostfile");
  std::istringstream words(arguments.value_or("mpirun-args", ""));
  for (std::string word; words >> word;) settings.mpirun_words.push_back(word);
  return settings;
}

}  // namespace

static int run_checked(const Arguments& arguments) {
  RunPlan plan = plan_of(arguments);
  const HostSettings settings = host_settings(arguments, plan.hosts);
  std::vector<std::string> words = arguments.operands();
  words[0] = plan.program = find_program(words[0]);
  plan.machine = fs::absolute(machine_file(arguments.required("machine"))).string();
  const machine::Description machine = machine::load(plan.machine, {plan.overrides, {}});
  static_cast<void>(machine.placement(plan.ranks));  // refuses if the machine is too small

  remove_old_result(plan.json_file);
  if (plan.protocol == "ideal") {
    try {
      kernel::ArrivalOrder::load(plan.order_file);
    } catch (const std::runtime_error& error) {
      throw UsageError(std::string("--order: ") + error.what());
    }
  } else {
    remove_old_result(plan.order_file);
  }
  if (plan.partition == "graph")
    check_profile(plan);
  else
    remove_old_result(plan.profile_file);
  const RunEnd end = run_host_processes(plan, words, settings);
  // A program that has destroyed its heap may have kept its host process from writing its results.
  const bool damaged =
      end.exit_code == crash && !plan.json_file.empty() && access(plan.json_file.c_str(), F_OK) != 0;
  if (end.exit_code == host_failure || damaged)
    for (const std::string& file : {plan.json_file, plan.order_file, plan.profile_file, plan.record_file})
      remove_unfinished(file);
  if (end.output_closed) end_like_a_filter();
  if (end.host_failure.empty() && !damaged) return end.exit_code;
  if (!end.host_failure.empty()) fmt::print(stderr, "mpisim run: {}\n", end.host_failure);
  if (!plan.json_file.empty()) {
    RunReport report;
    report.machine = machine.name();
    report.exit_code = end.exit_code;
    report.exit_reason = damaged ? "crash" : "host-failure";
    write_atomically(plan.json_file, to_json(plan, report));
  }
  return end.exit_code;
}

int run_command(const Arguments& arguments) {
  try {
    return run_checked(arguments);
  } catch (const std::exception&) {
    const std::optional<Launched> launched = launched_by_mpirun();
    if (launched && launched->rank > 0) return bad_input;  // its first process tells what is wrong
    throw;
  }
}

}  // namespace mpisim::app
