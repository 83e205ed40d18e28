// A disk of given geometry: a Drive (drive.hpp) whose zones have tracks of different length, as the disks
// since about 1990, which write outer tracks with more sectors. Reads and writes at the beginning of the
// disk, on the first zone, are faster, by the ratio of the sectors on a track.
#include "disk_models/drive_parameters.hpp"

namespace mpisim::disk {

namespace {

constexpr double most_cylinders = 1e9;  // as of the simple disk
constexpr double most_heads = 1000;

Parameter zones_parameter() {
  const auto integer = [](const char* name, const char* fallback, const char* meaning) {
    Parameter parameter{name, ParameterType::integer, fallback, meaning};
    parameter.at_most = most_cylinders;
    return parameter;
  };
  const auto skew = [&integer](const char* name, const char* meaning) {
    Parameter parameter = integer(name, "0", meaning);
    parameter.zero = true;
    return parameter;
  };
  Parameter zones{"zones", ParameterType::pieces, "", "from the first sector of the disk on"};
  zones.fields = {
      integer("cylinders", "", "of the zone"), integer("sectors", "", "of each track"),
      skew("track_skew", "sectors by which the first one of a track is behind that of the track before"),
      skew("cylinder_skew", "the same from one cylinder to the next")};
  return zones;
}

Factory build(const Parameters& given) {
  DriveParameters parameters;
  parameters.heads = given.integer("heads");
  for (const auto& zone : given.pieces("zones"))
    parameters.zones.push_back({zone->integer("cylinders"), zone->integer("sectors"),
                                zone->integer("track_skew"), zone->integer("cylinder_skew")});
  parameters.sector = given.bytes("sector").count();
  parameters.seek = seek_curve(given);
  parameters.head_switch = given.time("head_switch");
  parameters.turn = given.time("rotation");
  read_controller(given, parameters);
  return drive_factory(parameters);
}

}  // namespace

Module zoned_model() {
  Parameter heads{"heads", ParameterType::integer, "", "tracks of a cylinder"};
  heads.at_most = most_heads;
  std::vector<Parameter> all{
      zones_parameter(),
      std::move(heads),
      {"sector", ParameterType::bytes, "512 B", "a part of a sector costs a whole one"},
      {"rotation", ParameterType::time, "", "of one turn"},
      {"head_switch", ParameterType::time, "0 s", "to another track of the cylinder"},
      seek_parameter()};
  for (Parameter& parameter :
       controller_parameters({.overhead = "0 s", .bus = "infinite", .cache = "0 B", .clever = "false"}))
    all.push_back(std::move(parameter));
  return {"zoned", "zones with tracks of different length; skews, head switches, cache, bus", std::move(all),
          build};
}

}  // namespace mpisim::disk
