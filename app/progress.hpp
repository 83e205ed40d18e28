#pragma once
// The line on a terminal that shows that a long run is alive.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace mpisim::app {

class ProgressLine {
 public:
  /// Shows describe(), which is called on a thread of its own, on stderr: first after two seconds, then
  /// twice a second.
  explicit ProgressLine(std::function<std::string()> describe);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Takes the line away until its next turn: call before anything else is written to the terminal.
  void erase();

 private:
  void show();

  std::function<std::string()> describe_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false;
  std::atomic<bool> visible_ = false;
  std::thread thread_;
};

}  // namespace mpisim::app
