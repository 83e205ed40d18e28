#pragma once
// What a privatized rank runs in: its copy of the program's private data, its view of the C library's hidden
// state, and the services of the simulation that C library wrappers need.
#include <locale.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "simkernel/sim_time.hpp"

namespace mpisim::runtime {

struct LibcState;  // runtime/libc/: created when a rank first touches hidden state of the C library

/// What the target program did to a file of its own.
struct FileUse {
  enum class Kind : std::uint8_t {
    open,
    close,
    read,
    write,
    sync,     ///< what has been written is on disk afterwards
    inquire,  ///< asks about, or changes, what is known of an open file: sizes, times, rights
    // About names. These cost whatever became of them: the file system has looked.
    look_up,  ///< inquire by name; also what lists a directory
    make,     ///< a name that is not opened: of a directory, a link
    remove,
    rename,
  };
  Kind kind = Kind::read;
  int descriptor = -1;       ///< of the host process; still open, also of a close
  std::uint64_t offset = 0;  ///< of reads and writes
  std::uint64_t bytes = 0;
  const char* path = nullptr;      ///< of names: as the simulator reaches it, while the call lasts
  const char* new_path = nullptr;  ///< of rename
};

/// What the C library wrappers ask of the rank that calls them; implemented by MPI-SIM (and by a trivial
/// class for programs that are started directly).
class RankServices {
 public:
  virtual ~RankServices() = default;
  virtual int world_rank() const = 0;
  virtual int world_size() const = 0;
  virtual std::string node_name() const = 0;
  /// Whether the rank is inside a call of the simulator. May be asked by a handler of a signal.
  virtual bool in_simulator() const { return false; }
  /// The rank's clock as a C library clock call sees it: compute time up to here is taken, the read itself is
  /// charged.
  virtual kernel::SimTime read_clock() = 0;
  /// The rank does nothing for `duration` of simulated time.
  virtual void sleep(kernel::SimTime duration) = 0;
  /// Output of the target program, to appear in (time, rank, sequence) order; fd is 1 or 2.
  virtual void write_output(int fd, const char* data, std::size_t size) = 0;
  /// The target is about to use its own POSIX or stdio files: compute time up to here is taken. Whether that
  /// costs simulated time (`io.posix`); if not, the following is not called.
  virtual bool begin_file_use() = 0;
  /// What it did. The rank may block in here.
  virtual void charge_file_use(const FileUse& use) = 0;
  virtual void end_file_use() = 0;
  /// The target is about to look at a file by its name or a descriptor: what the simulation has kept back of
  /// files (see WorldExtension::settle_files) is given to them first.
  virtual void settle_files() {}
  /// Compute time up to here is taken: the rank is about to wait for something outside of the simulation.
  virtual void take_compute_time() {}
  /// Lets other ranks of this host process go on while this one waits for something outside of the
  /// simulation; neither simulated time nor compute time passes for it. False if none of them could: then the
  /// host may rest.
  virtual bool let_others_go_on() { return false; }
  /// Ends this rank with an exit status; never returns. The environment has run atexit handlers and flushed
  /// before.
  [[noreturn]] virtual void end_rank(int status) = 0;
  /// Ends the whole run with exit status 2: the rank asked for what a simulation cannot give. `message` names
  /// rank, call and place, and ends with a newline. By default it only ends the rank.
  [[noreturn]] virtual void refuse(const std::string& message) {
    write_output(2, message.data(), message.size());
    end_rank(2);
    __builtin_unreachable();
  }
};

class RankEnvironment {
 public:
  /// `segment_base`: displacement of this rank's private data (PrivateImages::initialise), already
  /// initialised.
  RankEnvironment(RankServices& services, std::uintptr_t segment_base);
  /// Closes what the rank left open; output that exit() did not flush is dropped.
  ~RankEnvironment();
  RankEnvironment(const RankEnvironment&) = delete;
  RankEnvironment& operator=(const RankEnvironment&) = delete;

  RankServices& services() const { return services_; }
  /// Value of GS while this rank runs.
  std::uintptr_t segment_base() const { return segment_base_; }
  /// Picoseconds of `counted` compute since the last call; zeroes the counter. Zero without an executable
  /// that counts.
  std::uint64_t take_counted();
  /// The hidden state of the C library, created when first asked for.
  LibcState& libc();
  /// The same, or null if the rank never touched hidden state.
  LibcState* existing_libc() const { return libc_.get(); }
  /// exit(): atexit handlers in reverse order, stdio flushed, then RankServices::end_rank. Called on the
  /// rank, also when its main returns.
  [[noreturn]] void exit(int status);
  /// Flushes the rank's own stdout and stderr buffers (called at the rank's end and before diagnostics);
  /// costs nothing if they go to a file.
  void flush_output();
  /// Whether files cost time at present.
  bool charges_files() const { return charges_files_; }
  /// The locale of the rank, which runs: it holds while the rank does. Null: the process's own.
  void use_locale(locale_t locale);

 private:
  friend void set_current_environment(RankEnvironment* environment);
  RankServices& services_;
  std::uintptr_t segment_base_;
  bool charges_files_ = true;
  int errno_ = 0;  // while the rank does not run: all ranks of a thread share the real one
  locale_t locale_ = nullptr;
  std::unique_ptr<LibcState> libc_;
};

namespace detail {
extern __thread RankEnvironment* current __attribute__((tls_model("initial-exec")));
}

/// The environment of the rank that runs on this thread; null outside of ranks (then wrappers act on the real
/// C library).
inline RankEnvironment* current_environment() {
  return detail::current;
}
/// Called at every fiber switch by MPI-SIM; keeps errno apart.
void set_current_environment(RankEnvironment* environment);

/// The simulator's own text and numbers are those of its own locale again: to be called when all ranks have
/// run.
void use_own_locale();

/// Start of simulated time on the target's calendar, seconds since 1970 (`--epoch`); default 2000-01-01.
void set_epoch(std::int64_t seconds);
std::int64_t epoch();

/// Cycles per second of the counter that target programs read (rdtsc), > 0; default 1e9.
void set_cycles_per_second(double cycles);

/// What a target program finds in memory that it has just allocated (`--heap`).
enum class Heap : std::uint8_t {
  native,   ///< what was there before, perhaps another rank's data
  zero,     ///< zero
  pattern,  ///< a word that is no number, no small integer and no address
};
/// Default: native.
void set_heap(Heap heap);

/// The path by which the current rank's `path` is reached from the simulator's working directory: ranks have
/// their own (chdir). For MPI-IO, whose files are opened by simulator code.
std::string resolve_path(const char* path);

/// Environment variables that target programs see, terminated by null: those of the simulator without its own
/// and Open MPI's. The third argument of main.
char** target_environment();

}  // namespace mpisim::runtime
