#include "app/run_plan.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "runtime/target_abi.h"

namespace mpisim::app {

// Both directions of the conversion, from one list of members.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunPlan, program, machine, overrides, ranks, hosts, protocol, quantum_ps,
                                   order_file, deterministic, compute, record_file, partition, profile_file,
                                   stack_size, livelock_polls, heap, time_limit_s, epoch, json_file, per_rank,
                                   quiet, io_tables, progress, launched_ns, native, control)

std::string RunPlan::to_json() const {
  nlohmann::json json = *this;
  json["version"] = MPISIM_VERSION;
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

RunPlan RunPlan::from_json(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    const auto version = json.at("version").get<std::string>();
    if (version != MPISIM_VERSION)
      throw std::runtime_error("mpisim run is version " + version +
                               ", but the program was built with version " + MPISIM_VERSION +
                               "; build the program again with this version's mpisimcc");
    return json.get<RunPlan>();
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(
        std::string("the environment variable ") + plan_variable +
        " holds no plan of a run (it is set by mpisim run, not by hand): " + error.what());
  }
}

void put_into_environment(const RunPlan& plan) {
  setenv(plan_variable, plan.to_json().c_str(), 1);
  setenv(MPISIM_COUNTED_VARIABLE, plan.compute == "counted" ? "1" : "0", 1);
}

void clear_environment() {
  unsetenv(plan_variable);
  unsetenv(MPISIM_COUNTED_VARIABLE);
}

std::optional<RunPlan> plan_from_environment() {
  const char* text = std::getenv(plan_variable);
  if (text == nullptr || *text == '\0') return std::nullopt;
  return RunPlan::from_json(text);
}

}  // namespace mpisim::app
