#pragma once
// Real files: one descriptor per open MPI file and host process, shared by its ranks.
//
// With `io.data: none` no data moves. The real files are there all the same and have their lengths, as files
// with nothing but holes, so that ends of file, sizes and what a later run finds are as with data. Several
// host processes agree on the length of an open file through the real file. One host process keeps it itself
// and gives it to the real file when somebody may look: before the program's own POSIX and stdio calls
// (settle()), and when the file is closed. These calls may change the real file, so that the next access asks
// it. With every number of host processes they see, and leave, the lengths that they do with data.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// Of a file without data, for all that have it open on a host process.
struct Length {
  std::uint64_t bytes = 0;
  std::uint64_t settlings = 0;  ///< so many there had been when the real file was asked
  /// Of the real file, when the host could not make it as long as this; while it is that, it tells nothing
  /// new.
  std::optional<std::uint64_t> refused_at{};
};

class HostFile;

/// Of a host process.
struct UnsettledFiles {
  std::vector<const HostFile*> files;  ///< without data, which may be longer than the real files; in no order
  std::uint64_t settlings = 0;  ///< times that the program's own calls may have changed real files since
};

class HostFile {
 public:
  enum class Data : std::uint8_t {
    moves,
    stays,           ///< only the length is kept, here
    stays_anywhere,  ///< and other host processes change it, too
  };

  /// `created`: the file was not there before. Of a file whose data stays here: its length, and where it is
  /// listed while the real file is behind.
  HostFile(int descriptor, bool created, Data data, std::shared_ptr<Length> length,
           std::shared_ptr<UnsettledFiles> unsettled)
      : descriptor_(descriptor),
        created_(created),
        data_(data),
        length_(std::move(length)),
        unsettled_(std::move(unsettled)) {}
  ~HostFile();
  HostFile(const HostFile&) = delete;
  HostFile& operator=(const HostFile&) = delete;

  bool created() const { return created_; }
  /// Reads until `bytes` bytes or the end of the file; the number of bytes read. Without data the buffer is
  /// left alone.
  std::uint64_t read(void* to, std::uint64_t bytes, std::uint64_t offset, Failure& failure) const;
  /// The number of bytes written; less than `bytes` only with a failure.
  std::uint64_t write(const void* from, std::uint64_t bytes, std::uint64_t offset, Failure& failure) const;
  std::uint64_t size(Failure& failure) const;
  Failure resize(std::uint64_t bytes) const;
  /// Storage for the first `bytes` bytes exists afterwards; the file never shrinks.
  Failure preallocate(std::uint64_t bytes) const;
  /// The real file has its length afterwards. One that was opened for reading only, or is longer than the
  /// host's can be, keeps the length that it has.
  void settle() const;

 private:
  /// Without data: where the file ends, if that is below `needed`; else at least `needed`.
  std::uint64_t end_below(std::uint64_t needed, Failure& failure) const;
  /// Without data: the file has at least `bytes` bytes afterwards.
  Failure grow(std::uint64_t bytes) const;
  std::uint64_t real_size(Failure& failure) const;
  /// Of a file whose length is kept here.
  std::uint64_t& length() const;

  int descriptor_;
  bool created_;
  Data data_;
  std::shared_ptr<Length> length_;
  std::shared_ptr<UnsettledFiles> unsettled_;
  mutable std::size_t place_ = settled;  // among the unsettled
  static constexpr std::size_t settled = ~std::size_t{0};
};

/// The files of one host process that its ranks have open, by the file's communicator.
class HostFiles {
 public:
  explicit HostFiles(bool move_data) : move_data_(move_data) {}
  /// The file of this communicator; opened with `flags` (those of open(2)) if no rank of this host process
  /// has done so yet. Null with a failure.
  std::shared_ptr<HostFile> open(const mpi::Communicator& comm, const std::string& path, int flags,
                                 Failure& failure);
  /// The real files have their lengths afterwards.
  void settle() const {
    while (!unsettled_->files.empty()) unsettled_->files.back()->settle();
    ++unsettled_->settlings;
  }

 private:
  /// Disjoint communicators may share a context: the world rank of the first member tells them apart.
  using Key = std::pair<mpi::ContextId, int>;
  std::map<Key, std::weak_ptr<HostFile>> open_;

  std::shared_ptr<Length> length_of(int descriptor);

  bool move_data_;
  /// Files without data, which several communicators may have open: by device and inode.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::weak_ptr<Length>> lengths_;
  std::shared_ptr<UnsettledFiles> unsettled_ = std::make_shared<UnsettledFiles>();
};

}  // namespace mpisim::pio
