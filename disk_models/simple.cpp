#include "disk_models/simple.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "disk_models/registry.hpp"

namespace mpisim::disk {

using kernel::Bytes;
using kernel::SimTime;

SimTime Simple::rotation(std::uint64_t first_sector, SimTime at) const {
  const std::int64_t turn = parameters_.turn.ps();
  if (turn == 0) return SimTime::zero();
  if (parameters_.rotation == Rotation::mean) return SimTime::picoseconds(turn / 2);
  const Bytes before(first_sector * parameters_.sector % parameters_.cylinder_size);
  const std::int64_t wanted = (parameters_.transfer * before).ps() % turn;
  const std::int64_t here = at.ps() % turn;
  return SimTime::picoseconds(wanted >= here ? wanted - here : wanted + turn - here);
}

/// Until the sectors that a write holds in part, of those from `first` to before `end`, have been read.
SimTime Simple::reading_partial(const Request& write, std::uint64_t first, std::uint64_t end,
                                SimTime at) const {
  if (parameters_.partial_writes == PartialWrites::whole || !write.write) return SimTime::zero();
  const bool first_partial = write.address % parameters_.sector != 0;
  const bool last_partial = next_ % parameters_.sector != 0;
  if (!first_partial && !last_partial) return SimTime::zero();
  // Half a turn to the sector, a whole one from there over the sectors' beginning.
  if (parameters_.rotation == Rotation::mean) return parameters_.turn;
  const SimTime sector = parameters_.transfer * Bytes(parameters_.sector);
  const SimTime begin = at;
  if (first_partial) at += rotation(first, at) + sector;
  if (last_partial && (end - first > 1 || !first_partial)) at += rotation(end - 1, at) + sector;
  return at - begin;
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
  service.cylinders = distance;
  const SimTime ready = positioned + reading_partial(request, first, end, start + positioned);
  service.time = ready + rotation(first, start + ready) + parameters_.transfer * whole_sectors;
  head_ = (next_ > request.address ? next_ - 1 : next_) / parameters_.cylinder_size;
  return service;
}

namespace {

constexpr double most_cylinders = 1e9;  // beyond any disk; keeps products of them small

Factory build(const Parameters& given) {
  SimpleParameters parameters;
  parameters.overhead = given.time("overhead");
  parameters.seek = seek_curve(given);
  parameters.cylinders = given.integer("cylinders");
  parameters.cylinder_size = given.bytes("cylinder_size").count();
  parameters.sector = given.bytes("sector").count();
  parameters.rotation = given.choice("rotational_latency") == "mean" ? Rotation::mean : Rotation::position;
  parameters.partial_writes =
      given.choice("partial_writes") == "update" ? PartialWrites::update : PartialWrites::whole;
  parameters.turn = given.time("rotation");
  parameters.transfer = given.per_byte("bandwidth");
  if (parameters.cylinder_size % parameters.sector != 0)
    throw std::invalid_argument(
        fmt::format("cylinder_size: {} B are no whole number of sectors of {} B (io.disk.sector)",
                    parameters.cylinder_size, parameters.sector));
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(parameters.cylinder_size, parameters.cylinders, &bytes))
    throw std::invalid_argument("cylinder_size: cylinders * cylinder_size is more than 2^64 B");
  return factory<Simple>(parameters);
}

}  // namespace

Module simple_model() {
  Parameter cylinders{"cylinders", ParameterType::integer, "1962", "positions of the head"};
  cylinders.at_most = most_cylinders;
  Parameter latency{"rotational_latency", ParameterType::choice, "mean",
                    "half a turn for each request, or by where the medium is"};
  latency.words = {"mean", "position"};
  Parameter partial{"partial_writes", ParameterType::choice, "whole",
                    "of parts of sectors: as whole ones, or read first and written a turn later"};
  partial.words = {"whole", "update"};
  return {"simple",
          "a head that moves over cylinders, a medium that rotates, sectors",
          {{"overhead", ParameterType::time, "1.1 ms", "controller time of each request"},
           {"bandwidth", ParameterType::bandwidth, "2.3 MB/s", "rate from and to the medium"},
           seek_parameter(),
           std::move(cylinders),
           {"cylinder_size", ParameterType::bytes, "684 KiB",
            "what is reached without moving the head; whole sectors"},
           {"sector", ParameterType::bytes, "512 B", "a part of a sector costs a whole one"},
           {"rotation", ParameterType::time, "14.99 ms", "of one turn"},
           std::move(latency),
           std::move(partial)},
          build};
}

}  // namespace mpisim::disk
