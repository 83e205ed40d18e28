#include "app/progress.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <string_view>

#include "app/descriptors.hpp"

namespace mpisim::app {

namespace {

constexpr std::string_view erase_line = "\r\033[K";

}  // namespace

ProgressLine::ProgressLine(std::function<std::string()> describe) : describe_(std::move(describe)) {
  // The program's signals are for the thread that runs it.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { show(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ProgressLine::~ProgressLine() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  thread_.join();
  erase();
}

void ProgressLine::erase() {
  if (visible_.exchange(false)) write_all(STDERR_FILENO, erase_line.data(), erase_line.size());
}

void ProgressLine::show() {
  auto pause = std::chrono::milliseconds(2000);
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, pause, [this] { return ends_; })) {
    const std::string text = std::string(erase_line) + describe_();
    visible_ = true;
    write_all(STDERR_FILENO, text.data(), text.size());
    pause = std::chrono::milliseconds(500);
  }
}

}  // namespace mpisim::app
