// The HP 97560, 1.37 GB, of about 1991: a Drive (drive.hpp) with that disk's figures.
//
//   1962 cylinders, 19 heads, 72 sectors of 512 B on each track, one zone; 4002 turns per minute
//   seek(d)     3.24 ms + 0.400 ms * sqrt(d) up to 383 cylinders, 8.00 ms + 0.008 ms * d beyond
//   head switch 1.6 ms; skews of 8 sectors from track to track, of 18 from cylinder to cylinder
//   controller  2.2 ms for each command; cache of 128 KiB with read-ahead and immediate reporting; SCSI-2, 10
//   MB/s
//
// Sources: C. Ruemmler, J. Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3), 1994;
// D. Kotz, S. B. Toh, S. Radhakrishnan, "A detailed simulation model of the HP 97560 disk drive", Dartmouth
// PCS-TR94-220, 1994, who find a demerit figure of 3.9 % between their model and traces of the disk.
#include "disk_models/drive.hpp"
#include "disk_models/drive_parameters.hpp"

namespace mpisim::disk {

Module hp97560_model() {
  return {
      "hp97560", "the HP 97560: geometry with skews, cache with read-ahead and immediate reporting, SCSI bus",
      controller_parameters({.overhead = "2.2 ms", .bus = "10 MB/s", .cache = "128 KiB", .clever = "true"}),
      [](const Parameters& given) {
        DriveParameters parameters;
        parameters.heads = 19;
        parameters.zones = {{.cylinders = 1962, .sectors = 72, .track_skew = 8, .cylinder_skew = 18}};
        parameters.head_switch = kernel::SimTime::picoseconds(1'600'000'000);
        parameters.turn = kernel::SimTime::picoseconds(14'992'503'748);  // 60 s / 4002
        read_controller(given, parameters);
        return drive_factory(parameters);
      }};
}

}  // namespace mpisim::disk
