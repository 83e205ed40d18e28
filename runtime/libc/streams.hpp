#pragma once
// The FILE objects of a rank. Each is a cookie stream of the C library: buffering, formatting and positions
// are the library's own, and what reaches the "device" goes to the rank's descriptors. So output of ranks
// never mixes, and file access is charged per buffer, not per call.
#include <cstdio>
#include <memory>

#include "runtime/libc/libc_state.hpp"

namespace mpisim::runtime {

struct RankStream;  // one stream, the cookie

struct StreamState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::streams;
  explicit StreamState(LibcState& state) : rank(state.rank) {}
  ~StreamState() override;

  RankEnvironment& rank;
  FILE* standard[3] = {nullptr, nullptr, nullptr};  ///< the variables stdin, stdout, stderr of the rank
  RankStream* opened = nullptr;                     ///< all streams of the rank, the newest first
};

/// The rank's stdin (0), stdout (1) or stderr (2); made if the rank has not used it yet.
FILE* standard_stream(RankEnvironment& rank, int number);
/// The same, or null if the rank never used it.
FILE* existing_standard_stream(RankEnvironment& rank, int number);
/// stdout for wrappers of functions that write to it without naming it; the real one outside of ranks.
FILE* output_stream();
FILE* input_stream();
FILE* error_stream();

/// A stream on an open descriptor; mode as for fopen. Null with errno if it cannot be made (the descriptor
/// stays open).
FILE* open_stream(RankEnvironment& rank, int descriptor, const char* mode);
/// The rank's stream behind a FILE, or null if it was not made by the rank's wrappers.
RankStream* find_stream(RankEnvironment& rank, FILE* file);
/// Connects the stream to another descriptor with another mode, in place.
void reconnect(RankStream& stream, int descriptor, const char* mode);
/// The descriptor of a stream of the rank; -1 with errno if it has none.
int stream_descriptor(RankEnvironment& rank, FILE* file);
/// fflush(NULL) of a rank.
int flush_streams(RankEnvironment& rank);

/// Flags of open() for an fopen mode; -1 with errno = EINVAL for others.
int open_flags(const char* mode);

}  // namespace mpisim::runtime
