#pragma once
// File descriptors as a rank sees them. 0, 1 and 2 are the rank's standard streams, not the simulator's; dup
// and dup2 may move them. All other descriptors are real ones of the host process.
#include <sys/types.h>

#include <cstddef>
#include <map>

#include "runtime/libc/libc_state.hpp"

namespace mpisim::runtime {

struct DescriptorState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::descriptors;
  explicit DescriptorState(LibcState&) {}
  ~DescriptorState() override;

  static constexpr int closed = -1;
  /// What descriptors stand for that do not stand for themselves: a standard stream (0 to 2), a real
  /// descriptor, or `closed`.
  std::map<int, int> meaning;
  bool standard_input_ended = false;
};

/// What the rank's descriptor stands for: 0 to 2 a simulated standard stream, above a real descriptor, or
/// DescriptorState::closed.
int descriptor_meaning(RankEnvironment& rank, int descriptor);

/// read(), write() and close() of a rank; what they do to files costs time. Return -1 with errno on error.
ssize_t rank_read(RankEnvironment& rank, int descriptor, void* data, std::size_t size);
ssize_t rank_write(RankEnvironment& rank, int descriptor, const void* data, std::size_t size);
int rank_close(RankEnvironment& rank, int descriptor);

/// All ranks share the descriptors of the host process: lifts its soft limit to the hard one.
void raise_descriptor_limit();

}  // namespace mpisim::runtime
