#pragma once
// Determinism of the second form: a program promises that a tag comes from one source alone. Then a receive
// from any source that names the tag can only get that source's messages, in their order, and needs no
// guarantee from the kernel. Whether promises are kept is checked on every message: the promise is about all
// messages of the run with that tag to this rank on this communicator, so that the answer does not depend on
// when messages reach the host process.
#include <optional>
#include <unordered_map>
#include <vector>

#include "simkernel/sim_time.hpp"

namespace mpisim::mpi {

/// Of one rank and communicator, in programs that call MPIX_Mpisim_deterministic.
class TagPromises {
 public:
  /// `tag`: or any_tag for all. `site`: of the call, for messages.
  void promise(int tag, kernel::SimTime at, const void* site);
  bool any() const { return !promises_.empty(); }
  /// Whether a message with this tag can only come from one source.
  bool covers(int tag) const { return find(tag) != nullptr; }
  /// A message came, in the order of its source. Returns whether it is the first of this source and tag.
  bool note(int tag, int source, kernel::SimTime time);

  struct Broken {
    int tag;
    int first_source;  ///< the two that were first, lower number first
    int second_source;
    kernel::SimTime time;  ///< when it was certain
    const void* site;      ///< of the promise
  };
  /// Whether the promise for a tag is broken by what came so far.
  std::optional<Broken> broken(int tag) const;
  /// The tags that have come, ascending.
  std::vector<int> tags() const;

 private:
  struct Promise {
    int tag;
    kernel::SimTime at;
    const void* site;
  };
  struct First {
    kernel::SimTime time;
    int source;
    auto operator<=>(const First&) const = default;
  };
  const Promise* find(int tag) const;

  std::vector<Promise> promises_;                       // in program order
  std::unordered_map<int, std::vector<First>> firsts_;  // by tag: first message of each source, by time
};

}  // namespace mpisim::mpi
