#include "disk_models/geometry.hpp"

#include <algorithm>
#include <stdexcept>

namespace mpisim::disk {

namespace {

constexpr std::uint64_t most_sectors = std::uint64_t{1} << 62;

}  // namespace

Geometry::Geometry(std::uint64_t heads, const std::vector<Zone>& zones) : heads_(heads) {
  if (heads == 0 || zones.empty()) throw std::invalid_argument("zones: a disk needs a head and a zone");
  for (const Zone& zone : zones) {
    if (zone.cylinders == 0 || zone.sectors == 0)
      throw std::invalid_argument("zones: a zone needs cylinders and sectors");
    const auto all = static_cast<unsigned __int128>(zone.cylinders) * zone.sectors * heads;
    if (all + sectors_ > most_sectors) throw std::invalid_argument("zones: more than 2^62 sectors");
    zones_.push_back({zone, sectors_, cylinders_});
    sectors_ += static_cast<std::uint64_t>(all);
    cylinders_ += zone.cylinders;
  }
}

Place Geometry::place(std::uint64_t sector) const {
  auto begun = zones_.end() - 1;
  while (begun->first_sector > sector) --begun;
  const Zone& zone = begun->zone;
  const std::uint64_t in_zone = sector - begun->first_sector;
  const std::uint64_t track = in_zone / zone.sectors;
  const std::uint64_t on_track = in_zone % zone.sectors;
  const std::uint64_t cylinder = track / heads_;
  const std::uint64_t head = track % heads_;
  const std::uint64_t skew_of_cylinder =
      ((heads_ - 1) * (zone.track_skew % zone.sectors) + zone.cylinder_skew) % zone.sectors;
  const std::uint64_t skew =
      (cylinder % zone.sectors) * skew_of_cylinder + head * (zone.track_skew % zone.sectors);
  return {begun->first_cylinder + cylinder, head, (on_track + skew) % zone.sectors, zone.sectors,
          zone.sectors - on_track};
}

std::uint64_t Geometry::most_sectors_per_track() const {
  return std::max_element(zones_.begin(), zones_.end(),
                          [](const Begun& a, const Begun& b) { return a.zone.sectors < b.zone.sectors; })
      ->zone.sectors;
}

}  // namespace mpisim::disk
