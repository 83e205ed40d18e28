#pragma once
// From the `network:` section of a checked tree to a model.
#include <memory>

#include "machine/diagnostic.hpp"
#include "machine/document.hpp"
#include "network_models/network_model.hpp"

namespace mpisim::machine {

/// The model that the section describes. Throws std::invalid_argument if values do not fit together.
std::unique_ptr<network::NetworkModel> make_network(const Node& tree);

/// Adds the faults of a network that cannot be built, or that has no room for the nodes of a machine of fixed
/// size (`compute_nodes` not 0).
void check_network(const Node& tree, std::uint64_t compute_nodes, std::uint64_t io_nodes,
                   std::vector<Diagnostic>& diagnostics);

/// The options that give the machine so many nodes: "--set nodes.compute=100 --set 'network.shape=[11, 10]'".
std::string mend_for_nodes(const Node& tree, std::uint64_t compute_nodes, std::uint64_t io_nodes);

}  // namespace mpisim::machine
