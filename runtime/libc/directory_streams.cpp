// Streams of directories. Each has a number among the rank's descriptors, and closes its real one itself.
#include <dirent.h>
#include <fcntl.h>

#include <cerrno>

#include "runtime/export.hpp"
#include "runtime/libc/descriptor_table.hpp"
#include "runtime/libc/listings.hpp"
#include "runtime/libc/named_calls.hpp"

using namespace mpisim::runtime;

namespace {

// Finds the number of a stream that the current rank has opened, or -1.
int number_of(RankEnvironment& rank, const DIR* directory) {
  const auto& entries = rank.libc().part<DescriptorState>().entries;
  for (std::size_t number = 0; number < entries.size(); ++number)
    if (entries[number].directory == directory) return static_cast<int>(number);
  return -1;
}

DIR* adopt(RankEnvironment& rank, DIR* directory) {
  if (directory == nullptr) return nullptr;
  const DescriptorState::Entry entry{dirfd(directory), true, directory};
  if (rank.libc().part<DescriptorState>().add(entry) >= 0) return directory;
  closedir(directory);
  errno = EMFILE;
  return nullptr;
}

}  // namespace

MPISIM_EXPORT DIR* __wrap_opendir(const char* path) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return opendir(path);
  raise_descriptor_limit();
  DIR* const directory =
      named_call(FileUse::Kind::look_up, path, [](const char* complete) { return opendir(complete); });
  if (directory != nullptr) forget_listing(directory);  // of one that was closed by other means
  return adopt(*rank, directory);
}

MPISIM_EXPORT DIR* __wrap_fdopendir(int descriptor) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return fdopendir(descriptor);
  DIR* const directory = fdopendir(real_descriptor(descriptor));
  if (directory == nullptr) return nullptr;
  rank->libc().part<DescriptorState>().find(descriptor)->directory = directory;
  return directory;
}

MPISIM_EXPORT int __wrap_closedir(DIR* directory) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return closedir(directory);
  forget_listing(directory);
  if (const int number = number_of(*rank, directory); number >= 0)
    rank->libc().part<DescriptorState>().remove(number);
  return closedir(directory);
}

MPISIM_EXPORT int __wrap_dirfd(DIR* directory) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return dirfd(directory);
  const int number = number_of(*rank, directory);
  if (number < 0) errno = EINVAL;
  return number;
}
