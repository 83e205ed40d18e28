#pragma once
// The working directory of a rank. A rank that never changed it uses the simulator's; one that did has its
// relative paths completed here, since the host process has only one.
#include <string>

#include "runtime/libc/libc_state.hpp"

namespace mpisim::runtime {

struct DirectoryState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::directory;
  explicit DirectoryState(LibcState&) {}

  std::string working_directory;  ///< absolute; empty until the rank changes it
  int mask = -1;                  ///< umask of the rank, -1 until it sets one
};

/// A path as the current rank means it, for the duration of one call.
class RankPath {
 public:
  explicit RankPath(const char* path);
  const char* c_str() const { return path_; }
  operator const char*() const { return path_; }

 private:
  const char* path_;
  std::string completed_;
};

/// While it lives, files are created with the current rank's umask.
class RankMask {
 public:
  RankMask();
  ~RankMask();
  RankMask(const RankMask&) = delete;
  RankMask& operator=(const RankMask&) = delete;

 private:
  int before_ = -1;
};

/// While it lives, the host process is in the current rank's working directory: for calls that walk through
/// directories themselves.
class ScopedWorkingDirectory {
 public:
  ScopedWorkingDirectory();
  ~ScopedWorkingDirectory();
  ScopedWorkingDirectory(const ScopedWorkingDirectory&) = delete;
  ScopedWorkingDirectory& operator=(const ScopedWorkingDirectory&) = delete;

  /// While it lives, the host process is where it was before the scope: for functions of the program, which
  /// may let other ranks go on.
  class Interval {
   public:
    explicit Interval(const ScopedWorkingDirectory& scope);
    ~Interval();
    Interval(const Interval&) = delete;
    Interval& operator=(const Interval&) = delete;

   private:
    int inside_ = -1;
  };

 private:
  int before_ = -1;
};

}  // namespace mpisim::runtime
