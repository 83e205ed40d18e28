// From the `io:` section of a checked tree to PIO-SIM's configuration.
#include <fmt/format.h>

#include "machine/description.hpp"
#include "machine/values.hpp"

namespace mpisim::machine {

namespace {

/// Adds a fault unless the choice at `path` is one of those that can be simulated.
void need(const Node& tree, const char* path, std::initializer_list<std::string_view> known,
          std::vector<Diagnostic>& diagnostics) {
  const Node& choice = *tree.at(path);
  for (const std::string_view word : known)
    if (choice.text == word) return;
  diagnostics.push_back({choice.origin.place(), fmt::format("{}: {} is not supported yet: --set {}={}", path,
                                                            choice.text, path, *known.begin())});
}

}  // namespace

pio::Config Description::io_config() const {
  pio::Config config;
  if (tree_.at("io") == nullptr) return config;
  std::vector<Diagnostic> diagnostics;
  need(tree_, "io.model", {"disk"}, diagnostics);
  need(tree_, "io.collective", {"two-phase", "barrier"}, diagnostics);
  need(tree_, "io.data", {"real"}, diagnostics);
  need(tree_, "io.disk.model", {"analytic"}, diagnostics);
  if (!diagnostics.empty()) throw InvalidMachine(std::move(diagnostics));
  config.collective =
      tree_.at("io.collective")->text == "barrier" ? pio::Collective::barrier : pio::Collective::two_phase;
  config.coalesce = std::get<bool>(tree_.at("io.coalesce")->value);
  const Node& aggregators = *tree_.at("io.aggregators");
  config.aggregators = aggregators.text == "all" ? 0 : std::get<std::uint64_t>(aggregators.value);
  config.open_cost = time_at(tree_, "io.open_cost");
  config.metadata_cost = time_at(tree_, "io.metadata_cost");
  config.disk.overhead = time_at(tree_, "io.disk.overhead");
  config.disk.latency = time_at(tree_, "io.disk.latency");
  config.disk.transfer = per_byte_at(tree_, "io.disk.bandwidth");
  return config;
}

}  // namespace mpisim::machine
