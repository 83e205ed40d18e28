#pragma once
// Starting processes such that none outlives this one.
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/descriptors.hpp"

namespace mpisim::app {

/// How a child ended.
struct ChildEnd {
  bool signalled = false;
  int code = 0;  ///< exit status, or the signal
};

/// Runs one child and everything that it starts in turn. While it runs, orphans of the child become ours, and
/// the signals that end a program (INT, TERM, HUP, QUIT) first kill all of them, then this process, so that
/// nothing is left behind; if this process is killed itself, the child is told by the kernel.
class ChildTree {
 public:
  ChildTree();
  ~ChildTree();
  ChildTree(const ChildTree&) = delete;
  ChildTree& operator=(const ChildTree&) = delete;

  /// Starts `words[0]` (looked up along PATH if it has no slash) with this process' environment. `stderr_fd`
  /// and `stdin_fd` replace its standard error and input unless they are -1. Throws std::runtime_error if it
  /// cannot be started.
  void start(const std::vector<std::string>& words, int stderr_fd = -1, int stdin_fd = -1);

  /// Readable when signals() has something to do.
  int descriptor() const { return signals_.get(); }
  /// Takes pending signals; returns how the child ended once it has. Does not return after a signal that
  /// ends this process: `cleanup` is called before.
  std::optional<ChildEnd> take_signals(const std::function<void()>& cleanup);
  /// Waits for the child's end.
  ChildEnd wait(const std::function<void()>& cleanup);

  pid_t child() const { return child_; }
  /// Called when a signal is going to end this process, before everything is killed.
  void before_end(std::function<void()> action) { before_end_ = std::move(action); }
  /// Called about once a second by wait().
  void while_waiting(std::function<void()> action) { while_waiting_ = std::move(action); }
  /// Waits for the child's end, but no longer than so.
  void give_time(std::chrono::milliseconds longest) const;

  /// Kills the child and all its descendants, and waits until they are gone.
  void kill_all();

 private:
  void end_by(int signal);

  FileDescriptor signals_;
  std::function<void()> before_end_;
  std::function<void()> while_waiting_;
  pid_t child_ = -1;
  std::optional<ChildEnd> ended_;
};

}  // namespace mpisim::app
