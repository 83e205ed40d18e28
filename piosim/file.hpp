#pragma once
// One rank's view of an open file, and how its errors are raised.
#include <cstdint>
#include <memory>
#include <string>

#include "mpisim/communicator.hpp"
#include "mpisim/include/mpi.h"
#include "piosim/hints.hpp"
#include "piosim/host_file.hpp"
#include "piosim/view.hpp"

namespace mpisim::pio {

/// A file as a rank's storage sees it.
struct FileOnStorage {
  std::uint32_t number = 0;
  std::uint64_t next_offset = 0;  ///< where the rank's last access ended
  Storage* beside = nullptr;      ///< what serves it instead of the rank's own storage
  std::uint32_t entry = 0;        ///< in the rank's ledger
};

struct SplitCall;  // piosim/data_call.hpp
class Storage;

/// What tells a file's shared pointer from others.
struct SharedPointer {
  std::uint64_t file = 0;        ///< this collective open; equal on all its ranks
  std::uint32_t generation = 0;  ///< views that have been set
  std::uint64_t initial = 0;     ///< where it begins, in etypes of the view
  bool used = false;             ///< by this rank
};

class File {
 public:
  /// Takes over the caller's reference to `comm`, which belongs to this file alone.
  File(mpi::Communicator& comm, std::string name, std::string path, int amode);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  mpi::Communicator& comm() const { return comm_; }
  /// As the program gave it, and as this process reaches it.
  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  /// Tells the file from others among the locks of atomic mode.
  std::uint64_t lock_name() const { return lock_name_; }
  int amode() const { return amode_; }
  bool readable() const { return (amode_ & (MPI_MODE_RDONLY | MPI_MODE_RDWR)) != 0; }
  bool writable() const { return (amode_ & (MPI_MODE_WRONLY | MPI_MODE_RDWR)) != 0; }
  bool sequential() const { return (amode_ & MPI_MODE_SEQUENTIAL) != 0; }
  HostFile& host() const { return *host_; }
  /// Whether this rank's host process has opened it.
  bool has_host() const { return host_ != nullptr; }
  void set_host(std::shared_ptr<HostFile> host) { host_ = std::move(host); }

  FileOnStorage on_storage;
  View view;
  std::uint64_t position = 0;  ///< of the individual file pointer, in etypes
  Hints hints;                 ///< how it is accessed
  mpi::Info asked;             ///< the hints that this rank has given
  bool atomic = false;
  SharedPointer shared;
  std::unique_ptr<SplitCall> split;  ///< the one that has begun
  std::uint32_t unfinished = 0;      ///< nonblocking accesses that the program has not completed
  int handle = 0;
  MPI_Errhandler error_handler;

  void set_error_handler(MPI_Errhandler handler);

 private:
  mpi::Communicator& comm_;
  std::string name_;
  std::string path_;
  std::uint64_t lock_name_;
  int amode_;
  std::shared_ptr<HostFile> host_;
};

/// What is wrong with calls that must not come before all accesses of the file are complete.
std::string unfinished(const File& file);

/// Raises an error of the current call through the file's error handler (null: the default one). Unless the
/// handler ends the run, the message becomes a warning of the run, since most programs look at no return
/// value; returns the class.
int raise_error(File* file, int error_class, const std::string& message);

/// The same without a message: another rank has told it.
int raise_silently(File* file, int error_class);

/// The same where the failure is an answer that programs ask for (is the file there?): an error of the call,
/// and no warning of the run. The message is kept for bad_file().
int raise_answer(int error_class, const std::string& message);

/// What is wrong with a handle that is no file: MPI_FILE_NULL may be all that the rank got from an open whose
/// failure it has not looked at.
std::string bad_file(const char* argument, MPI_File handle);

/// The current rank's file behind a handle; null if there is none.
File* find_file(MPI_File handle);

}  // namespace mpisim::pio
