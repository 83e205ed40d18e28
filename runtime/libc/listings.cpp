// Functions that list directories, or walk through them: every batch of entries is a question to the file
// system, as the opening of a directory is (directory_streams.cpp).
#include <dirent.h>
#include <ftw.h>
#include <glob.h>

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "runtime/export.hpp"
#include "runtime/libc/listings.hpp"
#include "runtime/libc/named_calls.hpp"

using namespace mpisim::runtime;
using Kind = FileUse::Kind;

namespace {

// Bytes of entries that the C library fetches at a time (the buffer of glibc's opendir).
constexpr std::size_t batch = 32768;

struct ListingState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::listings;
  explicit ListingState(LibcState&) {}

  std::unordered_map<DIR*, std::size_t> left;  ///< of the batch that has been fetched, bytes
};

template <class Read>
auto next_entry(DIR* stream, Read read) {
  ListingState* const state = current_part<ListingState>();
  if (state == nullptr || stream == nullptr) return read(stream);
  const bool fetches = state->left[stream] == 0;
  FileCall call(fetches ? current_environment() : nullptr);
  const auto entry = read(stream);
  if (fetches) call.asked(dirfd(stream));  // may wait
  std::size_t& left = state->left[stream];
  if (fetches) left = batch;
  left -= std::min(left, entry == nullptr ? std::size_t{0} : std::size_t{entry->d_reclen});
  return entry;
}

// What a call that lists directories itself has asked: `questions` about `path`. Told behind it, since such
// calls run functions of the program, which compute and use files themselves.
void charge_listing(const char* path, std::size_t questions) {
  FileCall call(current_environment());
  for (; questions > 0; --questions) call.named(Kind::look_up, path);
}

// Questions for opening a directory and fetching entries of so many bytes.
std::size_t questions_of(std::size_t bytes) {
  return 2 + bytes / batch;
}

template <class Scan, class Entry>
int scan(const char* path, Entry*** list, Scan operation) {
  const RankPath complete(path);
  const int entries = operation(complete.c_str());
  std::size_t bytes = 0;  // of what was selected, which is all that is known
  for (int i = 0; i < entries; ++i) bytes += (*list)[i]->d_reclen;
  charge_listing(complete, questions_of(bytes));
  return entries;
}

// One directory's worth, and a question for each name that was found.
template <class Operation>
int find(const char* pattern, Operation operation) {
  const RankPath complete(pattern);
  std::size_t found = 0;
  const int result = [&] {
    const ScopedWorkingDirectory directory;
    return operation(found);
  }();
  charge_listing(complete, questions_of(0) + found);
  return result;
}

// The walk that runs on this thread. The program's function has no argument for it, and may let other ranks
// run, with walks of their own: so it is set again behind each call.
template <class Visit>
struct Walk {
  Visit visit;
  const ScopedWorkingDirectory& directory;
  std::size_t questions = 0;
  static thread_local Walk* current;

  template <class... Arguments>
  static int step(const char* path, Arguments... arguments) {
    Walk* const mine = current;
    mine->questions += 1;
    const int result = [&] {
      const ScopedWorkingDirectory::Interval interval(mine->directory);
      return mine->visit(path, arguments...);
    }();
    current = mine;
    return result;
  }
};
template <class Visit>
thread_local Walk<Visit>* Walk<Visit>::current = nullptr;

// operation() walks with Walk<Visit>::step; each name that is visited has been asked about.
template <class Visit, class Operation>
int walk(const char* path, Visit visit, Operation operation) {
  const RankPath complete(path);
  std::size_t questions = 0;
  const int result = [&] {
    const ScopedWorkingDirectory directory;
    Walk<Visit> mine{visit, directory};
    Walk<Visit>* const outer = std::exchange(Walk<Visit>::current, &mine);
    const int status = operation();
    Walk<Visit>::current = outer;
    questions = mine.questions;
    return status;
  }();
  charge_listing(complete, questions);
  return result;
}

}  // namespace

namespace mpisim::runtime {

void forget_listing(DIR* stream) {
  if (ListingState* const state = current_part<ListingState>()) state->left.erase(stream);
}

}  // namespace mpisim::runtime

MPISIM_EXPORT dirent* __wrap_readdir(DIR* stream) {
  return next_entry(stream, [](DIR* open) { return readdir(open); });
}
MPISIM_EXPORT dirent64* __wrap_readdir64(DIR* stream) {
  return next_entry(stream, [](DIR* open) { return readdir64(open); });
}
MPISIM_EXPORT void __wrap_rewinddir(DIR* stream) {
  forget_listing(stream);
  rewinddir(stream);
}

MPISIM_EXPORT int __wrap_scandir(const char* path, dirent*** list, int (*select)(const dirent*),
                                 int (*compare)(const dirent**, const dirent**)) {
  return scan(path, list, [&](const char* complete) { return scandir(complete, list, select, compare); });
}
MPISIM_EXPORT int __wrap_scandir64(const char* path, dirent64*** list, int (*select)(const dirent64*),
                                   int (*compare)(const dirent64**, const dirent64**)) {
  return scan(path, list, [&](const char* complete) { return scandir64(complete, list, select, compare); });
}

MPISIM_EXPORT int __wrap_glob(const char* pattern, int flags, int (*on_error)(const char*, int),
                              glob_t* result) {
  return find(pattern, [&](std::size_t& found) {
    const int status = glob(pattern, flags, on_error, result);
    if (status == 0) found = result->gl_pathc;
    return status;
  });
}
MPISIM_EXPORT int __wrap_glob64(const char* pattern, int flags, int (*on_error)(const char*, int),
                                glob64_t* result) {
  return find(pattern, [&](std::size_t& found) {
    const int status = glob64(pattern, flags, on_error, result);
    if (status == 0) found = result->gl_pathc;
    return status;
  });
}

MPISIM_EXPORT int __wrap_ftw(const char* path, __ftw_func_t visit, int descriptors) {
  return walk(path, visit, [&] { return ftw(path, Walk<__ftw_func_t>::step, descriptors); });
}
MPISIM_EXPORT int __wrap_ftw64(const char* path, __ftw64_func_t visit, int descriptors) {
  return walk(path, visit, [&] { return ftw64(path, Walk<__ftw64_func_t>::step, descriptors); });
}
MPISIM_EXPORT int __wrap_nftw(const char* path, __nftw_func_t visit, int descriptors, int flags) {
  return walk(path, visit, [&] { return nftw(path, Walk<__nftw_func_t>::step, descriptors, flags); });
}
MPISIM_EXPORT int __wrap_nftw64(const char* path, __nftw64_func_t visit, int descriptors, int flags) {
  return walk(path, visit, [&] { return nftw64(path, Walk<__nftw64_func_t>::step, descriptors, flags); });
}
