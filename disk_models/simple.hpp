#pragma once
// The simple disk: a head that moves over cylinders, a medium that rotates, sectors.
//
//   time = overhead + seek(d) + rotation + sectors * sector / bandwidth
//
//   d           distance in cylinders from where the last request ended to where this one begins; the head is
//               on cylinder 0 at first. A cylinder holds `cylinder_size` bytes, addresses fill one after the
//               other.
//   seek(d)     the curve of seek_curve.hpp
//   rotation    mean:     half a turn, for every request
//               position: until the first sector comes by under the head, which a medium that turns with
//               `turn` since time 0 decides: the angle of a sector is that of its first byte at the media
//               rate, (address in the cylinder / bandwidth) modulo turn. Tracks and cylinders are not skewed,
//               switching heads is free: a request that continues the last one waits for most of a turn
//               unless it comes at once.
//   sectors     those that hold at least one byte of the request: a part of a sector costs a whole one.
//               Crossing into the next cylinder is free.
//
//   partial_writes  whole: a write of a part of a sector is one of the sector;
//                   update: the first and the last sector of a write are read before it if it holds only a
//                   part of them (as a file system must whose smallest piece on the disk is such a sector):
//                   with `position` the medium turns to each of them and back to the first, with `mean` it
//                   makes a turn more
//
// Apart from that reads and writes cost the same; no cache, no zones. Sources: Ruemmler and Wilkes, "An
// introduction to disk drive modeling", IEEE Computer 27(3), 1994, whose HP 97560 gives the default
// parameters; that each access pays seek and rotation and at least a sector from the report on SESAME
// (AFRL-IF-RS-TR-2000-120, sections 5.4 and 8.2.3), whose simple models consist of seek time, rotational
// latency and transfer rate. Valid for requests within the disk. Cost: O(1).
#include "disk_models/disk_model.hpp"
#include "disk_models/seek_curve.hpp"

namespace mpisim::disk {

enum class Rotation : std::uint8_t { mean, position };

enum class PartialWrites : std::uint8_t { whole, update };

struct SimpleParameters {
  kernel::SimTime overhead = kernel::SimTime::picoseconds(1'100'000'000);  ///< as of the analytic disk
  SeekCurve seek;
  std::uint64_t cylinders = 1962;
  std::uint64_t cylinder_size = 700'416;  ///< bytes: 19 tracks of 72 sectors of 512 bytes
  std::uint64_t sector = 512;             ///< bytes
  Rotation rotation = Rotation::mean;
  PartialWrites partial_writes = PartialWrites::whole;
  kernel::SimTime turn = kernel::SimTime::picoseconds(14'990'000'000);  ///< 4002 per minute
  /// Time per byte at the media rate, as of the analytic disk.
  kernel::ByteTime transfer = kernel::ByteTime::femtoseconds(434'782'609);
};

class Simple final : public DiskModel {
 public:
  explicit Simple(const SimpleParameters& parameters) : parameters_(parameters) {}
  Service serve(const Request& request, kernel::SimTime start) override;
  Space space() const override {
    return {parameters_.cylinders * parameters_.cylinder_size, parameters_.cylinder_size,
            parameters_.cylinders};
  }
  std::uint64_t cylinder_of(std::uint64_t address) const override {
    return address / parameters_.cylinder_size;
  }
  std::uint64_t head() const override { return head_; }
  const SimpleParameters& parameters() const { return parameters_; }

 private:
  kernel::SimTime rotation(std::uint64_t first_sector, kernel::SimTime at) const;
  kernel::SimTime reading_partial(const Request& write, std::uint64_t first, std::uint64_t end,
                                  kernel::SimTime at) const;

  SimpleParameters parameters_;
  std::uint64_t next_ = 0;  ///< address where the last request ended
  bool served_ = false;     ///< there was a last request
  std::uint64_t head_ = 0;  ///< cylinder
};

}  // namespace mpisim::disk
