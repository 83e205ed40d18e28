#pragma once
// The plan of a run: what `mpisim run` decided from its command line, handed to the program's process (or to
// every host process) as JSON in the environment variable MPISIM_RUN.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mpisim::app {

inline constexpr const char* plan_variable = "MPISIM_RUN";

struct RunPlan {
  std::string program;                 ///< path of the target program, as it is started
  std::string machine;                 ///< absolute path of the machine file
  std::vector<std::string> overrides;  ///< "path=value", in the order of the command line
  std::uint64_t ranks = 1;             ///< >= 1
  int hosts = 1;                       ///< host processes, >= 1
  std::string protocol = "sequential";
  std::int64_t quantum_ps = 0;  ///< 0: the largest exact one
  std::string order_file;       ///< absolute; empty = none
  bool deterministic = true;
  std::string compute = "measured";  ///< measured | counted | recorded | off
  std::string record_file;           ///< durations of `recorded` compute; empty = none
  std::string partition = "block";   ///< block | round-robin | graph
  std::string profile_file;          ///< absolute: read with graph, written with the others; empty = none
  std::uint64_t stack_size = std::uint64_t{8} << 20;      ///< bytes of virtual memory per rank
  std::uint64_t livelock_polls = std::uint64_t{1} << 20;  ///< see mpi::WorldOptions
  std::string heap = "zero";                              ///< zero | pattern | native
  double time_limit_s = 0;            ///< of host time, from the start of the simulation; 0: none
  std::int64_t epoch = 0;             ///< seconds since 1970: simulated time zero for the target's clocks
  std::string json_file;              ///< absolute, or standard_output; empty = none
  bool per_rank = false;              ///< per_rank in the JSON beyond 4096 ranks too
  bool quiet = false;                 ///< no summary
  std::string io_tables = "busiest";  ///< in the summary: busiest | all | none
  bool progress = false;              ///< a progress line on stderr
  std::int64_t launched_ns = 0;       ///< CLOCK_REALTIME of the launch, for startup_s
  bool native = false;                ///< the program was started directly: one rank, no report
  std::string control;                ///< control socket of `mpisim run`; empty with one host process

  std::string to_json() const;
  /// Throws std::runtime_error if the text is not a plan of this version.
  static RunPlan from_json(const std::string& text);
};

/// Puts the plan into this process' environment, for programs that it starts.
void put_into_environment(const RunPlan& plan);
/// The plan in this process' environment, if there is one.
std::optional<RunPlan> plan_from_environment();
/// Takes it out, so that the target and what it starts see the user's environment.
void clear_environment();

}  // namespace mpisim::app
