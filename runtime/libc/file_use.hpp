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

  /// The result of open or the like: charged unless it failed.
  int opened(int descriptor);
  /// To be called before the descriptor is closed.
  void closes(int descriptor);
  /// The result of a read or write; the descriptor's position is behind what was moved.
  ssize_t moved(int descriptor, bool write, ssize_t bytes);
  /// The same at a place that the program named.
  ssize_t moved_at(int descriptor, bool write, ssize_t bytes, off_t offset);

 private:
  void charge(const FileUse& use);

  RankEnvironment* rank_;  // null if nothing costs anything
};

}  // namespace mpisim::runtime
