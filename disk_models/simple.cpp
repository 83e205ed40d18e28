#include "disk_models/simple.hpp"

#include <cmath>

namespace mpisim::disk {

using kernel::Bytes;
using kernel::SimTime;

SimTime SeekCurve::operator()(std::uint64_t distance) const {
  if (distance == 0) return SimTime::zero();
  if (distance > near_limit) return far + far_per_cylinder * static_cast<std::int64_t>(distance);
  const double roots = std::sqrt(static_cast<double>(distance));
  return near + SimTime::picoseconds(std::llround(static_cast<double>(near_per_root.ps()) * roots));
}

SimTime Simple::rotation(std::uint64_t first_sector, SimTime at) const {
  const std::int64_t turn = parameters_.turn.ps();
  if (turn == 0) return SimTime::zero();
  if (parameters_.rotation == Rotation::mean) return SimTime::picoseconds(turn / 2);
  const Bytes before(first_sector * parameters_.sector % parameters_.cylinder_size);
  const std::int64_t wanted = (parameters_.transfer * before).ps() % turn;
  const std::int64_t here = at.ps() % turn;
  return SimTime::picoseconds(wanted >= here ? wanted - here : wanted + turn - here);
}

Service Simple::serve(const Request& request, SimTime start) {
  Service service;
  service.seek = !served_ || request.address != next_;
  next_ = request.address + request.bytes.count();
  served_ = true;

  const std::uint64_t first = request.address / parameters_.sector;
  const std::uint64_t end = (next_ + parameters_.sector - 1) / parameters_.sector;
  const std::uint64_t cylinder = request.address / parameters_.cylinder_size;
  const std::uint64_t distance = cylinder > head_ ? cylinder - head_ : head_ - cylinder;
  const SimTime positioned = parameters_.overhead + parameters_.seek(distance);
  const Bytes whole_sectors(end > first ? (end - first) * parameters_.sector : 0);
  service.time = positioned + rotation(first, start + positioned) + parameters_.transfer * whole_sectors;
  head_ = (next_ > request.address ? next_ - 1 : next_) / parameters_.cylinder_size;
  return service;
}

}  // namespace mpisim::disk
