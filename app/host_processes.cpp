#include "app/host_processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <regex>
#include <stdexcept>

#include "app/arguments.hpp"
#include "app/control_channel.hpp"
#include "app/exit_codes.hpp"
#include "app/processes.hpp"
#include "app/questions.hpp"
#include "app/sleep_watch.hpp"
#include "runtime/target_abi.h"

namespace mpisim::app {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view session_prefix = "mpisim-run-";

// What runs left that were killed so hard that they could not tidy up: their directories tell their process.
void remove_leftovers(const std::string& parent) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(session_prefix)) continue;
    const auto pid = static_cast<pid_t>(std::strtol(name.c_str() + session_prefix.size(), nullptr, 10));
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) fs::remove_all(entry.path(), ignored);
  }
}

// A private directory that goes away with this object.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(const std::string& parent) {
    remove_leftovers(parent);
    std::string name = parent + "/" + std::string(session_prefix) + std::to_string(getpid()) + "-XXXXXX";
    if (mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("cannot make a directory in " + parent + ": " + std::strerror(errno));
    path_ = name;
  }
  ~TemporaryDirectory() { remove(); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  void remove() const {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Whether nobody reads our standard output or error any more. A program may break pipes of its own, too.
bool reader_is_gone() {
  std::array<pollfd, 2> ours{{{STDOUT_FILENO, 0, 0}, {STDERR_FILENO, 0, 0}}};
  poll(ours.data(), ours.size(), 0);
  return ((ours[0].revents | ours[1].revents) & POLLERR) != 0;
}

bool output_closed(int signal) {
  return signal == SIGPIPE && reader_is_gone();
}

std::string killed_by(const std::string& who, int signal) {
  std::string text = who + " was killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  if (signal == SIGKILL) text += "; was there memory enough for so many ranks?";
  return text;
}

// Host processes answer the question where their ranks are within this time, or do not.
constexpr auto time_to_answer = std::chrono::milliseconds(1500);

RunEnd run_directly(const RunPlan& plan, const std::vector<std::string>& words) {
  ChildTree child;
  SleepWatch sleep;
  put_into_environment(plan);
  child.start(words);
  child.while_waiting([&] { sleep.look({child.child()}); });
  child.before_end([&] {
    ask(child.child(), Question::interrupt);
    child.give_time(time_to_answer);
  });
  const ChildEnd end = child.wait({});
  if (!end.signalled) return {end.code, ""};
  return {host_failure, killed_by("the host process", end.code), output_closed(end.code)};
}

// Settings of Open MPI that keep it silent and its files in our directories; what the user has set stays.
void set_open_mpi_environment(const TemporaryDirectory* session, const TemporaryDirectory* shared_memory) {
  const auto set = [](const char* name, const char* value) {
    setenv((std::string("OMPI_MCA_") + name).c_str(), value, 0);
  };
  set("pml", "ob1");
  set("btl", "self,vader,tcp");
  set("btl_vader_single_copy_mechanism", "none");  // containers often forbid the others, with a warning
  // Without them what does not come with its envelope needs the sender's help, who may have other work to do:
  // twice the size at which the kernel sends a packet off.
  set("btl_vader_eager_limit", "131072");
  set("btl_base_warn_component_unused", "0");
  set("mca_base_component_show_load_errors", "0");
  set("orte_abort_print_stack", "0");
  if (session != nullptr) set("orte_tmpdir_base", session->path().c_str());
  if (shared_memory != nullptr) set("btl_vader_backing_directory", shared_memory->path().c_str());
}

std::vector<std::string> mpirun_words(const RunPlan& plan, const std::vector<std::string>& words,
                                      const HostSettings& settings) {
  std::vector<std::string> all{
      "mpirun",      "-n", std::to_string(plan.hosts), "--oversubscribe", "--bind-to", "none", "-x",
      plan_variable, "-x", MPISIM_COUNTED_VARIABLE};
  if (geteuid() == 0) all.emplace_back("--allow-run-as-root");
  if (!settings.hostfile.empty()) all.insert(all.end(), {"--hostfile", settings.hostfile});
  all.insert(all.end(), settings.mpirun_words.begin(), settings.mpirun_words.end());
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

// What mpirun and stray host processes say on standard error. It is shown only if it is all there is to know.
class Banner {
 public:
  explicit Banner(int fd) : pipe_(fd) { fcntl(fd, F_SETFL, O_NONBLOCK); }
  int descriptor() const { return pipe_.get(); }
  void read_some() {
    std::array<char, 4096> buffer{};
    for (ssize_t size = 0; (size = read(pipe_.get(), buffer.data(), buffer.size())) > 0;)
      if (text_.size() < (std::size_t{1} << 20)) text_.append(buffer.data(), static_cast<std::size_t>(size));
  }
  // "host process 1 was killed by ..." if mpirun says so, else its words.
  RunEnd failure() const {
    static const std::regex killed(R"(process rank (\d+) .*exited on signal (\d+))");
    std::string flat = text_;
    for (char& c : flat)
      if (c == '\n') c = ' ';
    std::smatch found;
    if (!std::regex_search(flat, found, killed)) return {host_failure, "mpirun failed:\n" + text_};
    const int signal = std::stoi(found[2].str());
    return {host_failure, killed_by("host process " + found[1].str(), signal), output_closed(signal)};
  }
  const std::string& text() const { return text_; }

 private:
  FileDescriptor pipe_;
  std::string text_;
};

// Follows a run with several host processes until it is known how it ended.
class Watch {
 public:
  Watch(ChildTree& tree, ControlServer& server, Banner& banner, std::function<void()> cleanup)
      : tree_(tree), server_(server), banner_(banner), cleanup_(std::move(cleanup)) {
    tree_.before_end([this] { hear_all(); });
  }

  void run() {
    using Clock = std::chrono::steady_clock;
    // Host processes say how the run ended before they take down MPI; mpirun gets a moment to tidy up.
    constexpr auto grace = std::chrono::milliseconds(2000);
    std::optional<Clock::time_point> deadline;
    while (!mpirun_end_) {
      if (ending_ && !deadline) deadline = Clock::now() + (ending_->exit_code == 0 ? grace : grace / 4);
      int timeout = 1000;
      if (deadline) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(*deadline - Clock::now());
        if (left.count() <= 0) break;
        timeout = static_cast<int>(left.count());
      }
      wait_for_news(timeout);
    }
    tree_.kill_all();
    banner_.read_some();
  }

  RunEnd end() const {
    if (ending_) return {ending_->exit_code, ""};
    if (!connected_ && mpirun_end_ && !mpirun_end_->signalled && mpirun_end_->code == 0) return {0, ""};
    if (mpirun_end_ && mpirun_end_->signalled)
      return {host_failure, killed_by("mpirun", mpirun_end_->code), output_closed(mpirun_end_->code)};
    return banner_.failure();
  }
  bool connected() const { return connected_; }

 private:
  std::vector<pid_t> processes() const {
    std::vector<pid_t> all;
    for (const FileDescriptor& connection : connections_)
      all.push_back(ControlServer::process_of(connection.get()));
    return all;
  }

  // Each says where its ranks are, and then that it has ended.
  void hear_all() {
    for (const pid_t process : processes()) ask(process, Question::interrupt);
    const auto end = std::chrono::steady_clock::now() + time_to_answer;
    std::vector<pollfd> waiting;
    for (const FileDescriptor& connection : connections_) waiting.push_back({connection.get(), POLLIN, 0});
    while (!waiting.empty() && std::chrono::steady_clock::now() < end) {
      poll(waiting.data(), waiting.size(), 10);
      std::erase_if(waiting, [](const pollfd& one) { return one.revents != 0; });
    }
  }

  void wait_for_news(int timeout) {
    std::vector<pollfd> ready{{tree_.descriptor(), POLLIN, 0},
                              {server_.descriptor(), POLLIN, 0},
                              {banner_.descriptor(), POLLIN, 0}};
    for (const FileDescriptor& connection : connections_) ready.push_back({connection.get(), POLLIN, 0});
    if (poll(ready.data(), ready.size(), timeout) == 0) sleep_.look(processes());
    if ((ready[2].revents & POLLIN) != 0) banner_.read_some();
    for (std::size_t i = connections_.size(); i-- > 0;)
      if (ready[i + 3].revents != 0) take_message(i);
    while (FileDescriptor connection = server_.accept()) {
      connected_ = true;
      connections_.push_back(std::move(connection));
    }
    if (const auto end = tree_.take_signals(cleanup_)) {
      // A host process may have said something just before.
      for (std::size_t i = connections_.size(); i-- > 0;) take_message(i);
      mpirun_end_ = end;
    }
  }

  void take_message(std::size_t connection) {
    const auto ending = ControlServer::receive(connections_[connection].get());
    if (!ending)
      connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(connection));
    else if (!ending_)
      ending_ = ending;
  }

  ChildTree& tree_;
  ControlServer& server_;
  Banner& banner_;
  std::function<void()> cleanup_;
  std::vector<FileDescriptor> connections_;
  SleepWatch sleep_;
  bool connected_ = false;
  std::optional<Ending> ending_;
  std::optional<ChildEnd> mpirun_end_;
};

RunEnd run_by_mpirun(RunPlan& plan, const std::vector<std::string>& words, const HostSettings& settings) {
  std::error_code no_folder;
  const fs::path temporary = fs::temp_directory_path(no_folder);
  if (no_folder || access(temporary.c_str(), W_OK) != 0)
    throw UsageError(fmt::format("TMPDIR: {} is no folder that can be written to",
                                 std::getenv("TMPDIR") ? std::getenv("TMPDIR") : "/tmp"));
  const TemporaryDirectory session(temporary.string());
  const TemporaryDirectory shared_memory(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : session.path());
  plan.control = session.path() + "/control";
  ControlServer server(plan.control);
  const bool here = settings.hostfile.empty();  // host processes on other machines lack our directories
  set_open_mpi_environment(here ? &session : nullptr, here ? &shared_memory : nullptr);
  put_into_environment(plan);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw std::runtime_error(std::string("cannot make a pipe: ") + std::strerror(errno));
  Banner banner(ends[0]);
  FileDescriptor banner_end(ends[1]);
  ChildTree tree;
  try {
    FileDescriptor no_input;
    if (here && ControlServer::passes_input())
      no_input = FileDescriptor(open("/dev/null", O_RDONLY | O_CLOEXEC));
    tree.start(mpirun_words(plan, words, settings), banner_end.get(), no_input.get());
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string(error.what()) +
                             "; --hosts needs Open MPI (Debian: apt-get install openmpi-bin)");
  }
  banner_end.reset();
  Watch watch(tree, server, banner, [&] {
    session.remove();
    shared_memory.remove();
  });
  watch.run();
  // Host processes on other machines only: mpirun carried their standard error.
  if (!watch.connected()) write_all(STDERR_FILENO, banner.text().data(), banner.text().size());
  return watch.end();
}

// mpirun waits for this process and takes its exit status.
[[noreturn]] void become_host_process(const RunPlan& plan, const std::vector<std::string>& words) {
  put_into_environment(plan);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  throw std::runtime_error("cannot start " + words[0] + ": " + std::strerror(errno));
}

}  // namespace

std::optional<Launched> launched_by_mpirun() {
  const char* processes = std::getenv("OMPI_COMM_WORLD_SIZE");
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (processes == nullptr || rank == nullptr) return std::nullopt;
  return Launched{std::atoi(rank), std::max(1, std::atoi(processes))};
}

RunEnd run_host_processes(RunPlan plan, const std::vector<std::string>& words, const HostSettings& settings) {
#ifdef MPISIM_PRELOAD
  setenv("LD_PRELOAD", MPISIM_PRELOAD, 1);
#endif
  if (launched_by_mpirun()) become_host_process(plan, words);
  return plan.hosts == 1 ? run_directly(plan, words) : run_by_mpirun(plan, words, settings);
}

}  // namespace mpisim::app
