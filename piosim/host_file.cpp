#include "piosim/host_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "mpisim/include/mpi.h"
#include "mpisim/rank.hpp"
#include "runtime/libc/descriptors.hpp"

namespace mpisim::pio {

namespace {

constexpr mode_t new_file_mode = 0666;  // less the user's umask

}  // namespace

Failure failure_of(int system_error) {
  const auto error_class = [system_error] {
    switch (system_error) {
      case ENOENT:
        return MPI_ERR_NO_SUCH_FILE;
      case EEXIST:
        return MPI_ERR_FILE_EXISTS;
      case EACCES:
      case EPERM:
        return MPI_ERR_ACCESS;
      case EROFS:
        return MPI_ERR_READ_ONLY;
      case ENOSPC:
      case EFBIG:
        return MPI_ERR_NO_SPACE;
      case EDQUOT:
        return MPI_ERR_QUOTA;
      case ENAMETOOLONG:
      case ENOTDIR:
      case EISDIR:
      case ELOOP:
        return MPI_ERR_BAD_FILE;
      case EBUSY:
      case ETXTBSY:
        return MPI_ERR_FILE_IN_USE;
      default:
        return MPI_ERR_IO;
    }
  };
  return {error_class(), std::strerror(system_error)};
}

HostFile::~HostFile() {
  settle();
  ::close(descriptor_);
}

void HostFile::settle() const {
  if (place_ == settled) return;
  std::vector<const HostFile*>& files = unsettled_->files;
  files.back()->place_ = place_;
  files[place_] = files.back();
  files.pop_back();
  place_ = settled;
  Failure failure;
  const std::uint64_t bytes = length_->bytes;
  const std::uint64_t real = real_size(failure);
  if (bytes > real && !resize(bytes).ok()) length_->refused_at = real;
}

std::uint64_t& HostFile::length() const {
  if (length_->settlings != unsettled_->settlings) {
    Failure failure;
    const std::uint64_t real = real_size(failure);
    if (failure.ok() && length_->refused_at != real) {
      length_->bytes = real;
      length_->refused_at.reset();
    }
    length_->settlings = unsettled_->settlings;
  }
  return length_->bytes;
}

std::uint64_t HostFile::end_below(std::uint64_t needed, Failure& failure) const {
  if (!length_) return real_size(failure);
  std::uint64_t& known = length();
  // Other programs may have made the real file longer.
  if (needed > known) known = std::max(known, real_size(failure));
  return known;
}

Failure HostFile::grow(std::uint64_t bytes) const {
  if (length_) {
    std::uint64_t& known = length();
    if (bytes <= known) return {};
    known = bytes;
    if (place_ == settled) {
      place_ = unsettled_->files.size();
      unsettled_->files.push_back(this);
    }
    return {};
  }
  Failure failure;
  if (real_size(failure) >= bytes || !failure.ok()) return failure;
  // Another host process may be about to make it longer than this.
  while (::flock(descriptor_, LOCK_EX) != 0)
    if (errno != EINTR) return failure_of(errno);
  if (real_size(failure) < bytes && failure.ok()) failure = resize(bytes);
  ::flock(descriptor_, LOCK_UN);
  return failure;
}

std::uint64_t HostFile::read(void* to, std::uint64_t bytes, std::uint64_t offset, Failure& failure) const {
  if (data_ != Data::moves) {
    const std::uint64_t end = end_below(offset + bytes, failure);
    return end <= offset ? 0 : std::min(bytes, end - offset);
  }
  if (offset > std::numeric_limits<off_t>::max()) return 0;  // no file is that long
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        ::pread(descriptor_, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(offset + done));
    if (got > 0) {
      done += static_cast<std::uint64_t>(got);
    } else if (got == 0) {
      break;  // end of file
    } else if (errno != EINTR) {
      failure = failure_of(errno);
      break;
    }
  }
  return done;
}

std::uint64_t HostFile::write(const void* from, std::uint64_t bytes, std::uint64_t offset,
                              Failure& failure) const {
  if (data_ != Data::moves) {
    failure = grow(offset + bytes);
    return failure.ok() ? bytes : 0;
  }
  std::uint64_t done = 0;
  while (done < bytes) {
    const ssize_t put = ::pwrite(descriptor_, static_cast<const char*>(from) + done, bytes - done,
                                 static_cast<off_t>(offset + done));
    if (put > 0) {
      done += static_cast<std::uint64_t>(put);
    } else if (put == 0 || errno != EINTR) {
      failure = failure_of(put == 0 ? ENOSPC : errno);
      break;
    }
  }
  return done;
}

std::uint64_t HostFile::size(Failure& failure) const {
  return data_ == Data::moves ? real_size(failure) : end_below(~std::uint64_t{0}, failure);
}

std::uint64_t HostFile::real_size(Failure& failure) const {
  struct stat about{};
  if (::fstat(descriptor_, &about) == 0) return static_cast<std::uint64_t>(about.st_size);
  failure = failure_of(errno);
  return 0;
}

Failure HostFile::resize(std::uint64_t bytes) const {
  while (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) {
    if (errno != EINTR) return failure_of(errno);
  }
  if (length_) {
    length_->bytes = bytes;
    length_->refused_at.reset();
  }
  return {};
}

Failure HostFile::preallocate(std::uint64_t bytes) const {
  if (bytes == 0) return {};
  if (data_ != Data::moves) return grow(bytes);
  int error = EINTR;
  while (error == EINTR) error = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
  return error == 0 ? Failure{} : failure_of(error);
}

std::shared_ptr<Length> HostFiles::length_of(int descriptor) {
  struct stat about{};
  if (::fstat(descriptor, &about) != 0) return std::make_shared<Length>();
  std::erase_if(lengths_, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<Length>& known = lengths_[{about.st_dev, about.st_ino}];
  std::shared_ptr<Length> length = known.lock();
  if (!length)
    known = length =
        std::make_shared<Length>(static_cast<std::uint64_t>(about.st_size), unsettled_->settlings);
  return length;
}

std::shared_ptr<HostFile> HostFiles::open(const mpi::Communicator& comm, const std::string& path, int flags,
                                          Failure& failure) {
  const Key key{comm.context(), comm.shared().local->world_rank(0)};
  if (const auto known = open_.find(key); known != open_.end())
    if (std::shared_ptr<HostFile> file = known->second.lock()) return file;
  std::erase_if(open_, [](const auto& entry) { return entry.second.expired(); });
  runtime::raise_descriptor_limit();
  bool created = (flags & O_CREAT) != 0;
  int descriptor = ::open(path.c_str(), flags | O_CLOEXEC | (created ? O_EXCL : 0), new_file_mode);
  if (descriptor < 0 && created && errno == EEXIST && (flags & O_EXCL) == 0) {
    created = false;
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, new_file_mode);
  }
  if (descriptor < 0) {
    failure = failure_of(errno);
    return nullptr;
  }
  auto data = HostFile::Data::moves;
  if (!move_data_)
    data = mpi::current_rank().engine().hosts() == 1 ? HostFile::Data::stays : HostFile::Data::stays_anywhere;
  auto file = std::make_shared<HostFile>(
      descriptor, created, data, data == HostFile::Data::stays ? length_of(descriptor) : nullptr, unsettled_);
  open_[key] = file;
  return file;
}

}  // namespace mpisim::pio
