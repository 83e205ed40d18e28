#include "disk_models/drive_parameters.hpp"

namespace mpisim::disk {

std::vector<Parameter> controller_parameters(const ControllerDefaults& defaults) {
  Parameter cache{"cache", ParameterType::bytes, defaults.cache,
                  "of the drive, for what it reads ahead and writes later; 0 B: none"};
  cache.zero = true;
  return {{"overhead", ParameterType::time, defaults.overhead, "controller time of each request"},
          {"bus", ParameterType::bandwidth, defaults.bus, "rate between the drive and its I/O node", true},
          std::move(cache),
          {"read_ahead", ParameterType::flag, defaults.clever,
           "after a read the drive reads on until its cache is full"},
          {"immediate_reporting", ParameterType::flag, defaults.clever,
           "a write that continues the one before is answered when its data are in the cache"}};
}

void read_controller(const Parameters& given, DriveParameters& parameters) {
  parameters.overhead = given.time("overhead");
  parameters.bus = given.per_byte("bus");
  parameters.cache = given.bytes("cache").count();
  parameters.read_ahead = given.flag("read_ahead");
  parameters.immediate_reporting = given.flag("immediate_reporting");
}

}  // namespace mpisim::disk
