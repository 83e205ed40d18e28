#pragma once
// How much the host disturbed a run: what `--compute measured` times is processor time, which others
// lengthen.
//
// A thread that is ready but waits for a processor loses what it had in caches; time that a hypervisor steals
// is counted as the thread's own; programs on other processors share caches, memory and, as hardware threads,
// cores. Counters of the kernel tell all three: /proc/thread-self/schedstat (time on a run queue), getrusage
// (context switches, page faults) and /proc/stat (busy and stolen time of all processors, in ticks of some 10
// ms).
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mpisim::app {

/// Counters at one moment, since the process or the host was started. Times in seconds.
struct HostCounters {
  double elapsed = 0;                      ///< of a clock that never goes back
  double thread_cpu = 0;                   ///< processor time of the calling thread
  double process_cpu = 0;                  ///< of all threads
  double waited = 0;                       ///< calling thread, ready but without a processor
  std::uint64_t involuntary_switches = 0;  ///< calling thread, as the next three
  std::uint64_t voluntary_switches = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  double busy = -1;    ///< all processors of the host, stolen time not included; negative: not known
  double stolen = -1;  ///< by a hypervisor, from all processors; negative: not known
  std::uint64_t processors = 1;
};

/// For the calling thread; what the system does not tell stays at its default.
HostCounters read_host_counters();

/// Sets busy and stolen from the text of /proc/stat; leaves them if it is none.
void take_processor_times(const std::string& stat, double seconds_per_tick, HostCounters& counters);

/// What one host process did between two readings, and on which host: a plain value that travels between
/// processes.
struct HostUse {
  HostCounters counted;         ///< differences; busy and stolen negative if not known
  std::array<char, 64> host{};  ///< name of the host machine, ends in zero
};
HostUse use_between(const HostCounters& begin, const HostCounters& end);

/// All host processes of a run together. Shares are 0 to 1.
struct HostDisturbance {
  double cpu_seconds = 0;     ///< of the threads that simulate, as all sums here
  double waited_seconds = 0;  ///< ready, but without a processor
  std::uint64_t involuntary_switches = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t major_faults = 0;
  /// Of the processors of the hosts, the largest of all hosts; nothing if unknown or the run was too short
  /// for ticks.
  std::optional<double> stolen_share;
  std::optional<double> others_share;  ///< the same for what other programs had

  /// Of the time in which the threads wanted a processor.
  double waited_share() const;
  bool too_much() const;
};

/// Measured times count as disturbed beyond these. A thread that shares its processor waits for half of the
/// time; the limits leave room for the kernel's own housekeeping.
inline constexpr double waited_limit = 0.05;
inline constexpr double stolen_limit = 0.02;
inline constexpr double others_limit = 0.25;
/// Seconds of a run from which on /proc/stat tells something.
inline constexpr double least_for_ticks = 0.25;

HostDisturbance disturbance_of(const std::vector<HostUse>& uses);

/// "waited 12.0 % of the time for a processor (34 times taken away), ...": for the summary.
std::string describe(const HostDisturbance& disturbance);

/// What a reader of measured times must know; empty within the limits.
std::string disturbance_warning(const HostDisturbance& disturbance);

}  // namespace mpisim::app
