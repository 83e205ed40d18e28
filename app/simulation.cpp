#include "app/simulation.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>

#include "app/crash.hpp"
#include "app/descriptors.hpp"
#include "app/exit_codes.hpp"
#include "app/output.hpp"
#include "app/plugins.hpp"
#include "app/progress.hpp"
#include "app/whereabouts.hpp"
#include "machine/calibration.hpp"
#include "machine/description.hpp"
#include "mpisim/core.hpp"
#include "mpisim/report.hpp"
#include "mpisim/world.hpp"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"
#include "runtime/code_samples.hpp"
#include "runtime/own_fault.hpp"
#include "runtime/rank_environment.hpp"
#include "simkernel/event.hpp"

namespace mpisim::app {

namespace {

using kernel::SimTime;

mpi::ComputeMode compute_mode(const RunPlan& plan) {
  if (plan.compute == "measured") return mpi::ComputeMode::measured;
  if (plan.compute == "counted") return mpi::ComputeMode::counted;
  if (plan.compute == "recorded") return mpi::ComputeMode::recorded;
  return mpi::ComputeMode::off;
}

runtime::Heap heap_of(const RunPlan& plan) {
  if (plan.heap == "native") return runtime::Heap::native;
  return plan.heap == "pattern" ? runtime::Heap::pattern : runtime::Heap::zero;
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
        io_(machine_.io_config(placement_)),
        extension_(std::make_shared<pio::WorldIo>(io_)) {
    if (plan.hosts > 1) transport_ = load_openmpi_transport(&process_.argc, &process_.argv);
    if (plan.compute == "measured" && !plan.native) calibration_ = machine::calibrate_host();
  }

  ~Simulation() {
    if (!transport_) return;
    runtime::set_own_phase("taking down MPI");
    transport_.reset();
    runtime::set_own_phase("exiting");
  }
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  int run(const RunEnds& ends) {
    // A file that meets the limit of file sizes is an error of a rank's write, not the end of the simulation.
    // Not before: Open MPI waits for ever for what it could not write while it started.
    if (!plan_.native) ::signal(SIGXFSZ, SIG_IGN);
    std::optional<mpi::World> made;
    try {
      made.emplace(options());
    } catch (const kernel::WrongProfile&) {
      if (first_tells()) return success;
      throw;
    } catch (const mpi::WrongRecord&) {
      if (first_tells()) return success;
      throw;
    }
    mpi::World& world = *made;
    explain_crashes(world, plan_,
                    {[this] { output_.flush(); },
                     [this, &ends](SimTime time) { ends.ended(unfinished(time, crash, "crash")); },
                     [&ends] { ends.ended_damaged(crash, "crash"); }});
    std::optional<Whereabouts> whereabouts;
    if (!plan_.native)
      whereabouts.emplace(world, plan_,
                          Whereabouts::Actions{[this, &world] {
                                                 world.flush_all_output();
                                                 output_.flush();
                                                 output_.erase_progress();
                                               },
                                               [this, &world, &ends](Question question) {
                                                 ends.interrupted(interrupted(world, question));
                                               }});
    runtime::set_epoch(plan_.epoch);
    if (!plan_.native) runtime::set_heap(heap_of(plan_));
    if (machine_.clock_hz() > 0) runtime::set_cycles_per_second(machine_.clock_hz());
    const auto begun = std::chrono::system_clock::now();
    std::optional<ProgressLine> progress;
    if (plan_.progress && (!transport_ || transport_->host() == 0)) {
      progress.emplace([this, &world] { return progress_text(world); });
      output_.set_progress(&*progress);
    }
    const bool counts = plan_.compute == "counted";
    if (counts) runtime::start_code_samples();
    const HostCounters before = read_host_counters();
    const mpi::RunResult result = run_or_end(world, ends.ended);
    const HostUse use = use_between(before, read_host_counters());
    whereabouts.reset();
    const runtime::CodeSamples samples = counts ? runtime::take_code_samples() : runtime::CodeSamples{};
    output_.flush();
    output_.set_progress(nullptr);
    progress.reset();
    say(result.report);
    const std::vector<std::uint64_t> memory = memory_of_hosts(world);
    const UncountedReport uncounted = uncounted_of_hosts(world, samples);
    const HostDisturbance disturbance = disturbance_of_hosts(world, use);
    pio::FileSystemReport file_system = pio::gather_report(world.engine(), extension_->notes(),
                                                           plan_.per_rank ? plan_.ranks : per_rank_limit);
    runtime::set_own_phase("ending, all results collected");
    if (transport_ && transport_->host() != 0) return success;
    RunReport report = report_of(result);
    if (result.end == mpi::End::finished) report.take(std::move(file_system));
    for (std::size_t host = 0; host < memory.size(); ++host) {
      report.peak_rss_bytes += memory[host];
      report.host_processes[host].peak_rss_bytes = memory[host];
    }
    report.uncounted = uncounted;
    report.comparison = comparison_of(report);
    report.disturbance = disturbance;
    if (calibration_)
      if (std::string warning = disturbance_warning(disturbance); !warning.empty())
        report.warnings.push_back(std::move(warning));
    report.output_error = output_.error();
    if (report.output_error != 0 && report.exit_code == success) {
      report.exit_code = host_failure;
      report.exit_reason = "host-failure";
    }
    report.startup_seconds = std::chrono::duration<double>(begun.time_since_epoch()).count() -
                             static_cast<double>(plan_.launched_ns) * 1e-9;
    return ends.finished(report);
  }

 private:
  /// A failure of this host process alone cannot come back to the caller: the others would wait for ever for
  /// this one, and this one for them as it takes down MPI.
  mpi::RunResult run_or_end(mpi::World& world, const std::function<void(const RunReport&)>& ended) {
    try {
      return world.run();
    } catch (const kernel::WrongOrder& error) {
      say(fmt::format("mpisim run: {}{}: {}\n", transport_ ? own_name() + ": " : "", plan_.order_file,
                      error.what()));
      ended(unfinished(SimTime::zero(), bad_input, "bad-input"));
    } catch (const kernel::TimeOverflow& error) {
      say(fmt::format("mpisim: {}\n", error.what()));
      ended(unfinished(SimTime::zero(), bad_input, "bad-input"));
    } catch (const std::bad_alloc&) {
      say(fmt::format("mpisim run: {} ran out of memory\n", own_name()));
      ended(unfinished(SimTime::zero(), host_failure, "host-failure"));
    } catch (const std::exception& error) {
      say(fmt::format("mpisim run: {}: {}\n", own_name(), error.what()));
      ended(unfinished(SimTime::zero(), host_failure, "host-failure"));
    }
    std::abort();  // not reached: `ended` does not return
  }

  /// Of what all host processes find alike.
  bool first_tells() const { return transport_ && transport_->host() != 0; }

  std::string own_name() const {
    return transport_ ? fmt::format("host process {}", transport_->host()) : "the host process";
  }

  mpi::WorldOptions options() {
    mpi::WorldOptions options;
    options.ranks = static_cast<int>(plan_.ranks);
    options.network = network_.get();
    options.node_of = [this](int rank) { return placement_.node_of(static_cast<std::uint64_t>(rank)); };
    options.node_name = [](network::NodeId node) { return fmt::format("node{}", node); };
    options.config = machine_.mpi_config();
    options.costs = machine_.cost_table();
    options.compute = compute_mode(plan_);
    // Picoseconds for each nanosecond measured. A program that is started directly runs on this host.
    options.measured_scale =
        1000.0 * (calibration_ ? calibration_->operations_per_second / machine_.score() : 1.0);
    options.record_file = plan_.record_file;
    options.deterministic = plan_.deterministic;
    options.stack_size = plan_.stack_size;
    options.livelock_polls = plan_.livelock_polls;
    options.partition = plan_.partition;
    options.profile_file = plan_.profile_file;
    if (plan_.partition == "graph" && plan_.hosts > 1) options.metis = load_metis_partitioner();
    options.arguments.assign(process_.argv, process_.argv + process_.argc);
    options.environment = runtime::target_environment();
    options.user_main = process_.user_main;
    options.output = &output_;
    options.transport = transport_.get();
    options.protocol = plan_.protocol;
    options.quantum = kernel::SimTime::picoseconds(plan_.quantum_ps);
    options.order_file = plan_.order_file;
    if (!plan_.per_rank) options.most_results = per_rank_limit;
    options.extension = extension_;
    return options;
  }

  // Called on another thread: a number that is a little old does no harm.
  std::string progress_text(mpi::World& world) const {
    const kernel::Engine& engine = world.engine();
    std::string text =
        fmt::format("mpisim: {:.3g} million events", static_cast<double>(engine.statistics().events) / 1e6);
    // Before the first one goes on the ranks are still being made.
    const std::string slowest = engine.statistics().resumes > 0 ? mpi::slowest_rank(world) : "";
    return slowest.empty() ? text : text + ", " + slowest;
  }

  /// The most memory that each host process had; what is not host 0 learns nothing.
  static std::vector<std::uint64_t> memory_of_hosts(mpi::World& world) {
    const std::uint64_t own = peak_resident_bytes();
    std::vector<std::byte> blob(sizeof own);
    std::memcpy(blob.data(), &own, sizeof own);
    std::vector<std::uint64_t> all;
    for (const auto& host : world.engine().gather(std::move(blob)))
      std::memcpy(&all.emplace_back(), host.data(), sizeof own);
    return all;
  }

  /// Code without counters, of all host processes; what is not host 0 learns nothing.
  static UncountedReport uncounted_of_hosts(mpi::World& world, const runtime::CodeSamples& own) {
    kernel::PacketWriter out;
    out.put(own.all);
    for (const auto& place : own.uncounted) {
      out.put(place.samples);
      out.put_text(place.object);
    }
    UncountedReport report;
    for (const auto& host : world.engine().gather(std::move(out.buffer()))) {
      kernel::PacketReader in(host);
      report.samples += in.get<std::uint64_t>();
      while (!in.empty()) {
        const auto samples = in.get<std::uint64_t>();
        report.places[in.get_text()] += samples;
      }
    }
    return report;
  }

  /// Of all host processes; what is not host 0 learns nothing.
  static HostDisturbance disturbance_of_hosts(mpi::World& world, const HostUse& own) {
    std::vector<std::byte> blob(sizeof own);
    std::memcpy(blob.data(), &own, sizeof own);
    std::vector<HostUse> all;
    for (const auto& host : world.engine().gather(std::move(blob)))
      std::memcpy(&all.emplace_back(), host.data(), sizeof own);
    return disturbance_of(all);
  }

  HostComparison comparison_of(const RunReport& report) const {
    if (plan_.compute != "counted" && !calibration_) return {};
    const auto known = calibration_ ? calibration_ : machine::known_calibration();
    const double compute =
        static_cast<double>(report.compute.mean_ps()) * 1e-12 * static_cast<double>(plan_.ranks);
    return compare_with_host(compute, report.uncounted, known ? known->operations_per_second : 0,
                             machine_.score());
  }

  RunReport report_of(const mpi::RunResult& result) const {
    RunReport report;
    report.machine = machine_.name();
    report.processor_class = machine_.processor_class();
    report.clock_hz = machine_.clock_hz();
    report.own_prices = machine_.own_prices();
    report.take(result.totals);
    report.predicted = result.predicted;
    if (plan_.ranks <= per_rank_limit || plan_.per_rank) {
      for (const mpi::RankResult& rank : result.ranks) report.per_rank.push_back(rank_report(rank));
    }
    report.io = io_report(result.totals.counters);
    for (const pfs::DiskStatistics& disk : pio::disk_statistics(result.extension))
      report.disks.push_back(disk_report(disk));
    report.exit_code = result.exit_code;
    report.exit_reason = reason(result.end);
    report.wall_seconds = result.wall_seconds;
    report.events = result.statistics.events;
    report.sync_rounds = mean_over_hosts(result, &kernel::EngineStatistics::rounds);
    report.conditional_rounds = mean_over_hosts(result, &kernel::EngineStatistics::conditional_rounds);
    for (const mpi::HostResult& host : result.hosts) report.host_processes.push_back(host_report(host));
    if (result.placement)
      report.partition = {result.placement->chosen, result.placement->block, result.placement->round_robin};
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
    if (calibration_) {
      report.measured_share = 1;
      report.calibration = fmt::format(
          "{}: {:.4g} Gop/s, {:.4g} times a processor of {} ({:.4g} Gop/s){}", calibration_->processor,
          calibration_->operations_per_second * 1e-9, calibration_->operations_per_second / machine_.score(),
          machine_.name(), machine_.score() * 1e-9, calibration_->from_cache ? ", measured earlier" : "");
    }
    return report;
  }

  static double mean_over_hosts(const mpi::RunResult& result,
                                std::uint64_t kernel::EngineStatistics::* count) {
    double sum = 0;
    for (const mpi::HostResult& host : result.hosts) sum += static_cast<double>(host.statistics.*count);
    return sum / static_cast<double>(result.hosts.size());
  }

  static HostReport host_report(const mpi::HostResult& result) {
    HostReport report;
    report.ranks = result.totals.ranks;
    report.events = result.statistics.events;
    report.remote_events = result.statistics.remote_events;
    report.resumes = result.statistics.resumes;
    report.rounds = result.statistics.rounds;
    report.conditional_rounds = result.statistics.conditional_rounds;
    report.null_messages = result.statistics.null_messages;
    report.blocked_seconds = result.statistics.blocked_seconds;
    report.wall_seconds = result.wall_seconds;
    report.mean_run_seconds = result.totals.mean_run_seconds();
    return report;
  }

  RunReport interrupted(mpi::World& world, Question question) const {
    return unfinished(world.engine().safe_time(), exit_status(question),
                      question == Question::time_limit ? "time-limit" : "interrupted");
  }

  RunReport unfinished(SimTime time, int exit_code, const char* why) const {
    RunReport report;
    report.machine = machine_.name();
    report.processor_class = machine_.processor_class();
    report.clock_hz = machine_.clock_hz();
    report.own_prices = machine_.own_prices();
    report.predicted = time;
    report.exit_code = exit_code;
    report.exit_reason = why;
    report.peak_rss_bytes = peak_resident_bytes();
    return report;
  }

  static RankReport rank_report(const mpi::RankResult& rank) {
    RankReport report;
    report.finished = rank.finish;
    report.compute = rank.computing();
    report.point_to_point = rank.in(mpi::CallKind::point_to_point);
    report.completion = rank.in(mpi::CallKind::completion);
    report.collective = rank.in(mpi::CallKind::collective);
    report.other = rank.local();
    report.io = rank.in(mpi::CallKind::input_output);
    report.messages = rank.messages;
    report.bytes = rank.bytes;
    return report;
  }

  static DiskReport disk_report(const pfs::DiskStatistics& disk) {
    DiskReport report;
    report.io_node = disk.io_node;
    report.disk = disk.disk;
    report.member = disk.member;
    report.bytes_read = disk.bytes_read;
    report.bytes_written = disk.bytes_written;
    report.seeks = disk.seeks;
    report.cylinders = disk.cylinders;
    report.longest_queue = disk.longest_queue;
    report.busy = disk.busy;
    report.last_end = disk.last_end;
    report.waited = disk.waited;
    for (std::size_t i = 0; i < pfs::DiskStatistics::size_classes; ++i) {
      report.reads += disk.reads[i];
      report.writes += disk.writes[i];
      if (disk.reads[i] + disk.writes[i] > 0)
        report.by_size.push_back({pfs::DiskStatistics::up_to(i), disk.reads[i], disk.writes[i]});
    }
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
    report.metadata_calls = of(pio::Counter::metadata_calls);
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
  std::shared_ptr<pio::WorldIo> extension_;
  std::unique_ptr<kernel::Transport> transport_;
  std::optional<machine::Calibration> calibration_;
  DescriptorSink output_;
};

}  // namespace

int simulate(const RunPlan& plan, const HostProcess& process, const RunEnds& ends) {
  return Simulation(plan, process).run(ends);
}

}  // namespace mpisim::app
