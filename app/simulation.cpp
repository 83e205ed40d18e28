#include "app/simulation.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>

#include "app/crash.hpp"
#include "app/descriptors.hpp"
#include "app/exit_codes.hpp"
#include "app/output.hpp"
#include "app/progress.hpp"
#include "app/transport_plugin.hpp"
#include "machine/calibration.hpp"
#include "machine/description.hpp"
#include "mpisim/core.hpp"
#include "mpisim/world.hpp"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"
#include "runtime/rank_environment.hpp"

namespace mpisim::app {

namespace {

using kernel::SimTime;

mpi::ComputeMode compute_mode(const RunPlan& plan) {
  if (plan.compute == "measured") return mpi::ComputeMode::measured;
  if (plan.compute == "counted") return mpi::ComputeMode::counted;
  if (plan.compute == "recorded") return mpi::ComputeMode::recorded;
  return mpi::ComputeMode::off;
}

std::vector<std::uint16_t> partition(const RunPlan& plan) {
  std::vector<std::uint16_t> host_of_rank;
  if (plan.partition == "round-robin")
    for (std::uint64_t rank = 0; rank < plan.ranks; ++rank)
      host_of_rank.push_back(static_cast<std::uint16_t>(rank % static_cast<std::uint64_t>(plan.hosts)));
  return host_of_rank;
}

// Everything that a world of this plan refers to, in the order of its construction.
class Simulation {
 public:
  Simulation(const RunPlan& plan, const HostProcess& process)
      : plan_(plan),
        process_(process),
        machine_(machine::load(plan.machine, {plan.overrides, {}})),
        placement_(machine_.placement(plan.ranks)),
        network_(machine_.build_network(plan.ranks)),
        io_(machine_.io_config(placement_)) {
    if (plan.hosts > 1) transport_ = load_openmpi_transport(&process_.argc, &process_.argv);
    if (plan.compute == "measured") calibration_ = machine::calibrate_host();
  }

  std::optional<RunReport> run(const std::function<void(const RunReport&)>& crashed) {
    // A file that meets the limit of file sizes is an error of a rank's write, not the end of the simulation.
    // Not before: Open MPI waits for ever for what it could not write while it started.
    if (!plan_.native) ::signal(SIGXFSZ, SIG_IGN);
    mpi::World world(options());
    explain_crashes(
        world, plan_, [this] { output_.flush(); },
        [this, &crashed](SimTime time) { crashed(crash_report(time)); });
    runtime::set_epoch(plan_.epoch);
    const auto begun = std::chrono::system_clock::now();
    std::optional<ProgressLine> progress;
    if (plan_.progress && (!transport_ || transport_->host() == 0)) {
      progress.emplace([this, &world] { return progress_text(world); });
      output_.set_progress(&*progress);
    }
    const mpi::RunResult result = world.run();
    output_.flush();
    output_.set_progress(nullptr);
    progress.reset();
    write_all(STDERR_FILENO, result.report.data(), result.report.size());
    const std::uint64_t memory = total_memory(world);
    if (transport_ && transport_->host() != 0) return std::nullopt;
    RunReport report = report_of(result);
    report.peak_rss_bytes = memory;
    report.startup_seconds = std::chrono::duration<double>(begun.time_since_epoch()).count() -
                             static_cast<double>(plan_.launched_ns) * 1e-9;
    return report;
  }

 private:
  mpi::WorldOptions options() {
    mpi::WorldOptions options;
    options.ranks = static_cast<int>(plan_.ranks);
    options.network = network_.get();
    options.node_of = [this](int rank) { return placement_.node_of(static_cast<std::uint64_t>(rank)); };
    options.node_name = [](network::NodeId node) { return fmt::format("node{}", node); };
    options.config = machine_.mpi_config();
    options.costs = machine_.cost_table();
    options.compute = compute_mode(plan_);
    if (calibration_)
      options.measured_scale = 1000.0 * calibration_->operations_per_second / machine_.score();
    options.record_file = plan_.record_file;
    options.deterministic = plan_.deterministic;
    options.stack_size = plan_.stack_size;
    options.host_of_rank = partition(plan_);
    options.arguments.assign(process_.argv, process_.argv + process_.argc);
    options.environment = runtime::target_environment();
    options.user_main = process_.user_main;
    options.output = &output_;
    options.transport = transport_.get();
    options.protocol = plan_.protocol;
    options.quantum = kernel::SimTime::picoseconds(plan_.quantum_ps);
    options.order_file = plan_.order_file;
    options.extension = std::make_shared<pio::WorldIo>(io_);
    return options;
  }

  // Called on another thread: a number that is a little old does no harm.
  std::string progress_text(mpi::World& world) const {
    const kernel::Engine& engine = world.engine();
    std::string text =
        fmt::format("mpisim: {:.3g} million events", static_cast<double>(engine.statistics().events) / 1e6);
    if (engine.safe_time() > SimTime::zero())
      text += fmt::format(", {} simulated", kernel::to_string(engine.safe_time()));
    return text;
  }

