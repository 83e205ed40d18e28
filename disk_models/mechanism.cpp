#include "disk_models/mechanism.hpp"

#include <algorithm>
#include <utility>

namespace mpisim::disk {

using kernel::SimTime;

Mechanism::Mechanism(Geometry geometry, const SeekCurve& seek, SimTime head_switch, SimTime turn)
    : geometry_(std::move(geometry)), seek_(seek), head_switch_(head_switch), turn_(turn) {}

Position Mechanism::position_of(std::uint64_t sector) const {
  const Place place = geometry_.place(sector);
  return {place.cylinder, place.head};
}

/// Slots are counted on beyond a turn, so that sums of angles have no rounding.
SimTime Mechanism::angle(std::uint64_t slot, std::uint64_t slots) const {
  std::uint64_t small = 0;
  if (!__builtin_mul_overflow(static_cast<std::uint64_t>(turn_.ps()), slot, &small)) [[likely]]
    return SimTime::picoseconds(static_cast<std::int64_t>(small / slots));
  const auto ps = static_cast<unsigned __int128>(turn_.ps()) * slot / slots;
  return SimTime::picoseconds(static_cast<std::int64_t>(ps));
}

SimTime Mechanism::next_time(const Place& place, SimTime at) const {
  const std::int64_t wanted = angle(place.slot, place.slots).ps();
  const std::int64_t here = at.ps() % turn_.ps();
  return at + SimTime::picoseconds(wanted >= here ? wanted - here : wanted + turn_.ps() - here);
}

SimTime Mechanism::move(const Position& from, const Position& to) const {
  const std::uint64_t distance =
      from.cylinder > to.cylinder ? from.cylinder - to.cylinder : to.cylinder - from.cylinder;
  return kernel::max(seek_(distance), from.head == to.head ? SimTime::zero() : head_switch_);
}

Pass Mechanism::reach(std::uint64_t sector, const Position& from, SimTime at, SimTime not_before) const {
  const Place place = geometry_.place(sector);
  const SimTime there = at + move(from, {place.cylinder, place.head});
  return {sector, next_time(place, kernel::max(there, not_before))};
}

SimTime Mechanism::end_of(const Pass& pass, std::uint64_t count) const {
  if (count == 0) return pass.begun;
  Pass track = pass;
  for (std::uint64_t left = count;;) {
    const Place place = geometry_.place(track.first);
    const std::uint64_t here = std::min(left, place.left_on_track);
    const SimTime end =
        track.begun + (angle(place.slot + here, place.slots) - angle(place.slot, place.slots));
    left -= here;
    if (left == 0) return end;
    track = reach(track.first + here, {place.cylinder, place.head}, end);
  }
}

Pass Mechanism::after(const Pass& pass, std::uint64_t count) const {
  if (count == 0) return pass;
  const SimTime end = end_of(pass, count);
  const std::uint64_t next = pass.first + count;
  return reach(next, position_of(next - 1), end);
}

std::uint64_t Mechanism::passed(const Pass& pass, SimTime time, std::uint64_t most) const {
  std::uint64_t count = 0;
  Pass track = pass;
  while (count < most && track.begun < time) {
    const Place place = geometry_.place(track.first);
    const std::uint64_t here = std::min(most - count, place.left_on_track);
    const SimTime gone = time - track.begun;
    const SimTime first_angle = angle(place.slot, place.slots);
    const SimTime end = track.begun + (angle(place.slot + here, place.slots) - first_angle);
    if (end > time) {
      // The estimate may be one off, as angles are rounded down.
      auto whole = static_cast<std::uint64_t>(static_cast<unsigned __int128>(gone.ps()) * place.slots /
                                              static_cast<std::uint64_t>(turn_.ps()));
      whole = std::min(whole + 1, here);
      while (whole > 0 && angle(place.slot + whole, place.slots) - first_angle > gone) --whole;
      return count + whole;
    }
    count += here;
    if (count < most) track = reach(track.first + here, {place.cylinder, place.head}, end);
  }
  return count;
}

}  // namespace mpisim::disk
