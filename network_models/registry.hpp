#pragma once
// The network models by name, with the parameters that each takes.
//
// A model tells its parameters as data (name, type, default, meaning), from which machine/ makes the keys of
// a machine file's `network:` section, their checks and their documentation. To add a model: write its file
// with a function that returns its ModelInfo, declare that function below, and add it to the list in
// registry.cpp.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "network_models/ports.hpp"

namespace mpisim::network {

enum class ParameterType {
  time,       ///< a duration, not negative
  bandwidth,  ///< bytes per second, positive
  bytes,      ///< an amount of data
  integers,   ///< list of positive whole numbers
  flags,      ///< one true/false, or a list of them
  pieces,     ///< list of records; their keys are `fields`
};

struct Parameter {
  std::string name;
  ParameterType type;
  std::string fallback;             ///< as written in a machine file; empty = must be given
  std::string meaning;              ///< one sentence without the full stop
  bool infinite = false;            ///< `infinite` is a value too
  std::vector<Parameter> fields{};  ///< of ParameterType::pieces
};

/// Checked values of a model's parameters; each getter may be asked for names of its own type only.
class Parameters {
 public:
  virtual ~Parameters() = default;
  virtual kernel::SimTime time(const std::string& name) const = 0;
  virtual kernel::ByteTime per_byte(const std::string& name) const = 0;  ///< 0 for infinite bandwidth
  virtual kernel::Bytes bytes(const std::string& name) const = 0;        ///< 2^64 - 1 for `infinite`
  virtual std::vector<std::uint64_t> integers(const std::string& name) const = 0;
  virtual std::vector<bool> flags(const std::string& name) const = 0;
  virtual std::vector<std::unique_ptr<Parameters>> pieces(const std::string& name) const = 0;
};

struct ModelInfo {
  std::string name;
  std::string summary;  ///< one line
  std::vector<Parameter> parameters;
  /// Throws std::invalid_argument with a message that names the parameter if values do not fit together.
  std::function<std::unique_ptr<PortModel>(const Parameters&)> build;
};

/// All models, in the order in which they are documented.
const std::vector<ModelInfo>& models();

/// Null if there is none of this name.
const ModelInfo* find_model(std::string_view name);

/// "85 MB/s", "12.5 GB/s" or "infinite".
std::string describe_bandwidth(kernel::ByteTime per_byte);

ModelInfo ideal_model();
ModelInfo hockney_model();
ModelInfo loggp_model();
ModelInfo wormhole_model();
ModelInfo store_and_forward_model();

}  // namespace mpisim::network
