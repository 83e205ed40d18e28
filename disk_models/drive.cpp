#include "disk_models/drive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace mpisim::disk {

using kernel::Bytes;
using kernel::SimTime;

namespace {

void check(const DriveParameters& parameters, const Mechanism& mechanism) {
  if (parameters.turn.ps() == 0) throw std::invalid_argument("rotation: must be more than 0");
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(mechanism.geometry().sectors(), parameters.sector, &bytes))
    throw std::invalid_argument("zones: more than 2^64 B");
  const std::uint64_t track = mechanism.geometry().most_sectors_per_track() * parameters.sector;
  if (parameters.bus * Bytes(track) > parameters.turn)
    throw std::invalid_argument(
        fmt::format("bus: slower than a track of {} B in {}", track, kernel::to_string(parameters.turn)));
}

}  // namespace

Drive::Drive(const DriveParameters& parameters)
    : parameters_(parameters),
      mechanism_(Geometry(parameters.heads, parameters.zones), parameters.seek, parameters.head_switch,
                 parameters.turn),
      cache_(parameters.cache / parameters.sector) {
  check(parameters_, mechanism_);
}

Space Drive::space() const {
  const Geometry& geometry = mechanism_.geometry();
  // Files begin where a cylinder of the outermost zone could.
  const std::uint64_t unit = parameters_.zones.front().sectors * parameters_.heads * parameters_.sector;
  return {geometry.sectors() * parameters_.sector, unit, geometry.cylinders()};
}

std::uint64_t Drive::cylinder_of(std::uint64_t address) const {
  return mechanism_.position_of(address / parameters_.sector).cylinder;
}

SimTime Drive::on_bus(std::uint64_t sectors) const {
  return parameters_.bus * Bytes(sectors * parameters_.sector);
}

std::uint64_t Drive::read_ahead_end(std::uint64_t end) const {
  if (!parameters_.read_ahead) return end;
  return std::min(end + cache_, mechanism_.geometry().sectors());
}

std::uint64_t Drive::read_up_to(SimTime time) const {
  return pass_.first + mechanism_.passed(pass_, time, limit_ > pass_.first ? limit_ - pass_.first : 0);
}

/// The arm is where read-ahead has come to.
void Drive::stop_reading(SimTime time) {
  if (!reading_) return;
  const std::uint64_t here = read_up_to(time);
  arm_ = mechanism_.position_of(here < limit_ ? here : limit_ - 1);
  reading_ = false;
}

Pass Drive::reach(std::uint64_t sector, SimTime at, SimTime not_before, Service& service) {
  const std::uint64_t cylinder = mechanism_.position_of(sector).cylinder;
  service.cylinders += cylinder > arm_.cylinder ? cylinder - arm_.cylinder : arm_.cylinder - cylinder;
  return mechanism_.reach(sector, arm_, at, not_before);
}

Service Drive::serve(const Request& request, SimTime start) {
  const std::uint64_t end = request.address + request.bytes.count();
  const Sectors wanted{request.address / parameters_.sector,
                       (end + parameters_.sector - 1) / parameters_.sector};
  Service service;
  service.seek = request.address != next_;
  const bool continues = !service.seek && last_was_write_;
  next_ = end;
  last_was_write_ = request.write;
  const SimTime decoded = start + parameters_.overhead;
  SimTime done = decoded;
  if (request.bytes.count() > 0)
    done = request.write ? write(wanted, continues, decoded, service) : read(wanted, decoded, service);
  service.time = done - start;
  return service;
}

SimTime Drive::read(const Sectors& wanted, SimTime decoded, Service& service) {
  const std::uint64_t have = reading_ ? read_up_to(decoded) : 0;
  const std::uint64_t oldest = std::max(segment_, have > cache_ ? have - cache_ : 0);
  // Read-ahead that goes on brings the sector behind the last one, too.
  const std::uint64_t served_to = have < limit_ ? have : have - (have > 0 ? 1 : 0);
  const bool cached = reading_ && cache_ > 0 && wanted.first >= oldest && wanted.first <= served_to;
  if (!cached) {
    stop_reading(decoded);
    pass_ = reach(wanted.first, kernel::max(decoded, free_), decoded, service);
    segment_ = wanted.first;
    limit_ = wanted.end;
    reading_ = true;
  } else if (have == limit_) {
    // The cache was full, and the arm has waited on the track of its last sector. This request makes room.
    arm_ = mechanism_.position_of(limit_ - 1);
    if (std::max(wanted.end, read_ahead_end(wanted.end)) > limit_)
      pass_ = mechanism_.reach(limit_, arm_, decoded);
    else
      pass_ = {limit_, decoded};
  }
  limit_ = std::max({limit_, wanted.end, read_ahead_end(wanted.end)});
  arm_ = mechanism_.position_of(wanted.end - 1);
  if (wanted.end <= pass_.first) return decoded + on_bus(wanted.count());  // all of it long read
  const std::uint64_t count = wanted.end - pass_.first;
  const SimTime passed = mechanism_.end_of(pass_, count);
  if (wanted.end < mechanism_.geometry().sectors()) pass_ = mechanism_.after(pass_, count);
  return kernel::max(passed + on_bus(1), decoded + on_bus(wanted.count()));
}

/// When the reported writes up to `sector` are on the medium.
SimTime Drive::written_up_to(std::uint64_t sector, SimTime decoded) const {
  for (const Pending& pending : writing_) {
    if (sector > pending.end) continue;
    if (sector <= pending.pass.first) return decoded;
    return mechanism_.end_of(pending.pass, sector - pending.pass.first);
  }
  return decoded;
}

SimTime Drive::write(const Sectors& wanted, bool continues, SimTime decoded, Service& service) {
  stop_reading(decoded);
  while (writing_.size() > 1 &&
         mechanism_.end_of(writing_.front().pass, writing_.front().end - writing_.front().pass.first) <=
             decoded)
    writing_.pop_front();
  const Pass pass = reach(wanted.first, kernel::max(decoded, free_), decoded + on_bus(1), service);
  free_ = mechanism_.end_of(pass, wanted.count());
  arm_ = mechanism_.position_of(wanted.end - 1);
  if (!parameters_.immediate_reporting || !continues || cache_ == 0) {
    writing_.clear();
    return free_;
  }
  writing_.push_back({wanted.end, pass});
  const SimTime in_cache = decoded + on_bus(wanted.count());
  if (wanted.end <= cache_) return in_cache;
  const SimTime room = written_up_to(wanted.end - cache_, decoded);
  return room > decoded ? kernel::max(in_cache, room + on_bus(1)) : in_cache;
}

Factory drive_factory(const DriveParameters& parameters) {
  Drive checked(parameters);
  return factory<Drive>(parameters);
}

}  // namespace mpisim::disk
