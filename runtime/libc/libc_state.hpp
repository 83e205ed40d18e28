#pragma once
// The C library's hidden state of one rank. Every part is made when the rank first touches it, so that a rank
// that uses none of them pays nothing and one that only prints pays for its stdout.
#include <array>
#include <memory>

#include "runtime/rank_environment.hpp"

namespace mpisim::runtime {

/// One subject's state; the types live in the subject's own file.
struct LibcPart {
  virtual ~LibcPart() = default;
};

/// Destroyed from the last to the first: streams end in descriptors.
enum class LibcSubject {
  descriptors,
  streams,
  random,
  options,
  strings,
  calendar,
  variables,
  directory,
  listings,
  exit,
  signals,
  locale,
  count
};

struct LibcState {
  explicit LibcState(RankEnvironment& environment) : rank(environment) {}
  ~LibcState();

  /// The part of type T, which names its subject as T::subject; made from *this if it is not there yet.
  template <class T>
  T& part() {
    auto& slot = parts[static_cast<std::size_t>(T::subject)];
    if (!slot) slot = std::make_unique<T>(*this);
    return static_cast<T&>(*slot);
  }
  template <class T>
  T* existing() const {
    return static_cast<T*>(parts[static_cast<std::size_t>(T::subject)].get());
  }

  RankEnvironment& rank;
  std::array<std::unique_ptr<LibcPart>, static_cast<std::size_t>(LibcSubject::count)> parts;
};

/// The part of the rank that runs, or null outside of ranks.
template <class T>
T* current_part() {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? nullptr : &rank->libc().part<T>();
}

/// Runs atexit and on_exit handlers, last registered first; handlers may register more.
void run_exit_handlers(LibcState& state, int status);
/// Flushes all of the rank's streams and closes the files among them.
void close_streams(LibcState& state);
void flush_standard_streams(LibcState& state);
/// Closes all of the rank's descriptors, as a process does when it ends: who reads from them elsewhere finds
/// the end.
void close_descriptors(LibcState& state);

}  // namespace mpisim::runtime
