#pragma once
// A checked machine description: what the rest of the simulator knows of the target machine.
//
//   machine::Description machine = machine::load("configs/paragon.yaml", {{"mpi.eager_limit=8 KiB"}});
//   machine::Placement placement = machine.placement(ranks);
//   std::unique_ptr<network::NetworkModel> network = machine.build_network(ranks);
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/diagnostic.hpp"
#include "machine/document.hpp"
#include "mpisim/config.hpp"
#include "network_models/network_model.hpp"
#include "piosim/config.hpp"

namespace mpisim::machine {

struct LoadOptions {
  std::vector<std::string> overrides;  ///< "path=value", applied in order after the file is read
  /// Names of the algorithms that a collective operation ("bcast") has; null: those of MPI-SIM.
  std::function<std::vector<std::string>(const std::string& operation)> algorithms;
};

enum class PlacementOrder : std::uint8_t { block, round_robin };

/// Which node each rank runs on. Nodes are numbered: compute nodes first, then I/O nodes.
class Placement {
 public:
  Placement(std::uint64_t compute_nodes, std::uint64_t ranks_per_node, PlacementOrder order)
      : compute_nodes_(compute_nodes), ranks_per_node_(ranks_per_node), order_(order) {}

  network::NodeId node_of(std::uint64_t rank) const {
    return static_cast<network::NodeId>(order_ == PlacementOrder::block ? rank / ranks_per_node_
                                                                        : rank % compute_nodes_);
  }
  std::uint64_t compute_nodes() const { return compute_nodes_; }
  network::NodeId io_node(std::uint64_t index) const {
    return static_cast<network::NodeId>(compute_nodes_ + index);
  }

 private:
  std::uint64_t compute_nodes_;
  std::uint64_t ranks_per_node_;
  PlacementOrder order_;
};

class Description {
 public:
  /// Takes a tree that check() found no fault in; adds the faults of values that do not fit together.
  Description(Node tree, const LoadOptions& options, std::vector<Diagnostic>& diagnostics);

  const std::string& name() const { return name_; }
  const std::string& description() const { return description_; }

  /// 0 for `compute: auto`.
  std::uint64_t compute_nodes() const { return compute_nodes_; }
  std::uint64_t io_nodes() const { return io_nodes_; }

  /// Throws InvalidMachine, naming the mend, if the machine has no room for so many ranks.
  Placement placement(std::uint64_t ranks) const;

  /// The network for a run of `ranks` ranks. Throws InvalidMachine as placement() does.
  std::unique_ptr<network::NetworkModel> build_network(std::uint64_t ranks) const;

  const mpi::Config& mpi_config() const { return mpi_; }

  /// What MPI-IO simulates for ranks that are placed so; the defaults of the `io` section where the file has
  /// none. Throws InvalidMachine, naming the mend, if the section asks for what cannot be simulated yet.
  pio::Config io_config(const Placement& placement) const;

  /// Prices for `--compute counted`.
  const mpi::CostTable& cost_table() const { return costs_; }

  double clock_hz() const { return clock_hz_; }
  /// Name of the processor's class, see processor_class.hpp.
  const std::string& processor_class() const { return processor_class_; }
  /// How many of the prices the file gives itself; the others are those of the class.
  std::size_t own_prices() const { return own_prices_; }

  /// Speed of a processor of this machine: operations of the calibration kernel per second, see
  /// calibration.hpp.
  double score() const { return score_; }

  /// The effective file: every key with its value and origin.
  const Node& tree() const { return tree_; }

 private:
  void read_processor(std::vector<Diagnostic>& diagnostics);
  void read_mpi(const LoadOptions& options, std::vector<Diagnostic>& diagnostics);

  Node tree_;
  std::string name_;
  std::string description_;
  std::uint64_t compute_nodes_ = 0;
  std::uint64_t io_nodes_ = 0;
  std::uint64_t service_nodes_ = 0;  ///< all that run no ranks
  std::uint64_t ranks_per_node_ = 1;
  PlacementOrder order_ = PlacementOrder::block;
  double clock_hz_ = 0;
  std::string processor_class_;
  std::size_t own_prices_ = 0;
  double score_ = 0;
  mpi::Config mpi_;
  mpi::CostTable costs_;
};

/// Loads and checks a machine file. Throws InvalidMachine with all faults.
Description load(const std::filesystem::path& file, const LoadOptions& options = {});

/// All faults of a machine file; empty if it is good.
std::vector<Diagnostic> check_file(const std::filesystem::path& file, const LoadOptions& options = {});

}  // namespace mpisim::machine
