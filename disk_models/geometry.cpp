#include "disk_models/geometry.hpp"

#include <algorithm>
#include <stdexcept>

#include "simkernel/division.hpp"

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
    const std::uint64_t track_skew = zone.track_skew % zone.sectors;
    const std::uint64_t skew_of_cylinder = ((heads - 1) * track_skew + zone.cylinder_skew) % zone.sectors;
    zones_.push_back({zone.sectors, track_skew, skew_of_cylinder, sectors_, cylinders_});
    most_sectors_ = std::max(most_sectors_, zone.sectors);
    sectors_ += static_cast<std::uint64_t>(all);
    cylinders_ += zone.cylinders;
  }
}

Place Geometry::place(std::uint64_t sector) const {
  auto begun = zones_.end() - 1;
  while (begun->first_sector > sector) --begun;
  const auto [track, on_track] = kernel::divided(sector - begun->first_sector, begun->sectors);
  const auto [cylinder, head] = kernel::divided(track, heads_);
  const std::uint64_t skew =
      kernel::divided(cylinder, begun->sectors).rest * begun->skew_of_cylinder + head * begun->track_skew;
  return {begun->first_cylinder + cylinder, head, kernel::divided(on_track + skew, begun->sectors).rest,
          begun->sectors, begun->sectors - on_track};
}

}  // namespace mpisim::disk
