#pragma once
// What a run predicted and what it cost: filled from the simulation's result, written as JSON, summarised on
// stderr. Everything under "predicted" is the same for every host count, protocol and repetition (with
// compute other than `measured`); everything under "host" is not.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/host_disturbance.hpp"
#include "mpisim/rank_result.hpp"
#include "piosim/file_system_report.hpp"
#include "simkernel/partition.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::app {

struct RunPlan;

using mpi::Spread;

/// One rank's share of the prediction.
struct RankReport {
  kernel::SimTime finished;        ///< when the rank ended
  kernel::SimTime compute;         ///< sequential code
  kernel::SimTime point_to_point;  ///< in send and receive calls
  kernel::SimTime completion;      ///< in wait, test and probe calls
  kernel::SimTime collective;      ///< in collective calls and communicator constructors
  kernel::SimTime other;           ///< in local MPI calls and clock reads
  kernel::SimTime io;              ///< in MPI-IO calls and the program's own file accesses
  std::uint64_t messages = 0;      ///< sent with payload, those inside collectives included
  std::uint64_t bytes = 0;

  kernel::SimTime communication() const { return point_to_point + completion + collective + other; }
};

/// I/O statistics; all zero without MPI-IO.
struct IoReport {
  std::uint64_t requests = 0, disk_reads = 0, disk_writes = 0, seeks = 0, disk_seeks = 0, metadata_calls = 0;
  std::uint64_t bytes_read = 0, bytes_written = 0;
  std::uint64_t cnode_hits = 0, remote_hits = 0, ionode_hits = 0, misses = 0;
  std::uint64_t read_ahead = 0;  ///< blocks, by whatever cache
};

/// One disk of the parallel file system.
struct DiskReport {
  struct SizeClass {
    std::uint64_t up_to = 0;  ///< largest request, in bytes; 0: the class of all larger ones
    std::uint64_t reads = 0, writes = 0;
  };
  std::uint32_t io_node = 0, disk = 0, member = 0;
  std::uint64_t reads = 0, writes = 0, bytes_read = 0, bytes_written = 0, seeks = 0, cylinders = 0;
  std::uint64_t longest_queue = 0;
  kernel::SimTime busy;          ///< with a request in service
  kernel::SimTime last_end;      ///< of a service
  unsigned __int128 waited = 0;  ///< picoseconds, sum over requests, from arrival to the beginning of service
  std::vector<SizeClass> by_size;  ///< classes that had requests
};

/// How LPs are dealt to host processes, beside the two ways that need no profile.
struct PartitionReport {
  kernel::PartitionQuality chosen, block, round_robin;
};

/// What one host process did.
struct HostReport {
  std::uint64_t ranks = 0;  ///< that it simulated
  std::uint64_t events = 0;
  std::uint64_t remote_events = 0;       ///< sent to other host processes
  std::uint64_t resumes = 0;             ///< fiber switches into a rank
  std::uint64_t rounds = 0;              ///< of the protocol's messages
  std::uint64_t conditional_rounds = 0;  ///< of those, global minima
  std::uint64_t null_messages = 0;       ///< sent
  double blocked_seconds = 0;            ///< waiting for other host processes
  double wall_seconds = 0;               ///< from its first event to its last
  double mean_run_seconds = 0;           ///< as in RunReport, of its ranks
  std::uint64_t peak_rss_bytes = 0;      ///< page tables included
};

/// Samples of ranks' code in a run that counts (runtime/code_samples.hpp).
struct UncountedReport {
  static constexpr std::uint64_t fewest_samples = 25;  ///< fewer tell nothing

  std::uint64_t samples = 0;                    ///< of all ranks' code
  std::map<std::string, std::uint64_t> places;  ///< those in code that nothing prices, by object

  /// Part of the processor time of ranks that nothing prices, 0 to 1; nothing if the run was too short to
  /// tell.
  std::optional<double> share() const;

  /// Samples of code that prices stand for.
  std::uint64_t priced() const;
};

/// How fast the modelled processor is beside the host, where that can be told: time there / time here.
struct HostComparison {
  std::optional<double>
      kernel;  ///< of the calibration kernel (machine/calibration.hpp): host score / machine score
  /// Of the program's own code, from samples, in a run that counts. The code that runs then has counters,
  /// which take the host up to twice the time of the code without, so this is a lower bound.
  std::optional<double> code;
  double host_seconds = 0;  ///< with `code`: what the host took for it
};

