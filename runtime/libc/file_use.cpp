#include "runtime/libc/file_use.hpp"

#include <unistd.h>

#include <cerrno>

namespace mpisim::runtime {

FileCall::FileCall(RankEnvironment* rank) : rank_(rank) {
  if (rank_ != nullptr && (!rank_->charges_files() || !rank_->services().begin_file_use())) rank_ = nullptr;
}

FileCall::~FileCall() {
  if (rank_ != nullptr) rank_->services().end_file_use();
}

void FileCall::charge(const FileUse& use) {
  const int error = errno;
  rank_->services().charge_file_use(use);
  errno = error;
}

int FileCall::opened(int descriptor, const char* path) {
  if (descriptor >= 0)
    told({FileUse::Kind::open, descriptor});
  else
    named(FileUse::Kind::look_up, path);
  return descriptor;
}

void FileCall::closes(int descriptor) {
  told({FileUse::Kind::close, descriptor});
}

ssize_t FileCall::moved(int descriptor, bool write, ssize_t bytes) {
  if (rank_ == nullptr || bytes <= 0) return bytes;
  const int error = errno;
  const off_t behind = lseek(descriptor, 0, SEEK_CUR);
  errno = error;
  // What has no position is no file: pipes, sockets.
  return behind < bytes ? bytes : moved_at(descriptor, write, bytes, behind - bytes);
}

ssize_t FileCall::moved_at(int descriptor, bool write, ssize_t bytes, off_t offset) {
  if (rank_ != nullptr && bytes > 0)
    charge({write ? FileUse::Kind::write : FileUse::Kind::read, descriptor,
            static_cast<std::uint64_t>(offset), static_cast<std::uint64_t>(bytes)});
  return bytes;
}

}  // namespace mpisim::runtime
