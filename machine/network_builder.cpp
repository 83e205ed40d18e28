#include "machine/network_builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "machine/modules.hpp"
#include "machine/values.hpp"
#include "network_models/node_local.hpp"
#include "network_models/registry.hpp"

namespace mpisim::machine {

namespace {

/// As many dimensions as before, sides nearly equal, with room for `nodes`.
std::vector<std::uint64_t> shape_for(std::uint64_t nodes, std::size_t dimensions) {
  std::vector<std::uint64_t> shape;
  std::uint64_t rest = nodes;
  for (std::size_t left = dimensions; left > 0; --left) {
    const auto root = std::pow(static_cast<double>(rest), 1.0 / static_cast<double>(left));
    // A root that rounding put just above a whole number is that number.
    const auto side =
        std::max<std::uint64_t>(1, left == 1 ? rest : static_cast<std::uint64_t>(std::ceil(root - 1e-9)));
    shape.push_back(side);
    rest = (rest + side - 1) / side;
  }
  return shape;
}

}  // namespace

std::unique_ptr<network::NetworkModel> make_network(const Node& tree) {
  const Node& section = *tree.find("network");
  std::unique_ptr<network::PortModel> model = build_module(network::models(), section);
  const Node* node = section.find("node");
  if (node == nullptr) return model;
  const network::NodeLocalParameters local{time_at(*node, "latency"), per_byte_at(*node, "bandwidth")};
  return std::make_unique<network::NodeLocal>(local, std::move(model));
}

std::string mend_for_nodes(const Node& tree, std::uint64_t compute_nodes, std::uint64_t io_nodes) {
  const bool fixed = tree.at("nodes.compute")->text != "auto";
  std::string text = fixed ? fmt::format("--set nodes.compute={}", compute_nodes) : "";
  const Node* shape = tree.at("network.shape");
  if (shape == nullptr) return text;
  std::uint64_t room = 1;
  for (const Node& side : shape->items) room *= std::get<std::uint64_t>(side.value);
  if (room >= compute_nodes + io_nodes) return text;
  return fmt::format("{}{}--set 'network.shape=[{}]'", text, fixed ? " " : "",
                     fmt::join(shape_for(compute_nodes + io_nodes, shape->items.size()), ", "));
}

void check_network(const Node& tree, std::uint64_t compute_nodes, std::uint64_t io_nodes,
                   std::vector<Diagnostic>& diagnostics) {
  const Node& section = *tree.find("network");
  try {
    const std::unique_ptr<network::NetworkModel> model = make_network(tree);
    if (model->capacity() == 0 || compute_nodes + io_nodes <= model->capacity()) return;
    const Origin& wanted = tree.at("nodes.compute")->origin;
    const Node* shape = section.find("shape");
    diagnostics.push_back(
        {(wanted.is_default() && shape != nullptr ? shape->origin : wanted).place(),
         fmt::format("the network has room for {} nodes, but nodes.compute + nodes.io{}{} = {} + {}: {}",
                     model->capacity(), integer_at(tree, "nodes.metadata") > 0 ? " + nodes.metadata" : "",
                     integer_at(tree, "nodes.burst_buffer") > 0 ? " + nodes.burst_buffer" : "", compute_nodes,
                     io_nodes, mend_for_nodes(tree, compute_nodes, io_nodes))});
  } catch (const std::invalid_argument& error) {
    diagnostics.push_back(complaint_about(section, "network", error.what()));
  }
}

}  // namespace mpisim::machine
