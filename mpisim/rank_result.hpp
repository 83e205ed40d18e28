#pragma once
// What a run tells of each rank, and of all together: each host process adds up its own, so that nobody has
// to keep a result for every rank of a large run.
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "mpisim/core.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::mpi {

constexpr std::size_t call_kinds = 6;  ///< values of CallKind

/// Counts of the layer above, which alone knows what they mean.
using Counters = std::array<std::uint64_t, 8>;

struct RankResult {
  kernel::SimTime finish;
  kernel::SimTime compute;
  kernel::SimTime in_calls[call_kinds];  ///< by CallKind
  kernel::SimTime asleep;                ///< in sleep() and the like; counted as compute in reports
  std::uint64_t messages = 0;            ///< sent, with payload, those inside collectives included
  std::uint64_t bytes = 0;
  Counters counters{};
  std::int32_t exit_status = 0;
  std::uint64_t waits = 0;  ///< times that it waited for a message in simulated time
  kernel::SimTime waited;   ///< how long, all together
  bool ended = false;

  kernel::SimTime in(CallKind kind) const { return in_calls[static_cast<std::size_t>(kind)]; }
  /// Sequential code, sleep included.
  kernel::SimTime computing() const { return compute + asleep; }
  /// Local MPI calls and reads of the clock.
  kernel::SimTime local() const { return in(CallKind::local) + in(CallKind::clock); }
  /// In all calls but those of MPI-IO and to the program's own files.
  kernel::SimTime communication() const {
    return in(CallKind::point_to_point) + in(CallKind::completion) + in(CallKind::collective) + local();
  }
};

/// Sum, minimum and maximum of a duration over ranks.
struct Spread {
  unsigned __int128 sum = 0;  ///< picoseconds
  std::int64_t min = std::numeric_limits<std::int64_t>::max();
  std::int64_t max = 0;
  std::uint64_t count = 0;

  void add(kernel::SimTime value);
  void add(const Spread& others);
  /// Integer sum divided by the number of ranks, rounded down; 0 without ranks.
  std::int64_t mean_ps() const;
  std::int64_t min_ps() const { return count == 0 ? 0 : min; }
  std::int64_t max_ps() const { return max; }
};

/// Of all ranks, or of those of a host process. The same whatever the order in which ranks are added.
struct RankTotals {
  kernel::SimTime finish;  ///< latest end of a rank
  int last_rank = 0;       ///< the lowest of those that end then
  Spread compute, point_to_point, completion, collective, local, communication, io;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  Counters counters{};
  std::uint64_t ranks = 0;
  std::uint64_t waits = 0;
  unsigned __int128 running_ps = 0;  ///< simulated time between waits
  int failed_rank = -1;              ///< the lowest with another exit status than 0; -1: none
  std::int32_t failed_status = 0;    ///< its exit status

  void add(const RankResult& result, int rank);
  void add(const RankTotals& others);
  /// Mean simulated time that a rank runs between two waits, in seconds; 0 if none waits.
  double mean_run_seconds() const;

 private:
  void take_end(kernel::SimTime end, int rank);
  void take_failure(int rank, std::int32_t status);
};

}  // namespace mpisim::mpi
