#pragma once
// Names of files: what programs call them, and the order in which names come and go.
#include <cstdint>
#include <string>

namespace mpisim::pio {

/// The path of what a program calls `name`, as seen from the simulator's working directory. A file system's
/// prefix that ROMIO knows ("ufs:", "nfs:", "testfs:", in small or capital letters) is left out: every name
/// is a file of the simulated file system. Any other colon belongs to the name.
std::string path_of_name(const char* name);

/// While it lives, no other rank creates a file or deletes one by this path: who finds it there
/// is decided in simulated time, by the server of file_server.hpp, for the same cost as a lock of atomic
/// mode. Costs nothing where all ranks take part in the call (`members` of them do). Charges the current rank
/// and may block it.
class NameLock {
 public:
  NameLock(const std::string& path, int members);
  ~NameLock();
  NameLock(const NameLock&) = delete;
  NameLock& operator=(const NameLock&) = delete;

 private:
  std::uint64_t name_ = 0;
  std::uint64_t number_ = 0;  // 0: none
};

}  // namespace mpisim::pio
