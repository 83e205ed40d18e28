#pragma once
// A disk drive: a mechanism behind a controller with a cache, on a bus.
//
// Reads. The controller works `overhead` on a command; the drive is off the bus while it seeks and reads
// (disconnect) and comes back for the data, which pass the bus at its rate while the medium delivers the
// rest.
//
//   from the medium   overhead + move + rotation + passing + a sector on the bus
//   from the cache    overhead + bytes on the bus
//   in between        max(overhead + bytes on the bus, last sector passed + a sector on the bus)
//
// With read-ahead the drive reads on after a read, until it has filled its cache with what follows the last
// request or until another request needs the arm, which it learns after the overhead. The cache is one
// segment: the last sectors that were read one after the other. A read that begins in it, or where read-ahead
// has come to, is served from it and moves the end of read-ahead on; any other empties it, and so do writes.
//
// Writes. Data come over the bus after the overhead, while the arm moves, and the drive answers when they are
// on the medium. With immediate reporting a write that begins where the last request, a write, ended is
// answered when its data are in the cache, as soon as there is room:
//
//   max(overhead + bytes on the bus, time at which all but the cache's size of what was written is on the
//       medium + a sector on the bus)
//
// They go to the medium behind those before, without losing a turn if they are there in time. What is in the
// cache of writes is not looked at by reads. A flush at the end of a program, or for MPI_File_sync, costs
// nothing.
//
// A part of a sector costs a whole one. The bus must not be slower than the fastest track, so that it never
// holds up the medium. Sources: C. Ruemmler, J. Wilkes, "An introduction to disk drive modeling", IEEE
// Computer 27(3), 1994; D. Kotz, S. B. Toh, S. Radhakrishnan, "A detailed simulation model of the HP 97560
// disk drive", Dartmouth PCS-TR94-220, 1994. Valid for requests within the disk. Cost: O(tracks touched).
#include <deque>
#include <limits>

#include "disk_models/disk_model.hpp"
#include "disk_models/mechanism.hpp"

namespace mpisim::disk {

struct DriveParameters {
  std::uint64_t heads = 1;
  std::vector<Zone> zones;
  std::uint64_t sector = 512;  ///< bytes
  SeekCurve seek;
  kernel::SimTime head_switch;
  kernel::SimTime turn;      ///< of one rotation; more than 0
  kernel::SimTime overhead;  ///< of the controller, for each request
  kernel::ByteTime bus;      ///< 0: takes no time
  std::uint64_t cache = 0;   ///< bytes; less than a sector: none
  bool read_ahead = false;
  bool immediate_reporting = false;
};

class Drive final : public DiskModel {
 public:
  /// Throws std::invalid_argument with a message "parameter: what is wrong" if values do not fit together.
  explicit Drive(const DriveParameters& parameters);
  Service serve(const Request& request, kernel::SimTime start) override;
  Space space() const override;
  std::uint64_t cylinder_of(std::uint64_t address) const override;
  std::uint64_t head() const override { return arm_.cylinder; }

 private:
  /// Sectors [first, end) that a request touches.
  struct Sectors {
    std::uint64_t first;
    std::uint64_t end;
    std::uint64_t count() const { return end - first; }
  };
  /// A write that has been answered.
  struct Pending {
    std::uint64_t end;
    Pass pass;
  };

  kernel::SimTime read(const Sectors& wanted, kernel::SimTime decoded, Service& service);
  kernel::SimTime write(const Sectors& wanted, bool continues, kernel::SimTime decoded, Service& service);
  kernel::SimTime written_up_to(std::uint64_t sector, kernel::SimTime decoded) const;
  std::uint64_t read_up_to(kernel::SimTime time) const;
  void stop_reading(kernel::SimTime time);
  Pass reach(std::uint64_t sector, kernel::SimTime at, kernel::SimTime not_before, Service& service);
  kernel::SimTime on_bus(std::uint64_t sectors) const;
  std::uint64_t read_ahead_end(std::uint64_t end) const;

  DriveParameters parameters_;
  Mechanism mechanism_;
  std::uint64_t cache_;  ///< sectors

  Position arm_;          ///< after all that the arm was told, but for read-ahead
  kernel::SimTime free_;  ///< when the last write is on the medium
  std::uint64_t next_ = std::numeric_limits<std::uint64_t>::max();  ///< address where the last request ended
  bool last_was_write_ = false;

  // The segment of reads: sectors [segment_, read_up_to(now)), of which the cache holds the last.
  bool reading_ = false;       ///< there is one
  std::uint64_t segment_ = 0;  ///< its first sector
  Pass pass_;                  ///< from where the last request ended, or later
  std::uint64_t limit_ = 0;    ///< where read-ahead ends

  std::deque<Pending> writing_;  ///< reported writes, by time; all but the last few are on the medium
};

/// Throws as Drive does; makes such drives.
Factory drive_factory(const DriveParameters& parameters);

}  // namespace mpisim::disk
