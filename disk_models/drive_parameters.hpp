#pragma once
// The parameters that all drives have: those of the controller, its cache and its bus.
#include <vector>

#include "disk_models/drive.hpp"
#include "disk_models/registry.hpp"

namespace mpisim::disk {

/// Defaults, as written in a machine file.
struct ControllerDefaults {
  const char* overhead;
  const char* bus;
  const char* cache;
  const char* clever;  ///< read-ahead and immediate reporting
};

std::vector<Parameter> controller_parameters(const ControllerDefaults& defaults);
void read_controller(const Parameters& given, DriveParameters& parameters);

}  // namespace mpisim::disk