  // Sum over host processes of the most memory that each had.
  static std::uint64_t total_memory(mpi::World& world) {
    std::uint64_t total = peak_resident_bytes();
    if (world.engine().hosts() == 1) return total;
    std::vector<std::byte> blob(sizeof total);
    std::memcpy(blob.data(), &total, sizeof total);
    total = 0;
    for (const auto& other : world.engine().gather(std::move(blob))) {
      std::uint64_t bytes = 0;
      std::memcpy(&bytes, other.data(), sizeof bytes);
      total += bytes;
    }
    return total;
  }

  RunReport report_of(const mpi::RunResult& result) const {
    RunReport report;
    report.machine = machine_.name();
    for (std::size_t i = 0; i < result.ranks.size(); ++i) {
      const RankReport rank = rank_report(result.ranks[i]);
      report.add(rank, i);
      if (plan_.ranks <= per_rank_limit || plan_.per_rank) report.per_rank.push_back(rank);
    }
    report.predicted = result.predicted;
    report.messages = result.messages;
    report.bytes = result.bytes;
    report.io = io_report(result.counters);
    report.exit_code = result.exit_code;
    report.exit_reason = reason(result.end);
    report.wall_seconds = result.wall_seconds;
    report.events = result.statistics.events;
    report.sync_rounds = static_cast<double>(result.statistics.rounds);
    report.null_messages = result.statistics.null_messages;
    report.warnings = result.warnings;
    report.exact = result.exact;
    report.blocked_seconds = result.statistics.blocked_seconds;
    report.remote_events = result.statistics.remote_events;
    report.resumes = result.statistics.resumes;
    report.lookahead = result.lookahead;
    if (!result.exact)
      report.warnings.push_back(fmt::format(
          "the quantum {} is longer than the least latency {} of the network: the prediction is not exact",
          kernel::to_string(kernel::SimTime::picoseconds(plan_.quantum_ps)),
          kernel::to_string(result.lookahead)));
    double running = 0;  // the sum over ranks may be beyond the range of simulated time
    for (const mpi::RankResult& rank : result.ranks) {
      report.waits += rank.waits;
      running += (rank.finish - rank.waited).seconds();
    }
    if (report.waits > 0) report.mean_run_seconds = running / static_cast<double>(report.waits);
    if (calibration_) {
      report.measured_share = 1;
      report.calibration = fmt::format(
          "{}: {:.4g} Gop/s, {:.4g} times a processor of {} ({:.4g} Gop/s){}", calibration_->processor,
          calibration_->operations_per_second * 1e-9, calibration_->operations_per_second / machine_.score(),
          machine_.name(), machine_.score() * 1e-9, calibration_->from_cache ? ", measured earlier" : "");
    }
    return report;
  }

  RunReport crash_report(SimTime time) const {
    RunReport report;
    report.machine = machine_.name();
    report.predicted = time;
    report.exit_code = crash;
    report.exit_reason = "crash";
    report.peak_rss_bytes = peak_resident_bytes();
    return report;
  }

  static RankReport rank_report(const mpi::RankResult& rank) {
    const auto in = [&rank](mpi::CallKind kind) { return rank.in_calls[static_cast<std::size_t>(kind)]; };
    RankReport report;
    report.finished = rank.finish;
    report.compute = rank.compute + rank.asleep;
    report.point_to_point = in(mpi::CallKind::point_to_point);
    report.completion = in(mpi::CallKind::completion);
    report.collective = in(mpi::CallKind::collective);
    report.other = in(mpi::CallKind::local) + in(mpi::CallKind::clock);
    report.io = in(mpi::CallKind::input_output);
    report.messages = rank.messages;
    report.bytes = rank.bytes;
    return report;
  }

  static IoReport io_report(const mpi::Counters& counters) {
    const auto of = [&counters](pio::Counter counter) { return counters[static_cast<std::size_t>(counter)]; };
    IoReport report;
    report.requests = of(pio::Counter::requests);
    report.disk_reads = of(pio::Counter::disk_reads);
    report.disk_writes = of(pio::Counter::disk_writes);
    report.seeks = of(pio::Counter::seeks);
    report.disk_seeks = of(pio::Counter::disk_seeks);
    report.bytes_read = of(pio::Counter::bytes_read);
    report.bytes_written = of(pio::Counter::bytes_written);
    return report;
  }

  static const char* reason(mpi::End end) {
    switch (end) {
      case mpi::End::abort:
        return "abort";
      case mpi::End::deadlock:
        return "deadlock";
      case mpi::End::livelock:
        return "livelock";
      case mpi::End::misuse:
        return "misuse";
      case mpi::End::refused:
        return "bad-input";
      case mpi::End::finished:
        break;
    }
    return "exit";
  }

  const RunPlan& plan_;
  HostProcess process_;
  machine::Description machine_;
  machine::Placement placement_;
  std::unique_ptr<network::NetworkModel> network_;
  pio::Config io_;
  std::unique_ptr<kernel::Transport> transport_;
  std::optional<machine::Calibration> calibration_;
  DescriptorSink output_;
};

}  // namespace

std::optional<RunReport> simulate(const RunPlan& plan, const HostProcess& process,
                                  const std::function<void(const RunReport&)>& crashed) {
  return Simulation(plan, process).run(crashed);
}

}  // namespace mpisim::app
