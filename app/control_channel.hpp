#pragma once
// The channel beside mpirun: a Unix socket in a private directory over which `mpisim run` gives its own
// standard streams to every host process on its machine, and a host process tells how the run ended. So
// mpirun neither reorders nor decorates anything that the user sees, nor drops input.
#include <sys/types.h>

#include <optional>
#include <string>

#include "app/descriptors.hpp"

namespace mpisim::app {

/// How a run ended, as a host process tells it.
struct Ending {
  int exit_code = 0;
  std::string reason;  ///< exit_reason of the JSON
};

/// The side of `mpisim run`.
class ControlServer {
 public:
  /// Listens at `path` (shorter than 108 bytes); throws std::runtime_error.
  explicit ControlServer(const std::string& path);
  int descriptor() const { return listener_.get(); }
  /// Whether host processes get standard input too. Not from a terminal: mpirun starts them in process groups
  /// of their own, which may not read it, so mpirun has to forward it.
  static bool passes_input();
  /// Takes one waiting connection and passes it our standard streams; an empty descriptor if there was none.
  FileDescriptor accept();
  /// The process at the other end of a connection.
  static pid_t process_of(int connection);
  /// Reads one message of a connection: an ending, or nothing if it was closed.
  static std::optional<Ending> receive(int connection);

 private:
  FileDescriptor listener_;
};

/// The side of a host process.
class ControlClient {
 public:
  /// Connects and puts the user's standard streams in place of mpirun's pipes. On another machine than
  /// mpisim run's there is nothing to connect to: then they stay, and mpirun carries input and output.
  explicit ControlClient(const std::string& path);
  bool connected() const { return static_cast<bool>(socket_); }
  /// Only the first report of a run counts. Safe inside a signal handler.
  void report(int exit_code, const char* reason) const;

 private:
  FileDescriptor socket_;
};

}  // namespace mpisim::app
