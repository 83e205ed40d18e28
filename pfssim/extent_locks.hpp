#pragma once
// The extent locks of one object (the part of a file in one cell), as its server keeps them.
//
// A client asks for bytes to read or to write. Locks of two clients exclude each other if they overlap and
// one of them is to write. What excludes nothing is granted at once; else the request waits, first come,
// first served, and the holders in its way are called: each gives its lock back when it has written what it
// changed under it (Braam et al., "The Lustre storage architecture"; Wang, Oral, Drokin et al.,
// "Understanding Lustre filesystem internals", ORNL/TM-2009/117, chapter 6).
//
// A lock grows when it is granted, to the largest extent around what was asked for that excludes no lock
// granted to, and none asked for by, another client: who writes alone asks once. Growth is bounded where many
// want the object (ldlm_extent.c of Lustre):
//
//   begin = end of the nearest excluding lock below, or 0; what was asked for, if more than rules.backward
//           locks of others exclude this one
//   end   = begin of the nearest excluding lock above, or no_end; if more than rules.contended locks exclude
//           a lock to write, at most rules.growth bytes from the begin of what was asked for
//   if somebody waits for bytes that exclude those asked for, the lock does not grow
//
// Locks of one client never exclude each other: its LP keeps its cache coherent by itself.
// Cost: O(granted + waiting) to ask; to give a lock back the same for each request that the lock was in the
// way of, or that one granted thereby is in the way of now: others are not looked at again.
#include <cstdint>
#include <deque>
#include <vector>

#include "simkernel/event.hpp"

namespace mpisim::pfs {

/// Bytes [begin, end) of an object.
struct Interval {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool covers(const Interval& other) const { return begin <= other.begin && other.end <= end; }
  bool overlaps(const Interval& other) const { return begin < other.end && other.begin < end; }
  bool operator==(const Interval&) const = default;
};

/// The end of a lock that goes to the end of the object, however long that becomes.
inline constexpr std::uint64_t no_end = ~std::uint64_t{0};

/// How far locks grow. The defaults are those of Lustre 2, and of a machine file (a test compares them).
struct GrowthRules {
  std::uint32_t backward = 4;
  std::uint32_t contended = 32;
  std::uint64_t growth = std::uint64_t{32} << 20;
};

class ExtentLocks {
 public:
  explicit ExtentLocks(const GrowthRules& rules) : rules_(rules) {}

  struct Request {
    kernel::LpId client = 0;
    std::uint32_t ticket = 0;  ///< the client's own
    Interval extent;           ///< not empty
    bool write = false;
  };
  struct Lock {
    std::uint64_t number = 0;
    Request request;  ///< with the extent that was granted
    bool called = false;
  };
  /// What follows from a call, in order: locks that are granted now, and holders that are to be called.
  struct Decisions {
    std::vector<Lock> granted;
    std::vector<Lock> called;
  };

  void ask(const Request& request, Decisions& decisions);
  /// The holder gives a lock back; throws nothing if there is none of this number.
  void release(std::uint64_t number, Decisions& decisions);

  std::size_t granted() const { return granted_.size(); }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  struct Waiting {
    Request request;
    bool affected = false;  ///< something that was or is in its way has changed
  };

  Interval grown(const Request& request) const;
  void affect(const Request& changed, std::size_t first);
  bool grant_if_free(std::size_t place, Decisions& decisions);

  GrowthRules rules_;
  std::vector<Lock> granted_;  // by number
  std::deque<Waiting> waiting_;
  std::uint64_t next_ = 1;
};

}  // namespace mpisim::pfs
