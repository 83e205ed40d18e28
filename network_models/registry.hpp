#pragma once
// The network models by name, with the parameters that each takes.
//
// To add a model: write its file with a function that returns its ModelInfo, and add its line to models.def.
#include <memory>
#include <string>

#include "network_models/ports.hpp"
#include "simkernel/modules.hpp"

namespace mpisim::network {

using kernel::Parameter;
using kernel::Parameters;
using kernel::ParameterType;
using ModelInfo = kernel::Module<std::unique_ptr<PortModel>>;

/// All models, in the order in which they are documented.
kernel::ModuleTable<ModelInfo>& models();

/// Null if there is none of this name.
const ModelInfo* find_model(std::string_view name);

/// "85 MB/s", "12.5 GB/s" or "infinite".
std::string describe_bandwidth(kernel::ByteTime per_byte);

#define MODULE(name) ModelInfo name##_model();
#include "network_models/models.def"
#undef MODULE

}  // namespace mpisim::network
