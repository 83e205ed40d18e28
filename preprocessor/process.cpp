#include "preprocessor/process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

extern char** environ;

namespace mpisim::preprocessor {
namespace {

char directory_to_remove[4096];
volatile sig_atomic_t child = 0;

// A compiler in the foreground gets a terminal's signals itself; one sent to us alone is passed on.
void remove_and_die(int number) {
  if (child > 0) kill(static_cast<pid_t>(child), number);
  if (directory_to_remove[0] != '\0') {
    std::error_code ignored;
    std::filesystem::remove_all(directory_to_remove, ignored);
  }
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

std::string spell_command(const std::vector<std::string>& command) {
  std::string result;
  for (const std::string& word : command) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n\"'\\$`*?&|;<>()#") == std::string::npos;
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    result += (result.empty() ? "" : " ") + (plain ? word : quoted + "'");
  }
  return result;
}

int run_command(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_t started = 0;
  const int problem = posix_spawnp(&started, words[0], nullptr, nullptr, words.data(), environ);
  if (problem != 0) {
    fmt::print(stderr, "mpisimcc: error: cannot run {}: {}\n", command[0], std::strerror(problem));
    return 127;
  }
  child = started;
  int status = 0;
  while (waitpid(started, &status, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TemporaryDirectory::TemporaryDirectory() {
  const char* base = ::getenv("TMPDIR");
  std::string pattern = std::string(base && *base ? base : "/tmp") + "/mpisimcc-XXXXXX";
  if (!mkdtemp(pattern.data()))
    throw std::runtime_error(fmt::format("cannot create {}: {}", pattern, std::strerror(errno)));
  path_ = pattern;
  if (path_.size() < sizeof directory_to_remove)
    std::memcpy(directory_to_remove, path_.c_str(), path_.size() + 1);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) signal(number, remove_and_die);
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  directory_to_remove[0] = '\0';
}

std::string TemporaryDirectory::file(const std::string& suffix) {
  return fmt::format("{}/{}{}", path_, ++count_, suffix);
}

PendingOutput::PendingOutput(std::string path) : path_(std::move(path)) {
  // Written to directly where renaming would replace a device or pipe.
  struct stat existing{};
  const bool special = stat(path_.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode);
  temporary_ = special || path_ == "-" ? path_ : fmt::format("{}.mpisimcc-{}", path_, getpid());
}

PendingOutput::~PendingOutput() {
  if (temporary_ != path_) ::unlink(temporary_.c_str());
}

bool PendingOutput::commit() {
  if (temporary_ == path_) return true;
  if (std::rename(temporary_.c_str(), path_.c_str()) == 0) return true;
  fmt::print(stderr, "mpisimcc: error: cannot write {}: {}\n", path_, std::strerror(errno));
  return false;
}

}  // namespace mpisim::preprocessor
