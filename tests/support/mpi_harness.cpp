#include "tests/support/mpi_harness.hpp"

#include "network_models/ideal.hpp"

namespace mpisim::test {

namespace {

class Collector final : public mpi::OutputSink {
 public:
  explicit Collector(std::function<void(std::string_view)> told) : told_(std::move(told)) {}
  void write(int, std::string_view text) override {
    text_ += text;
    if (told_) told_(text);
  }
  std::string& text() { return text_; }

 private:
  std::function<void(std::string_view)> told_;
  std::string text_;
};

}  // namespace

HarnessResult run_ranks(int ranks, const std::function<int(int)>& body, const HarnessOptions& options) {
  const std::shared_ptr<network::NetworkModel> network =
      options.network ? options.network : std::make_shared<network::Ideal>(network::IdealParameters{});
  Collector output(options.on_output);
  HarnessResult result;
  const auto run_host = [&](kernel::Transport* transport) {
    mpi::WorldOptions world_options;
    world_options.ranks = ranks;
    world_options.network = network.get();
    world_options.node_of = [&options](int rank) {
      return options.node_of ? options.node_of(rank)
                             : static_cast<network::NodeId>(rank / options.ranks_per_node);
    };
    world_options.config = options.config;
    world_options.compute = mpi::ComputeMode::off;
    world_options.deterministic = options.deterministic;
    world_options.cancels = options.cancels;
    world_options.stack_size = std::size_t{256} << 10;
    world_options.kept_bytes = options.kept_bytes;
    world_options.livelock_polls = options.livelock_polls;
    world_options.host_of_rank = options.host_of_rank;
    world_options.body = body;
    if (options.extension) world_options.extension = options.extension();
    world_options.output = &output;
    world_options.wall_seconds_between_flushes = options.wall_seconds_between_flushes;
    world_options.output_bytes = options.output_bytes;
    world_options.most_results = options.most_results;
    world_options.transport = transport;
    world_options.protocol = transport != nullptr ? "conditional" : "sequential";
    if (!options.protocol.empty()) world_options.protocol = options.protocol;
    if (world_options.protocol == "ideal" || world_options.protocol == "sequential")
      world_options.order_file = options.order_file;
    mpi::World world(world_options);
    mpi::RunResult host_result = world.run();
    if (transport == nullptr || transport->host() == 0)
      static_cast<mpi::RunResult&>(result) = std::move(host_result);
  };
  if (options.hosts == 1) {
    run_host(nullptr);
  } else {
    kernel::run_in_process(options.hosts, options.seed,
                           [&](kernel::Transport& transport) { run_host(&transport); });
  }
  result.output = std::move(output.text());
  return result;
}

}  // namespace mpisim::test
