#pragma once
// While it lives, a rank uses the host's file system for its program: what it does there costs simulated
// time, and the host's time for it is no computation of the program. errno is left as the call itself left
// it.
#include <sys/types.h>

#include "runtime/rank_environment.hpp"

namespace mpisim::runtime {

class FileCall {
 public:
  /// null: outside of ranks, where nothing costs anything.
  explicit FileCall(RankEnvironment* rank);
  ~FileCall();
  FileCall(const FileCall&) = delete;
  FileCall& operator=(const FileCall&) = delete;

  /// The result of open or the like; `path` as the simulator reaches it: if the file could not be opened, the
  /// file system has looked for it. Null: the name is the C library's own.
  int opened(int descriptor, const char* path = nullptr);
  /// To be called before the descriptor is closed.
  void closes(int descriptor);
  /// The result of a read or write; the descriptor's position is behind what was moved.
  ssize_t moved(int descriptor, bool write, ssize_t bytes);
  /// The same at a place that the program named.
  ssize_t moved_at(int descriptor, bool write, ssize_t bytes, off_t offset);
  /// What asks about an open file, or has it written to disk.
  void asked(int descriptor) { told({FileUse::Kind::inquire, descriptor}); }
  void synced(int descriptor) { told({FileUse::Kind::sync, descriptor}); }
  /// A call about a name, as the simulator reaches it; null: the program's mistake, which costs nothing.
  void named(FileUse::Kind kind, const char* path, const char* new_path = nullptr) {
    if (path != nullptr) told({kind, -1, 0, 0, path, new_path});
  }

 private:
  void told(const FileUse& use) {
    if (rank_ != nullptr) charge(use);
  }
  void charge(const FileUse& use);

  RankEnvironment* rank_;  // null if nothing costs anything
};

}  // namespace mpisim::runtime
