#include "runtime/libc/descriptor_table.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/libc/descriptors.hpp"
#include "runtime/libc/streams.hpp"

namespace mpisim::runtime {
namespace {

// What Linux gives a process at most, unless it is told otherwise.
constexpr std::size_t most_numbers = std::size_t{1} << 20;

DescriptorState* existing_state(RankEnvironment& rank) {
  const LibcState* const libc = rank.existing_libc();
  return libc == nullptr ? nullptr : libc->existing<DescriptorState>();
}

// Without settle_files(): also for what is only passed on.
int meaning_of(RankEnvironment& rank, int number) {
  if (DescriptorState* const state = existing_state(rank)) {
    const DescriptorState::Entry* const entry = state->find(number);
    return entry == nullptr ? DescriptorState::closed : entry->meaning;
  }
  return number >= 0 && number <= 2 ? number : DescriptorState::closed;
}

void close_entry(const DescriptorState::Entry& entry) {
  if (entry.directory != nullptr)
    closedir(entry.directory);
  else if (entry.meaning > 2)
    ::close(entry.meaning);
}

// An input that has ended, and an output into a pipe that takes everything. Made once for all ranks, which
// cannot change them: nothing is read from or written to them.
struct StandIns {
  StandIns() : input(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
    if (::pipe2(output, O_CLOEXEC) != 0) output[1] = DescriptorState::closed;
  }
  int input;
  int output[2]{};
};

int stand_in(RankEnvironment& rank, int stream) {
  static const StandIns instance;
  if (stream == 0) return rank.services().world_rank() == 0 ? STDIN_FILENO : instance.input;
  return instance.output[1];
}

int duplicate_real(int meaning) {
  if (meaning <= 2) return meaning;
  raise_descriptor_limit();
  return ::fcntl(meaning, F_DUPFD_CLOEXEC, 3);
}

}  // namespace

void close_descriptors(LibcState& state) {
  if (DescriptorState* const descriptors = state.existing<DescriptorState>()) descriptors->clear();
}

DescriptorState::~DescriptorState() {
  clear();
}

void DescriptorState::clear() {
  for (const Entry& entry : entries) close_entry(entry);
  entries.clear();
  lowest_free = 0;
}

DescriptorState::Entry* DescriptorState::find(int number) {
  if (number < 0 || static_cast<std::size_t>(number) >= entries.size()) return nullptr;
  Entry& entry = entries[static_cast<std::size_t>(number)];
  return entry.meaning == closed ? nullptr : &entry;
}

DescriptorState::Entry DescriptorState::remove(int number) {
  Entry& entry = entries[static_cast<std::size_t>(number)];
  lowest_free = std::min(lowest_free, static_cast<std::size_t>(number));
  return std::exchange(entry, Entry{});
}

int DescriptorState::add(const Entry& entry, int minimum) {
  std::size_t number = std::max(lowest_free, static_cast<std::size_t>(minimum));
  while (number < entries.size() && entries[number].meaning != closed) ++number;
  if (number >= most_numbers) {
    errno = EMFILE;
    return -1;
  }
  if (static_cast<std::size_t>(minimum) <= lowest_free) lowest_free = number + 1;
  return put(entry, static_cast<int>(number));
}

int DescriptorState::put(const Entry& entry, int number) {
  const auto index = static_cast<std::size_t>(number);
  if (index >= most_numbers) {
    errno = EBADF;
    return -1;
  }
  if (index >= entries.size()) entries.resize(index + 1);
  entries[index] = entry;
  return number;
}

int descriptor_meaning(RankEnvironment& rank, int number) {
  const int meaning = meaning_of(rank, number);
  if (meaning > 2) rank.services().settle_files();
  return meaning;
}

int real_descriptor(int number) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return number;
  const int meaning = descriptor_meaning(*rank, number);
  return meaning >= 0 && meaning <= 2 ? stand_in(*rank, meaning) : meaning;
}

int real_directory(int number) {
  return number == AT_FDCWD ? number : real_descriptor(number);
}

int give_number(int real, bool close_on_exec) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr || real < 0) return real;
  if (real <= 2) {  // the host process runs without standard streams of its own
    const int moved = ::fcntl(real, F_DUPFD_CLOEXEC, 3);
    ::close(real);
    if (moved < 0) return -1;
    real = moved;
  }
  ::fcntl(real, F_SETFD, FD_CLOEXEC);
  const int number = rank->libc().part<DescriptorState>().add({real, close_on_exec, nullptr});
  if (number >= 0) return number;
  ::close(real);
  errno = EMFILE;
  return -1;
}

int number_in_path(const char* path) {
  if (path == nullptr || path[0] != '/' || (path[1] != 'd' && path[1] != 'p')) return -1;
  std::string_view name = path;
  if (name == "/dev/stdin") return 0;
  if (name == "/dev/stdout") return 1;
  if (name == "/dev/stderr") return 2;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!name.starts_with(folder)) continue;
    name.remove_prefix(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    return error == std::errc() && end == name.data() + name.size() ? number : -1;
  }
  return -1;
}

int duplicate_descriptor(RankEnvironment& rank, int number, int minimum, bool close_on_exec) {
  const int meaning = descriptor_meaning(rank, number);
  if (meaning == DescriptorState::closed || minimum < 0 ||
      static_cast<std::size_t>(minimum) >= most_numbers) {
    errno = meaning == DescriptorState::closed ? EBADF : EINVAL;
    return -1;
  }
  const int copy = duplicate_real(meaning);
  if (copy < 0) return -1;
  const int result = rank.libc().part<DescriptorState>().add({copy, close_on_exec, nullptr}, minimum);
  if (result < 0 && copy > 2) ::close(copy);
  return result;
}

int duplicate_descriptor_to(RankEnvironment& rank, int from, int to, bool close_on_exec) {
  const int meaning = descriptor_meaning(rank, from);
  if (meaning == DescriptorState::closed || to < 0 || static_cast<std::size_t>(to) >= most_numbers) {
    errno = EBADF;
    return -1;
  }
  if (from == to) return to;
  const int copy = duplicate_real(meaning);
  if (copy < 0) return -1;
  // What the program printed before belongs to where the number led until now.
  if (FILE* const stream = to <= 2 ? existing_standard_stream(rank, to) : nullptr) fflush(stream);
  if (meaning_of(rank, to) != DescriptorState::closed) rank_close(rank, to);
  return rank.libc().part<DescriptorState>().put({copy, close_on_exec, nullptr}, to);
}

void move_descriptor(RankEnvironment& rank, int from, int to) {
  if (from == to) return;
  if (meaning_of(rank, to) != DescriptorState::closed) rank_close(rank, to);
  DescriptorState& state = rank.libc().part<DescriptorState>();
  state.put(state.remove(from), to);
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace mpisim::runtime
