#pragma once
// Where the sectors of a disk lie: zones of cylinders, tracks under heads, sectors, and their skews.
//
// Sectors are numbered along a track, then over the heads of a cylinder, then over cylinders, zone after
// zone. A track of a zone has `sectors` slots of equal angle. The first sector of a track comes by
// `track_skew` slots after that of the track before on the same cylinder, and `cylinder_skew` slots after
// that of the last track of the cylinder before, so that a head that changes tracks finds it without losing a
// turn; each zone begins with slot 0.
//
//   slot of sector s on head h of cylinder c of a zone =
//       (s + c * ((heads - 1) * track_skew + cylinder_skew) + h * track_skew) mod sectors
//
// Source: C. Ruemmler, J. Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3), 1994. Left
// out: spare sectors and defects. Cost of a place: O(zones).
#include <cstdint>
#include <vector>

namespace mpisim::disk {

struct Zone {
  std::uint64_t cylinders = 1;
  std::uint64_t sectors = 1;        ///< of each track
  std::uint64_t track_skew = 0;     ///< slots
  std::uint64_t cylinder_skew = 0;  ///< slots
};

/// A sector.
struct Place {
  std::uint64_t cylinder = 0;
  std::uint64_t head = 0;
  std::uint64_t slot = 0;           ///< angle, in slots of the track
  std::uint64_t slots = 1;          ///< of the track
  std::uint64_t left_on_track = 1;  ///< sectors from this one to the end of the track
};

class Geometry {
 public:
  /// heads >= 1, each zone with cylinders and sectors >= 1, less than 2^62 sectors in all; else throws
  /// std::invalid_argument with a message "zones: what is wrong".
  Geometry(std::uint64_t heads, const std::vector<Zone>& zones);

  Place place(std::uint64_t sector) const;
  std::uint64_t sectors() const { return sectors_; }
  std::uint64_t cylinders() const { return cylinders_; }
  std::uint64_t heads() const { return heads_; }
  /// Of the zone with the longest tracks.
  std::uint64_t most_sectors_per_track() const { return most_sectors_; }

 private:
  struct Begun {
    std::uint64_t sectors;
    std::uint64_t track_skew;        // < sectors
    std::uint64_t skew_of_cylinder;  // from its first sector to that of the next; < sectors
    std::uint64_t first_sector;
    std::uint64_t first_cylinder;
  };
  std::uint64_t heads_;
  std::vector<Begun> zones_;
  std::uint64_t most_sectors_ = 0;
  std::uint64_t sectors_ = 0;
  std::uint64_t cylinders_ = 0;
};

}  // namespace mpisim::disk
