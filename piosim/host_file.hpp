#pragma once
// Real files: one descriptor per open MPI file and host process, shared by its ranks.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "mpisim/communicator.hpp"

namespace mpisim::pio {

/// A failed operation on a real file: an MPI error class and what the system says; ok() if there was none.
struct Failure {
  int error_class = 0;
  std::string text;
  bool ok() const { return error_class == 0; }
};

/// From errno to the error class that MPI-3.1 table 13.4 has for it, with the system's text.
Failure failure_of(int system_error);

class HostFile {
 public:
  /// `created`: the file was not there before.
  HostFile(int descriptor, bool created) : descriptor_(descriptor), created_(created) {}
  ~HostFile();
  HostFile(const HostFile&) = delete;
  HostFile& operator=(const HostFile&) = delete;

  bool created() const { return created_; }
  /// Reads until `bytes` bytes or the end of the file; the number of bytes read.
  std::uint64_t read(void* to, std::uint64_t bytes, std::uint64_t offset, Failure& failure) const;
  /// The number of bytes written; less than `bytes` only with a failure.
  std::uint64_t write(const void* from, std::uint64_t bytes, std::uint64_t offset, Failure& failure) const;
  std::uint64_t size(Failure& failure) const;
  Failure resize(std::uint64_t bytes) const;
  /// Storage for the first `bytes` bytes exists afterwards; the file never shrinks.
  Failure preallocate(std::uint64_t bytes) const;

 private:
  int descriptor_;
  bool created_;
};

/// The files of one host process that its ranks have open, by the file's communicator.
class HostFiles {
 public:
  /// The file of this communicator; opened with `flags` (those of open(2)) if no rank of this host process
  /// has done so yet. Null with a failure.
  std::shared_ptr<HostFile> open(const mpi::Communicator& comm, const std::string& path, int flags,
                                 Failure& failure);

 private:
  /// Disjoint communicators may share a context: the world rank of the first member tells them apart.
  using Key = std::pair<mpi::ContextId, int>;
  std::map<Key, std::weak_ptr<HostFile>> open_;
};

}  // namespace mpisim::pio
