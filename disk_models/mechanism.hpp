#pragma once
// The arm and the medium of a disk: when sectors come by under a head.
//
//   move      to another cylinder seek(d), but at least head_switch if the head changes, too; to another head
//             of the cylinder head_switch
//   rotation  until the first sector comes by: slot i of a track with S slots begins at the angle i / S of a
//             turn, and angle 0 comes by at whole multiples of `turn` since time 0
//   passing   k sectors of one track take k / S of a turn; then the head moves to the next track, of the same
//             cylinder or of the next one, and waits until its first sector comes by (which skews make short)
//
// Source: C. Ruemmler, J. Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3), 1994. Left
// out: thermal recalibration, a longer settling before writes, defects. Cost: O(tracks touched).
#include "disk_models/geometry.hpp"
#include "disk_models/seek_curve.hpp"

namespace mpisim::disk {

/// Where the heads are.
struct Position {
  std::uint64_t cylinder = 0;
  std::uint64_t head = 0;
};

/// Sectors that come by one after the other: `first` begins to at `begun`.
struct Pass {
  std::uint64_t first = 0;
  kernel::SimTime begun;
};

class Mechanism {
 public:
  /// turn: more than 0.
  Mechanism(Geometry geometry, const SeekCurve& seek, kernel::SimTime head_switch, kernel::SimTime turn);

  const Geometry& geometry() const { return geometry_; }
  Position position_of(std::uint64_t sector) const;

  /// The arm leaves `from` at `at`; the sector must not be passed before `not_before`.
  Pass reach(std::uint64_t sector, const Position& from, kernel::SimTime at,
             kernel::SimTime not_before = kernel::SimTime::zero()) const;
  /// When the first `count` sectors of the pass have come by.
  kernel::SimTime end_of(const Pass& pass, std::uint64_t count) const;
  /// The same pass, from its sector number `count` on; there must be one.
  Pass after(const Pass& pass, std::uint64_t count) const;
  /// How many of its first `most` sectors have come by at `time`.
  std::uint64_t passed(const Pass& pass, kernel::SimTime time, std::uint64_t most) const;

 private:
  kernel::SimTime angle(std::uint64_t slot, std::uint64_t slots) const;
  kernel::SimTime next_time(const Place& place, kernel::SimTime at) const;
  kernel::SimTime move(const Position& from, const Position& to) const;

  Geometry geometry_;
  SeekCurve seek_;
  kernel::SimTime head_switch_;
  kernel::SimTime turn_;
};

}  // namespace mpisim::disk
