#include "machine/network_builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "machine/values.hpp"
#include "network_models/node_local.hpp"
#include "network_models/registry.hpp"

namespace mpisim::machine {

namespace {

/// A section of the tree as parameters of a network model.
class TreeParameters final : public network::Parameters {
 public:
  explicit TreeParameters(const Node& section) : section_(section) {}

  kernel::SimTime time(const std::string& name) const override { return time_at(section_, name); }
  kernel::ByteTime per_byte(const std::string& name) const override { return per_byte_at(section_, name); }
  kernel::Bytes bytes(const std::string& name) const override { return bytes_at(section_, name); }
  std::vector<std::uint64_t> integers(const std::string& name) const override {
    std::vector<std::uint64_t> values;
    for (const Node& item : section_.find(name)->items) values.push_back(std::get<std::uint64_t>(item.value));
    return values;
  }
  std::vector<bool> flags(const std::string& name) const override {
    std::vector<bool> values;
    for (const Node& item : section_.find(name)->items) values.push_back(std::get<bool>(item.value));
    return values;
  }
  std::vector<std::unique_ptr<Parameters>> pieces(const std::string& name) const override {
    std::vector<std::unique_ptr<Parameters>> result;
    for (const Node& item : section_.find(name)->items)
      result.push_back(std::make_unique<TreeParameters>(item));
    return result;
  }

 private:
  const Node& section_;
};

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

/// Place of the key that a model's complaint "key: what is wrong" begins with.
Origin origin_of_complaint(const Node& section, const std::string& complaint) {
  const Node* node = section.find(complaint.substr(0, complaint.find(':')));
  return node == nullptr || node->origin.is_default() ? section.origin : node->origin;
}

}  // namespace

std::unique_ptr<network::NetworkModel> make_network(const Node& tree) {
  const Node& section = *tree.find("network");
  const network::ModelInfo* info = network::find_model(section.find("model")->text);
  std::unique_ptr<network::PortModel> model = info->build(TreeParameters(section));
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
         fmt::format("the network has room for {} nodes, but nodes.compute + nodes.io = {} + {}: {}",
                     model->capacity(), compute_nodes, io_nodes,
                     mend_for_nodes(tree, compute_nodes, io_nodes))});
  } catch (const std::invalid_argument& error) {
    diagnostics.push_back(
        {origin_of_complaint(section, error.what()).place(), fmt::format("network.{}", error.what())});
  }
}

}  // namespace mpisim::machine
