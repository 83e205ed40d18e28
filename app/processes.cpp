#include "app/processes.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <thread>

#include "app/questions.hpp"

namespace mpisim::app {

namespace {

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) sigaddset(&set, signal);
  return set;
}

// Parent of a process; 0 if it is gone. The command's name, in parentheses, may hold anything.
pid_t parent_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos || end + 4 >= text.size()) return 0;
  return static_cast<pid_t>(std::strtol(text.c_str() + end + 3, nullptr, 10));
}

std::vector<pid_t> descendants() {
  std::multimap<pid_t, pid_t> children;
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return {};
  while (const dirent* entry = readdir(proc))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
      children.emplace(parent_of(entry->d_name), static_cast<pid_t>(std::atol(entry->d_name)));
  closedir(proc);
  std::vector<pid_t> found{getpid()};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [first, last] = children.equal_range(found[i]);
    for (auto child = first; child != last; ++child) found.push_back(child->second);
  }
  found.erase(found.begin());
  return found;
}

// Between fork and exec. A failure is told through `failure`, which exec closes.
[[noreturn]] void become(const std::vector<std::string>& words, int stderr_fd, int stdin_fd, pid_t parent,
                         int failure) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent died before the line above
  sigset_t set = watched_signals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ignore_questions();
  ::signal(SIGXFSZ, SIG_DFL);  // mpirun would wait for ever for what it cannot write
  if (stderr_fd >= 0) dup2(stderr_fd, STDERR_FILENO);
  if (stdin_fd >= 0) dup2(stdin_fd, STDIN_FILENO);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  write_all(failure, &error, sizeof error);
  _exit(127);
}

}  // namespace

ChildTree::ChildTree() {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t set = watched_signals();
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = FileDescriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals_) throw std::runtime_error(std::string("cannot watch signals: ") + std::strerror(errno));
}

ChildTree::~ChildTree() {
  kill_all();
  sigset_t set = watched_signals();
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

void ChildTree::start(const std::vector<std::string>& words, int stderr_fd, int stdin_fd) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  const FileDescriptor read_end(ends[0]);
  FileDescriptor write_end(ends[1]);
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ < 0) throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child_ == 0) become(words, stderr_fd, stdin_fd, parent, write_end.get());
  write_end.reset();
  int error = 0;
  if (read(read_end.get(), &error, sizeof error) == sizeof error)
    throw std::runtime_error("cannot start " + words[0] + ": " + std::strerror(error));
}

std::optional<ChildEnd> ChildTree::take_signals(const std::function<void()>& cleanup) {
  signalfd_siginfo info{};
  while (read(signals_.get(), &info, sizeof info) == sizeof info) {
    if (info.ssi_signo == SIGCHLD) continue;
    if (before_end_) before_end_();
    kill_all();
    if (cleanup) cleanup();
    end_by(static_cast<int>(info.ssi_signo));
  }
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
    if (pid == child_)
      ended_ = WIFSIGNALED(status) ? ChildEnd{true, WTERMSIG(status)} : ChildEnd{false, WEXITSTATUS(status)};
  return ended_;
}

ChildEnd ChildTree::wait(const std::function<void()>& cleanup) {
  for (;;) {
    if (const auto ended = take_signals(cleanup)) return *ended;
    pollfd ready{signals_.get(), POLLIN, 0};
    if (poll(&ready, 1, 1000) == 0 && while_waiting_) while_waiting_();
  }
}

void ChildTree::give_time(std::chrono::milliseconds longest) const {
  const auto end = std::chrono::steady_clock::now() + longest;
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

void ChildTree::kill_all() {
  // A process may fork between the look and the kill: look again until none is left.
  for (auto found = descendants(); !found.empty(); found = descendants()) {
    for (const pid_t pid : found) kill(pid, SIGKILL);
    int status = 0;
    while (waitpid(-1, &status, 0) > 0) {
    }
  }
}

// Dies by the same signal, so that a shell or make that started this process sees what happened.
void ChildTree::end_by(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t set = watched_signals();
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  _exit(128 + signal);
}

}  // namespace mpisim::app
