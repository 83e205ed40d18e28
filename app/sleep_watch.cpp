#include "app/sleep_watch.hpp"

#include <fstream>
#include <optional>
#include <sstream>
#include <string>

#include "app/questions.hpp"

namespace mpisim::app {

namespace {

constexpr int looks_asleep = 3;
// A rank that waits for data looks for it from time to time; in the kernel's ticks of, mostly, 10 ms.
constexpr std::uint64_t little = 2;

/// Processor time of a process' first thread in ticks; none if it runs, is stopped, or is gone.
std::optional<std::uint64_t> time_of_sleeper(pid_t process) {
  const std::string number = std::to_string(process);
  std::ifstream file("/proc/" + number + "/task/" + number + "/stat");
  std::string text;
  std::getline(file, text, '\0');
  const std::size_t end = text.rfind(')');  // the command's name before it may hold anything
  if (end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(end + 1));
  char state = 0;
  std::string skipped;
  fields >> state;
  constexpr int fields_between = 10;  // proc(5): state is the third, utime the fourteenth
  for (int i = 0; i < fields_between; ++i) fields >> skipped;
  std::uint64_t user = 0;
  std::uint64_t system = 0;
  fields >> user >> system;
  if (!fields || (state != 'S' && state != 'D')) return std::nullopt;
  return user + system;
}

}  // namespace

void SleepWatch::look(const std::vector<pid_t>& processes) {
  for (const pid_t process : processes) {
    Seen& seen = seen_[process];
    const std::optional<std::uint64_t> time = time_of_sleeper(process);
    if (!time || *time > seen.processor_time + little) {
      seen = {time.value_or(0), 0};
      continue;
    }
    seen.processor_time = *time;
    if (++seen.asleep % looks_asleep == 0) ask(process, Question::host_call);
  }
}

}  // namespace mpisim::app
