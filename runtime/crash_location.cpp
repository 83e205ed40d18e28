#include "runtime/crash_location.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/raw_symbols.hpp"
#include "runtime/source_location.hpp"

namespace mpisim::runtime {
namespace {

constexpr const char* variable = "MPISIM_LOCATE";  // = process, then addresses
constexpr int longest_ms = 20'000;                 // large programs on slow file systems

// The environment of the process that locates: what it needs to find its libraries, and what is asked.
char** prepared_environment = nullptr;
char question[1024 + 64];

// Before the program's own constructors, which are in modules that depend on this one.
__attribute__((constructor)) void answer_question() {
  const char* const text = std::getenv(variable);
  if (text == nullptr) return;
  char* rest = nullptr;
  locate_in_process(static_cast<int>(std::strtol(text, &rest, 10)));
  std::vector<const void*> addresses;
  for (char* next = rest; *next != '\0'; next = rest) {
    const std::uintptr_t address = std::strtoull(next, &rest, 16);
    if (rest == next) break;
    addresses.push_back(reinterpret_cast<const void*>(address));
  }
  const std::string lines = describe_calls(addresses.data(), addresses.size());
  _exit(::write(STDOUT_FILENO, lines.data(), lines.size()) < 0 ? 1 : 0);
}

void write_question(const void* const* addresses, std::size_t count) {
  RawText text;
  text << variable << "=" << static_cast<std::int64_t>(getpid());
  for (std::size_t i = 0; i < count; ++i)
    (text << " ").hexadecimal(reinterpret_cast<std::uintptr_t>(addresses[i]));
  std::memcpy(question, text.data(), text.size());
  question[text.size()] = '\0';
}

// Not fork, which would run handlers of libraries, and they take locks that may be held; nor vfork, whose
// child shares this stack with what AddressSanitizer keeps for it.
pid_t start_locating(int output) {
  static char name[] = "mpisim-locate";
  static char* const arguments[] = {name, nullptr};
  const pid_t child = _Fork();
  if (child != 0) return child;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  dup2(output, STDOUT_FILENO);
  execve("/proc/self/exe", arguments, prepared_environment);
  _exit(127);
}

// Until the end of the answer, or until it takes too long.
std::size_t read_answer(int input, char* text, std::size_t size) {
  std::size_t done = 0;
  pollfd ready{input, POLLIN, 0};
  while (done < size && poll(&ready, 1, longest_ms) > 0) {
    const ssize_t found = ::read(input, text + done, size - done);
    if (found == 0) break;
    if (found > 0) done += static_cast<std::size_t>(found);
    if (found < 0 && errno != EINTR) break;
  }
  return done;
}

}  // namespace

void prepare_crash_location() {
  if (prepared_environment != nullptr) return;
  static char* variables[4] = {question};
  std::size_t count = 1;
  for (const char* const name : {"LD_LIBRARY_PATH", "LD_PRELOAD"})
    if (const char* const value = std::getenv(name))
      variables[count++] = strdup((std::string(name) + "=" + value).c_str());
  prepared_environment = variables;
}

void locate_crash(const void* const* addresses, std::size_t count, char* text, std::size_t size) {
  text[0] = '\0';
  int ends[2];
  if (count == 0 || prepared_environment == nullptr || ::pipe2(ends, O_CLOEXEC) != 0) return;
  write_question(addresses, count);
  const pid_t child = start_locating(ends[1]);
  ::close(ends[1]);
  if (child > 0) {
    text[read_answer(ends[0], text, size - 1)] = '\0';
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  ::close(ends[0]);
}

}  // namespace mpisim::runtime
