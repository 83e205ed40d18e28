#pragma once
// The disk models by name, with the parameters that each takes (`io.disk` of a machine file).
//
// To add a model: write its file with a function that returns its Module, and add its line to models.def;
// docs/extending.md has an example.
#include "disk_models/disk_model.hpp"
#include "simkernel/modules.hpp"

namespace mpisim::disk {

using kernel::Parameter;
using kernel::Parameters;
using kernel::ParameterType;
using Module = kernel::Module<Factory>;

/// All models, in the order in which they are documented.
kernel::ModuleTable<Module>& models();

#define MODULE(name) Module name##_model();
#include "disk_models/models.def"
#undef MODULE

}  // namespace mpisim::disk
