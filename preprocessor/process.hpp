#pragma once
// Running other programs, and temporary files that do not outlive us.
#include <string>
#include <vector>

namespace mpisim::preprocessor {

/// Shell-like spelling of a command, for display.
std::string spell_command(const std::vector<std::string>& command);

/// Runs a command to its end with our standard streams; returns its exit status (128 + signal if it was
/// killed, 127 with a message if it could not be started).
int run_command(const std::vector<std::string>& command);

/// A directory for intermediate files, removed with the object, and on SIGINT, SIGTERM and SIGHUP.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  /// A new name in it.
  std::string file(const std::string& suffix);

 private:
  std::string path_;
  int count_ = 0;
};

/// An output file that appears under its name only once it is complete.
class PendingOutput {
 public:
  explicit PendingOutput(std::string path);
  ~PendingOutput();
  PendingOutput(const PendingOutput&) = delete;
  PendingOutput& operator=(const PendingOutput&) = delete;
  const std::string& temporary() const { return temporary_; }
  /// Gives the file its name; false (with a message) if that fails.
  bool commit();

 private:
  std::string path_;
  std::string temporary_;
};

}  // namespace mpisim::preprocessor
