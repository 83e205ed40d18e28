#pragma once
// The program's own POSIX and stdio files (`io.posix`). Regular files cost time; pipes, devices and sockets
// do not. What asks about names and changes them costs time where the files are those of MPI-IO: a disk of
// the rank's own has no names.
#include <sys/types.h>

#include <map>
#include <memory>
#include <utility>

#include "piosim/file.hpp"
#include "piosim/storage.hpp"
#include "runtime/rank_environment.hpp"

namespace mpisim::pio {

/// Of one rank.
class PosixFiles {
 public:
  /// Charges and, where the files are on the machine's storage, counts what the program has done.
  void charge(const runtime::FileUse& use);

 private:
  /// The host's names of a file tell it from others while it exists; they do not reach any prediction.
  using Identity = std::pair<dev_t, ino_t>;
  void charge_name(runtime::FileUse::Kind kind, const char* path, const char* new_path);
  void charge_file(const runtime::FileUse& use, FileOnStorage& file);
  FileOnStorage& find(const Identity& identity, int descriptor, bool opens);
  Storage& storage();

  std::map<Identity, FileOnStorage> files_;
  std::unique_ptr<Storage> local_;  ///< of Posix::local, made when first used
};

}  // namespace mpisim::pio
