#include "piosim/posix_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "piosim/access.hpp"
#include "piosim/state.hpp"

namespace mpisim::pio {

using runtime::FileUse;

namespace {

std::string path_of(int descriptor) {
  std::error_code error;  // an empty path is a name like any other
  return std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), error).string();
}

}  // namespace

Storage& PosixFiles::storage() {
  if (world_io().config.posix == Posix::pfs) return *rank_io().storage;
  if (!local_) local_ = make_local_storage(world_io().config);
  return *local_;
}

FileOnStorage& PosixFiles::find(const Identity& identity, int descriptor, bool opens) {
  const auto [entry, fresh] = files_.try_emplace(identity);
  // A file that came into being otherwise (mkstemp) is opened when it is first used.
  if (fresh || opens) {
    const std::string path = path_of(descriptor);
    entry->second = {.number = storage().open(path, {}), .entry = rank_io().ledger->entry(path)};
  }
  return entry->second;
}

void PosixFiles::charge(const FileUse& use) {
  struct stat about{};
  if (::fstat(use.descriptor, &about) != 0 || !S_ISREG(about.st_mode)) return;
  const bool opens = use.kind == FileUse::Kind::open;
  FileOnStorage& file = find({about.st_dev, about.st_ino}, use.descriptor, opens);
  if (opens) return;
  if (use.kind == FileUse::Kind::close) {
    if (world_io().config.posix == Posix::pfs) sync(file);
    storage().inquire(file.number);
    return;
  }
  const bool write = use.kind == FileUse::Kind::write;
  const FilePiece piece{use.offset, use.bytes};
  if (world_io().config.posix == Posix::pfs)
    account(file, piece, write);
  else
    storage().access(file.number, piece, write);
}

}  // namespace mpisim::pio
