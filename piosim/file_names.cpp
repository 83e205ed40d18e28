#include "piosim/file_names.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <string_view>

#include "mpisim/core.hpp"
#include "piosim/file_server.hpp"
#include "piosim/shared_state.hpp"
#include "piosim/state.hpp"
#include "runtime/rank_environment.hpp"

namespace mpisim::pio {

namespace {

// Of ROMIO's file systems (as in MPICH's src/mpi/romio/adio/common/ad_fstype.c), those that hold POSIX files.
constexpr std::string_view prefixes[] = {
    "ufs",  "nfs", "xfs",        "pfs",    "piofs",  "sfs",    "hfs",     "pvfs", "pvfs2", "panfs",
    "gpfs", "bgl", "bglockless", "lustre", "zoidfs", "testfs", "quobyte", "ime",  "daos"};

// Locks of names and of contents have nothing to do with each other.
constexpr std::uint64_t names = 0x9e3779b97f4a7c15;

}  // namespace

std::string path_of_name(const char* name) {
  if (const char* colon = std::strchr(name, ':'); colon != nullptr) {
    std::string prefix(name, colon);
    std::ranges::transform(prefix, prefix.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    if (std::ranges::find(prefixes, prefix) != std::end(prefixes)) name = colon + 1;
  }
  return runtime::resolve_path(name);
}

NameLock::NameLock(const std::string& path, int members) {
  if (members == mpi::core::world_size() || !world_io().has_service()) return;
  name_ = name_of(path) ^ names;
  number_ = take_lock(name_, 0, 1, true);
}

NameLock::~NameLock() {
  if (number_ != 0) release_lock(name_, number_);
}

}  // namespace mpisim::pio
