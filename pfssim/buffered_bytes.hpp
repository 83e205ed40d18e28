#pragma once
// Which bytes of files a burst buffer holds: runs that are dirty, on their way to the file system below, or
// clean. Bytes are in one run at most.
//
// Neighbouring dirty runs of a file are one to whoever asks; inside they are one if they became dirty at the
// same time, or are clean and left together: there are no more runs than pieces that were written and have
// not left, and that left. Dirty bytes leave in the order of files by their first dirty byte, and within a
// file by offset; clean bytes make room in the order in which they were written below. Cost: O(log runs) for
// each run that is touched.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <vector>

#include "pfssim/transaction.hpp"

namespace mpisim::pfs {

class BufferedBytes {
 public:
  std::uint64_t used() const { return used_; }
  /// Of one file, or all: neither clean nor on their way.
  std::uint64_t dirty(std::uint32_t file) const;
  std::uint64_t dirty() const { return dirty_; }
  /// What a search in a file costs the logarithm of.
  std::size_t runs(std::uint32_t file) const {
    const auto found = files_.find(file);
    return found == files_.end() ? 0 : found->second.runs.size();
  }

  /// Bytes of the range that are not here.
  std::uint64_t missing(std::uint32_t file, const Range& range) const;
  /// Calls visit(range, here) for the parts of the range, in order.
  template <class Visit>
  void for_each_part(std::uint32_t file, const Range& range, Visit&& visit) const;

  /// The bytes are here now, and dirty: since `at`, unless they were before.
  void write(std::uint32_t file, const Range& range, kernel::SimTime at = {});

  /// Bytes that have been dirty for the longest time; something is dirty.
  struct Oldest {
    kernel::SimTime since;
    std::uint32_t file = 0;
    friend auto operator<=>(const Oldest&, const Oldest&) = default;
  };
  const Oldest& oldest() const { return dirty_since_.begin()->first; }
  /// How many bytes became dirty when, the oldest first. take() that returns something changes it.
  const std::map<Oldest, std::uint64_t>& dirty_since() const { return dirty_since_; }

  /// What is to leave next: at most `most` dirty bytes of `only`, or of the file that has been dirty for the
  /// longest time of those of which some may leave. They are on their way from now on, until arrived(). Runs
  /// of which older bytes are still on their way stay, so that those do not arrive last. Empty if nothing
  /// else is dirty.
  struct Leaving {
    std::uint64_t number = 0;
    std::uint32_t file = 0;
    std::vector<Range> ranges;
    std::uint64_t bytes = 0;
  };
  Leaving take(std::uint64_t most, const std::uint32_t* only = nullptr);
  /// The bytes that are still as they left are clean now.
  void arrived(const Leaving& leaving);

  /// Forgets clean bytes, the oldest first, until `bytes` fewer are used or none are clean.
  void make_room(std::uint64_t bytes);
  /// Forgets the clean bytes of a file.
  void forget_clean(std::uint32_t file);

 private:
  enum class State : std::uint8_t { dirty, leaving, clean };
  struct Run {
    std::uint64_t end = 0;
    State state = State::dirty;
    std::uint64_t number = 0;  ///< leaving, clean: of the Leaving
    kernel::SimTime since;     ///< dirty
    bool goes_on_as(const Run& next) const { return state == next.state && number == next.number; }
  };
  using Runs = std::map<std::uint64_t, Run>;  // by begin
  struct File {
    Runs runs;
    std::uint64_t dirty = 0;
    std::uint64_t first = 0;  ///< nothing is dirty below
  };

  bool under_way(std::uint32_t number, std::uint64_t begin, std::uint64_t end) const;
  Leaving take_of(std::uint32_t number, std::uint64_t most);
  Runs::iterator add_dirty(std::uint32_t number, Runs::iterator before, const Range& range,
                           kernel::SimTime at);
  void forget_age(const Oldest& age, std::uint64_t bytes);
  static void split(Runs& runs, std::uint64_t at);
  std::uint64_t forget(const Leaving& leaving, std::uint64_t most);

  std::map<std::uint32_t, File> files_;
  std::deque<std::uint32_t> dirty_files_;  // in the order of their first dirty bytes
  std::vector<Leaving> leaving_;
  std::deque<Leaving> clean_;                    // in the order in which they arrived
  std::map<Oldest, std::uint64_t> dirty_since_;  // bytes of a file that became dirty at a time
  std::uint64_t used_ = 0;
  std::uint64_t dirty_ = 0;
  std::uint64_t next_ = 1;
};

template <class Visit>
void BufferedBytes::for_each_part(std::uint32_t number, const Range& range, Visit&& visit) const {
  const std::uint64_t end = range.offset + range.bytes;
  std::uint64_t at = range.offset;
  if (const auto file = files_.find(number); file != files_.end()) {
    const Runs& runs = file->second.runs;
    auto run = runs.upper_bound(at);
    if (run != runs.begin()) --run;
    for (; run != runs.end() && run->first < end; ++run) {
      if (run->second.end <= at) continue;
      if (run->first > at) visit(Range{at, run->first - at}, false);
      const std::uint64_t begin = run->first > at ? run->first : at;
      for (auto next = std::next(run); next != runs.end() && next->first < end &&
                                       next->first == run->second.end && run->second.goes_on_as(next->second);
           ++next)
        run = next;
      at = run->second.end < end ? run->second.end : end;
      visit(Range{begin, at - begin}, true);
    }
  }
  if (at < end) visit(Range{at, end - at}, false);
}

}  // namespace mpisim::pfs
