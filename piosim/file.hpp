#pragma once
// One rank's view of an open file, and how its errors are raised.
#include <cstdint>
#include <memory>
#include <string>

#include "mpisim/communicator.hpp"
#include "mpisim/include/mpi.h"
#include "piosim/host_file.hpp"
#include "piosim/view.hpp"

namespace mpisim::pio {

/// A file as a rank's storage sees it.
struct FileOnStorage {
  std::uint32_t number = 0;
  std::uint64_t next_offset = 0;  ///< where the rank's last access ended
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
  int amode() const { return amode_; }
  bool readable() const { return (amode_ & (MPI_MODE_RDONLY | MPI_MODE_RDWR)) != 0; }
  bool writable() const { return (amode_ & (MPI_MODE_WRONLY | MPI_MODE_RDWR)) != 0; }
  HostFile& host() const { return *host_; }
  void set_host(std::shared_ptr<HostFile> host) { host_ = std::move(host); }

  FileOnStorage on_storage;
  View view;
  std::uint64_t position = 0;     ///< of the individual file pointer, in etypes
  std::uint64_t aggregators = 0;  ///< of two-phase operations
  bool atomic = false;
  int handle = 0;
  MPI_Errhandler error_handler;

  void set_error_handler(MPI_Errhandler handler);

 private:
  mpi::Communicator& comm_;
  std::string name_;
  std::string path_;
  int amode_;
  std::shared_ptr<HostFile> host_;
};

/// Raises an error of the current call through the file's error handler (null: the default one). Unless the
/// handler ends the run, the message becomes a warning of the run, since most programs look at no return
/// value; returns the class.
int raise_error(File* file, int error_class, const std::string& message);

/// The same without a message: another rank has told it.
int raise_silently(File* file, int error_class);

/// The current rank's file behind a handle; null if there is none.
File* find_file(MPI_File handle);

}  // namespace mpisim::pio
