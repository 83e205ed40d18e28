#pragma once
// What a privatized rank runs in: its copy of the program's private data, its view of the C library's hidden
// state, and the services of the simulation that C library wrappers need.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "simkernel/sim_time.hpp"

namespace mpisim::runtime {

struct LibcState;  // runtime/libc/: created when a rank first touches hidden state of the C library

/// What the C library wrappers ask of the rank that calls them; implemented by MPI-SIM (and by a trivial
/// class for programs that are started directly).
class RankServices {
 public:
  virtual ~RankServices() = default;
  virtual int world_rank() const = 0;
  virtual int world_size() const = 0;
  virtual std::string node_name() const = 0;
  /// The rank's clock as a C library clock call sees it: compute time up to here is taken, the read itself is
  /// charged.
  virtual kernel::SimTime read_clock() = 0;
  /// The rank does nothing for `duration` of simulated time.
  virtual void sleep(kernel::SimTime duration) = 0;
  /// Output of the target program, to appear in (time, rank, sequence) order; fd is 1 or 2.
  virtual void write_output(int fd, const char* data, std::size_t size) = 0;
  /// Simulated cost of one access to the target's own POSIX or stdio files (`io.posix`).
  virtual void file_access(std::uint64_t bytes, bool write) = 0;
  /// Ends this rank with an exit status; never returns. The environment has run atexit handlers and flushed
  /// before.
  [[noreturn]] virtual void end_rank(int status) = 0;
};

class RankEnvironment {
 public:
  /// `copy`: where this rank's private data lies (from PrivateImages), already initialised.
  RankEnvironment(RankServices& services, std::uintptr_t segment_base);
  ~RankEnvironment();
  RankEnvironment(const RankEnvironment&) = delete;
  RankEnvironment& operator=(const RankEnvironment&) = delete;

  RankServices& services() const { return services_; }
  /// Value of GS while this rank runs.
  std::uintptr_t segment_base() const { return segment_base_; }
  /// Picoseconds of `counted` compute since the last call; zeroes the counter.
  std::uint64_t take_counted();
  LibcState& libc();
  /// exit(): atexit handlers in reverse order, stdio flushed, then RankServices::end_rank.
  [[noreturn]] void exit(int status);
  /// Flushes the rank's own stdout and stderr buffers (called at the rank's end and before diagnostics).
  void flush_output();

 private:
  RankServices& services_;
  std::uintptr_t segment_base_;
  std::unique_ptr<LibcState> libc_;
};

/// The environment of the rank that runs on this thread; null outside of ranks (then wrappers act on the real
/// C library).
RankEnvironment* current_environment();
/// Called at every fiber switch by MPI-SIM.
void set_current_environment(RankEnvironment* environment);

}  // namespace mpisim::runtime
