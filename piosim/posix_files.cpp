#include "piosim/posix_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <string_view>

#include "piosim/access.hpp"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"

namespace mpisim::pio {

using runtime::FileUse;

namespace {

std::string path_of(int descriptor) {
  std::error_code error;  // an empty path is a name like any other
  return std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), error).string();
}

/// Directories of the host that are no part of any machine's file system.
bool of_host(std::string_view path) {
  return path.starts_with("/proc/") || path.starts_with("/dev/") || path.starts_with("/sys/");
}

/// One path for each name of a file, as path_of() has it: the name itself may be a link, or not there.
std::string real_path(const char* path) {
  const std::filesystem::path whole = path;
  std::error_code error;  // a path through what does not exist is a name like any other
  const std::filesystem::path directory =
      std::filesystem::canonical(whole.has_parent_path() ? whole.parent_path() : ".", error);
  return error ? whole.lexically_normal().string() : (directory / whole.filename()).string();
}

bool about_name(FileUse::Kind kind) {
  return kind == FileUse::Kind::look_up || kind == FileUse::Kind::make || kind == FileUse::Kind::remove ||
         kind == FileUse::Kind::rename;
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
    if (world_io().config.posix == Posix::pfs) count(Counter::metadata_calls);
    entry->second = {.number = storage().open(path, {}), .entry = rank_io().ledger->entry(path)};
  }
  return entry->second;
}

void PosixFiles::charge(const FileUse& use) {
  if (about_name(use.kind)) {
    charge_name(use.kind, use.path, use.new_path);
    return;
  }
  struct stat about{};
  if (::fstat(use.descriptor, &about) != 0) return;
  if (S_ISDIR(about.st_mode) && use.kind == FileUse::Kind::inquire)
    charge_name(FileUse::Kind::look_up, path_of(use.descriptor).c_str(), nullptr);
  if (!S_ISREG(about.st_mode)) return;
  charge_file(use, find({about.st_dev, about.st_ino}, use.descriptor, use.kind == FileUse::Kind::open));
}

/// A disk of the rank's own has no names.
void PosixFiles::charge_name(FileUse::Kind kind, const char* path, const char* new_path) {
  if (world_io().config.posix != Posix::pfs || of_host(path)) return;
  const std::string name = real_path(path);
  Storage& files = rank_io().metadata();
  if (kind == FileUse::Kind::make)
    files.make(name);
  else if (kind == FileUse::Kind::remove)
    files.remove(name);
  else if (kind == FileUse::Kind::rename)
    files.rename(name, real_path(new_path));
  else
    files.look_up(name);
}

/// What has been opened is charged already.
void PosixFiles::charge_file(const FileUse& use, FileOnStorage& file) {
  const bool pfs = world_io().config.posix == Posix::pfs;
  const bool write = use.kind == FileUse::Kind::write;
  const FilePiece piece{use.offset, use.bytes};
  switch (use.kind) {
    case FileUse::Kind::read:
    case FileUse::Kind::write:
      if (pfs)
        account(file, piece, write);
      else
        storage().access(file.number, piece, write);
      return;
    case FileUse::Kind::sync:
      if (pfs) sync(file);
      return;
    case FileUse::Kind::inquire:
      if (pfs) rank_io().metadata().inquire(file.number);
      return;
    case FileUse::Kind::close:
      if (pfs) close(file);
      return;
    default:
      return;
  }
}

}  // namespace mpisim::pio