struct RunReport {
  // Predicted.
  std::string machine;          ///< name from the machine file
  std::string processor_class;  ///< whose prices stand where the machine file has none
  double clock_hz = 0;
  std::size_t own_prices = 0;  ///< how many of the prices are the machine file's own
  kernel::SimTime predicted;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t slowest_rank = 0;  ///< the rank that ends last (the lowest of them)
  Spread compute, point_to_point, completion, collective, other, communication, io_time;
  std::vector<RankReport> per_rank;  ///< in rank order; empty if not asked for
  IoReport io;
  std::vector<DiskReport> disks;      ///< of the parallel file system, by I/O node, disk and member
  pio::FileSystemReport file_system;  ///< empty unless the run ended by itself on a machine with one
  std::uint64_t waits = 0;            ///< times that a rank waited for a message
  double mean_run_seconds = 0;        ///< mean simulated time that a rank ran between two waits
  kernel::SimTime lookahead;          ///< least latency between two ranks
  bool exact = true;
  int exit_code = 0;
  /// "exit" and "abort": the target's own; else "bad-input", "deadlock", "livelock", "crash", "misuse",
  /// "host-failure".
  std::string exit_reason = "exit";

  // Host.
  double wall_seconds = 0;     ///< first event to last
  double startup_seconds = 0;  ///< from the start of `mpisim run` to the first event
  std::uint64_t events = 0;
  double sync_rounds = 0;         ///< mean per host process
  double conditional_rounds = 0;  ///< of those, global minima; mean per host process
  std::uint64_t null_messages = 0;
  std::vector<HostReport> host_processes;  ///< in their order
  std::optional<PartitionReport> partition;
  double blocked_seconds = 0;        ///< waiting for other host processes, mean per host process
  std::uint64_t remote_events = 0;   ///< sent between host processes
  std::uint64_t resumes = 0;         ///< fiber switches into a rank
  std::uint64_t peak_rss_bytes = 0;  ///< sum over host processes, page tables included
  std::string calibration;           ///< one line; empty unless compute is measured
  double measured_share = 0;         ///< part of the predicted compute time that was measured, 0 to 1
  UncountedReport uncounted;         ///< empty unless compute is counted
  HostComparison comparison;
  HostDisturbance disturbance;
  std::vector<std::string> warnings;
  int output_error = 0;  ///< errno of a write of the program's standard output; 0: all is written

  /// Until all ranks have ended and all disks have served their last request, which may be later: what shares
  /// of the disks' time refer to.
  kernel::SimTime disk_time() const;
  /// The same for the processors of I/O nodes.
  kernel::SimTime server_time() const;
  /// Takes the file system's report, and what no rank waited for into the sums.
  void take(pio::FileSystemReport report);
  /// Takes what all ranks did, and the predicted time.
  void take(const mpi::RankTotals& totals);
};

/// Most ranks that `per_rank` of the JSON shows without --per-rank.
inline constexpr std::uint64_t per_rank_limit = 4096;

/// 0 to 1; 0 of nothing.
double share(kernel::SimTime part, kernel::SimTime whole);

/// Mean time that a rank runs between two waits (mean_run_seconds of the report or of one host process), in
/// units of the lookahead: how much work a protocol gets per decision; 0 if no rank waited.
double run_lookaheads(const RunReport& report, double mean_run_seconds);

/// Events per second of host time; 0 if there was none.
double events_per_second(std::uint64_t events, double wall_seconds);

/// The JSON document of `--json`; a text that ends in a newline.
std::string to_json(const RunPlan& plan, const RunReport& report);

/// The summary that goes to stderr.
std::string summary(const RunPlan& plan, const RunReport& report);

/// For a run that counted `compute` seconds in all its ranks together. Scores: of the calibration kernel; 0
/// if the host's is not known.
HostComparison compare_with_host(double compute, const UncountedReport& samples, double host_score,
                                 double machine_score);

/// Peak resident memory of this process, its page tables included, in bytes (VmHWM + VmPTE).
std::uint64_t peak_resident_bytes();

}  // namespace mpisim::app
