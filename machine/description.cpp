#include "machine/description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "machine/calibration.hpp"
#include "machine/checker.hpp"
#include "machine/io_builder.hpp"
#include "machine/network_builder.hpp"
#include "machine/overrides.hpp"
#include "machine/processor_class.hpp"
#include "machine/reader.hpp"
#include "machine/schema.hpp"
#include "machine/values.hpp"
#include "mpisim/collectives/selection.hpp"

namespace mpisim::machine {

namespace {

std::string text_at(const Node& tree, std::string_view path) {
  const Node* node = tree.at(path);
  return node == nullptr ? "" : node->text;
}

void at_least_1ns(const Node& tree, const char* path, std::vector<Diagnostic>& diagnostics) {
  if (time_at(tree, path).ps() < 1000)
    diagnostics.push_back(
        {tree.at(path)->origin.place(),
         fmt::format("{} must be at least 1 ns, so that programs that wait in a loop end", path)});
}

std::vector<std::string> algorithms_of(const std::string& operation) {
  std::vector<std::string> names;
  for (const mpi::CollectiveInfo& info : mpi::collective_operations()) {
    if (info.operation != operation) continue;
    for (const mpi::AlgorithmInfo& algorithm : info.algorithms) names.emplace_back(algorithm.name);
  }
  return names;
}

std::vector<mpi::CollectiveSelection> selections(const Node& collectives, const LoadOptions& options,
                                                 std::vector<Diagnostic>& diagnostics) {
  std::vector<mpi::CollectiveSelection> result;
  for (const Entry& entry : collectives.entries) {
    mpi::CollectiveSelection selection{entry.key, {}};
    const std::vector<std::string> known =
        options.algorithms ? options.algorithms(entry.key) : algorithms_of(entry.key);
    for (const Node& rule : entry.value.items) {
      const Node* use = rule.find("use");
      selection.rules.push_back(
          {bytes_at(rule, "up_to").count(), integer_at(rule, "up_to_ranks"), use->text});
      if (std::find(known.begin(), known.end(), use->text) != known.end()) continue;
      diagnostics.push_back(
          {use->origin.place(),
           fmt::format("mpi.collectives.{}: there is no algorithm `{}`; use one of {} (nearest: {})",
                       entry.key, use->text, fmt::join(known, ", "), nearest(use->text, known))});
    }
    result.push_back(std::move(selection));
  }
  return result;
}

}  // namespace

Description::Description(Node tree, const LoadOptions& options, std::vector<Diagnostic>& diagnostics)
    : tree_(std::move(tree)),
      name_(text_at(tree_, "name")),
      description_(text_at(tree_, "description")),
      io_nodes_(integer_at(tree_, "nodes.io")),
      service_nodes_(io_nodes_ + integer_at(tree_, "nodes.metadata") +
                     integer_at(tree_, "nodes.burst_buffer")),
      ranks_per_node_(integer_at(tree_, "placement.ranks_per_node")),
      order_(text_at(tree_, "placement.order") == "block" ? PlacementOrder::block
                                                          : PlacementOrder::round_robin) {
  if (text_at(tree_, "nodes.compute") != "auto") compute_nodes_ = integer_at(tree_, "nodes.compute");
  read_processor(diagnostics);
  read_mpi(options, diagnostics);
  check_network(tree_, compute_nodes_, service_nodes_, diagnostics);
  check_io(tree_, io_nodes_, diagnostics);
}

void Description::read_processor(std::vector<Diagnostic>& diagnostics) {
  clock_hz_ = std::get<double>(tree_.at("processor.clock")->value);
  processor_class_ = text_at(tree_, "processor.class");
  const double cycle_ps = 1e12 / clock_hz_;
  for (const Entry& entry : tree_.at("processor.cost")->entries) {
    if (entry.value.origin.source != "class " + processor_class_) ++own_prices_;
    const Cost cost = std::get<Cost>(entry.value.value);
    costs_.picoseconds.push_back(cost.in_cycles ? cost.amount * cycle_ps : cost.amount);
  }
  const Node& score = *tree_.at("processor.score");
  score_ = score.text == "auto" ? derived_score(costs_) : std::get<double>(score.value);
  if (!(score_ > 0) || score_ > 1e18)
    diagnostics.push_back({score.origin.place(),
                           "processor.score cannot be derived from a cost table of zeros: give it, in op/s"});
}

void Description::read_mpi(const LoadOptions& options, std::vector<Diagnostic>& diagnostics) {
  const Node& mpi = *tree_.find("mpi");
  mpi_.send_overhead = time_at(mpi, "send_overhead");
  mpi_.receive_overhead = time_at(mpi, "receive_overhead");
  mpi_.send_copy = per_byte_at(mpi, "send_copy");
  mpi_.receive_copy = per_byte_at(mpi, "receive_copy");
  mpi_.reduce_cost = per_byte_at(mpi, "reduce_cost");
  mpi_.call_overhead = time_at(mpi, "call_overhead");
  mpi_.poll_interval = time_at(mpi, "poll_interval");
  mpi_.eager_limit = bytes_at(mpi, "eager_limit");
  mpi_.control_size = bytes_at(mpi, "control_size");
  mpi_.progress =
      text_at(mpi, "progress") == "in-calls" ? mpi::Progress::in_calls : mpi::Progress::asynchronous;
  mpi_.collectives = selections(*mpi.find("collectives"), options, diagnostics);
  at_least_1ns(tree_, "mpi.call_overhead", diagnostics);
  at_least_1ns(tree_, "mpi.poll_interval", diagnostics);
}

Placement Description::placement(std::uint64_t ranks) const {
  const std::uint64_t needed = ranks / ranks_per_node_ + (ranks % ranks_per_node_ == 0 ? 0 : 1);
  if (compute_nodes_ != 0 && needed > compute_nodes_) {
    throw InvalidMachine(
        {{name_, fmt::format(
                     "has {} compute nodes with {} rank{} each, which is too small for {} ranks: use at most "
                     "{} ranks, or more nodes: {}",
                     compute_nodes_, ranks_per_node_, ranks_per_node_ == 1 ? "" : "s", ranks,
                     compute_nodes_ * ranks_per_node_, mend_for_nodes(tree_, needed, service_nodes_))}});
  }
  const std::uint64_t compute = compute_nodes_ != 0 ? compute_nodes_ : std::max<std::uint64_t>(needed, 1);
  return {compute, ranks_per_node_, order_};
}

std::unique_ptr<network::NetworkModel> Description::build_network(std::uint64_t ranks) const {
  const std::uint64_t nodes = placement(ranks).compute_nodes() + service_nodes_;
  std::unique_ptr<network::NetworkModel> model = make_network(tree_);
  if (model->capacity() != 0 && nodes > model->capacity()) {
    throw InvalidMachine(
        {{name_, fmt::format("the network has room for {} nodes, too few for {} ranks on {} compute "
                             "nodes and {} I/O nodes: {}",
                             model->capacity(), ranks, nodes - service_nodes_, service_nodes_,
                             mend_for_nodes(tree_, nodes - service_nodes_, service_nodes_))}});
  }
  return model;
}

namespace {

/// The description, if the file has no fault.
std::optional<Description> read(const std::filesystem::path& file, const LoadOptions& options,
                                std::vector<Diagnostic>& diagnostics) {
  Node tree = read_file(file, diagnostics);
  if (!diagnostics.empty() && tree.kind != Node::Kind::map) return std::nullopt;
  for (const std::string& assignment : options.overrides) apply_override(tree, assignment, diagnostics);
  fill_processor(tree);
  Node checked = check(machine_schema(), tree, diagnostics);
  if (!diagnostics.empty()) return std::nullopt;
  Description description(std::move(checked), options, diagnostics);
  if (!diagnostics.empty()) return std::nullopt;
  return description;
}

}  // namespace

Description load(const std::filesystem::path& file, const LoadOptions& options) {
  std::vector<Diagnostic> diagnostics;
  std::optional<Description> description = read(file, options, diagnostics);
  if (!description) throw InvalidMachine(std::move(diagnostics));
  return std::move(*description);
}

std::vector<Diagnostic> check_file(const std::filesystem::path& file, const LoadOptions& options) {
  std::vector<Diagnostic> diagnostics;
  read(file, options, diagnostics);
  return diagnostics;
}

}  // namespace mpisim::machine
