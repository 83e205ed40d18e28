#include "mpisim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <stdexcept>

#include "mpisim/exchange.hpp"
#include "mpisim/rank.hpp"
#include "mpisim/report.hpp"
#include "runtime/imports.hpp"
#include "runtime/own_fault.hpp"
#include "simkernel/protocols.hpp"

namespace mpisim::mpi {

using kernel::SimTime;

namespace {

// What cannot be written is lost, but nothing else of the run.
template <typename File>
void save(const File& content, const std::string& file, RunResult& result) {
  try {
    content.save(file);
  } catch (const std::exception& error) {
    result.warnings.emplace_back(error.what());
  }
}

thread_local World* world_of_thread = nullptr;

constexpr int refused_status = 2;
/// Where all ranks are gone through, one is fetched into the caches while so many others are at work.
constexpr std::size_t fetched_ahead = 2;

/// Asked for with every message; ranks in the order of nodes need no table.
std::vector<network::NodeId> list_nodes(const WorldOptions& options) {
  std::vector<network::NodeId> nodes;
  nodes.reserve(static_cast<std::size_t>(options.ranks));
  bool numbered = true;
  for (int rank = 0; rank < options.ranks; ++rank) {
    nodes.push_back(options.node(rank));
    numbered = numbered && nodes.back() == static_cast<network::NodeId>(rank);
  }
  if (numbered) return {};
  return nodes;
}

}  // namespace

World* current_world() {
  return world_of_thread;
}

World::World(WorldOptions options)
    : options_(std::move(options)), nodes_(list_nodes(options_)), livelock_(*this) {
  kernel::EngineOptions engine;
  engine.lookahead = options_.network->min_latency();
  engine.deterministic = options_.deterministic && options_.network->order_free();
  engine.stack_size = options_.stack_size;
  engine.exact = options_.protocol != "quantum" || options_.quantum <= engine.lookahead;
  if (options_.extension) engine.local_lookahead = options_.extension->least_delay();
  engine_ = std::make_unique<kernel::Engine>(engine, options_.transport);
  output_ = std::make_unique<OutputMerge>(
      *engine_, OutputMerge::Options{options_.output, options_.wall_seconds_between_flushes,
                                     options_.output_bytes, [this] { return output_settled(); }});
  place_lps();
  for (int kind = 0; kind < static_cast<int>(MessageKind::kinds); ++kind) {
    engine_->register_codec(static_cast<std::uint16_t>(kind), std::make_unique<MessageCodec>());
  }
  if (options_.user_main != nullptr && !runtime::program_imports("mpisim_MPI_Cancel") &&
      !runtime::program_imports("mpisim_PMPI_Cancel")) {
    options_.cancels = false;
  }
  // A rank asks its file system's client at once; a library that makes progress inside calls only reacts when
  // it comes to it; what a late cancellation frees for others may have been there before.
  const bool short_ways = options_.extension && !options_.extension->least_delay().is_infinite();
  if (!short_ways && !options_.cancels && options_.config.progress == Progress::asynchronous)
    send_delays_ = {options_.config.send_overhead, options_.config.receive_overhead};
  if (options_.user_main != nullptr)
    options_.promises = runtime::program_imports("mpisim_MPIX_Mpisim_deterministic");
  if (options_.compute == ComputeMode::recorded) record_.load(options_.record_file);
  if (options_.compute == ComputeMode::counted && !options_.costs.picoseconds.empty()) {
    runtime::price_blocks(options_.costs.picoseconds);
  }
}

World::~World() = default;

void World::EndRank::operator()(Rank* rank) const {
  // They end in their order, and lie one behind another in memory.
  kernel::prefetch_lines(rank + fetched_ahead, sizeof(Rank));
  rank->~Rank();
}

void World::place_lps() {
  const int hosts = engine_->hosts();
  placement_ = std::make_unique<LpPlacement>(options_, hosts);
  std::vector<std::uint16_t> host_of = placement_->host_of_lp();
  first_exchange_lp_ = static_cast<kernel::LpId>(host_of.size());
  for (int host = 0; host < hosts; ++host) host_of.push_back(static_cast<std::uint16_t>(host));
  engine_->place(std::move(host_of));
}

void World::make_ranks() {
  std::vector<int> local;
  for (int rank = 0; rank < options_.ranks; ++rank) {
    if (engine_->host_of(static_cast<kernel::LpId>(rank)) == engine_->host()) local.push_back(rank);
  }
  world_communicator_ = make_world(options_.ranks);
  stacks_ = std::make_unique<kernel::StackArena>(std::max<std::size_t>(1, local.size()), options_.stack_size);
  const bool program = options_.user_main != nullptr;
  if (program) images_ = std::make_unique<runtime::PrivateImages>(local.size());
  exchanges_ = std::make_unique<ExchangeTable>(*this, exchange_lp(engine_->host()));
  engine_->add(*exchanges_);
  ranks_.reserve(local.size());
  constexpr std::size_t distance = (sizeof(Rank) + alignof(Rank) - 1) / alignof(Rank) * alignof(Rank);
  rank_memory_.emplace(std::max<std::size_t>(1, local.size()) * distance);
  for (std::size_t i = 0; i < local.size(); ++i) {
    const std::uintptr_t base = program ? images_->initialise(i) : 0;
    void* place = rank_memory_->data() + i * distance;
    ranks_.emplace_back(new (place) Rank(*this, local[i], stacks_->stack(i), base));
    engine_->add(*ranks_.back());
  }
  if (options_.extension) added_lps_ = options_.extension->make_lps(*engine_);
  for (const auto& lp : added_lps_) engine_->add(*lp);
}

kernel::EventKey World::outside_key() {
  return exchanges_->outside_key();
}

bool World::added_lps_busy() const {
  return std::any_of(added_lps_.begin(), added_lps_.end(),
                     [](const auto& lp) { return !lp->horizon().action.is_infinite(); });
}

// Only LPs whose ids do not depend on the number of host processes.
void World::prepare_order() {
  if (options_.order_file.empty()) return;
  if (options_.protocol == "ideal") {
    order_ = kernel::ArrivalOrder::load(options_.order_file);
    return;
  }
  recorder_ = std::make_unique<kernel::ArrivalRecorder>(first_exchange_lp_);
  engine_->observe_arrivals(recorder_.get());
}

// The order of a run that a rank ended depends on how far the others were ahead: none is saved.
void World::collect_order(kernel::Outcome outcome, RunResult& result) {
  if (!recorder_ || outcome == kernel::Outcome::stopped) return;
  recorder_->order().sort();
  kernel::ArrivalOrder all(first_exchange_lp_);
  for (const auto& part : engine_->gather(recorder_->order().pack())) all.merge(part);
  if (engine_->host() == 0) save(all, options_.order_file, result);
}

void World::prepare_profile() {
  if (options_.profile_file.empty() || placement_->profile()) return;
  load_recorder_ =
      std::make_unique<kernel::LoadRecorder>(static_cast<std::uint64_t>(options_.ranks), first_exchange_lp_);
  engine_->record_load(load_recorder_.get());
}

void World::collect_profile(RunResult& result) {
  const bool several = engine_->hosts() > 1;
  if (const auto& profile = placement_->profile(); profile && several && engine_->host() == 0)
    result.placement = placement_->quality(*profile);
  if (!load_recorder_) return;
  engine_->record_load(nullptr);
  kernel::LoadProfile all;
  for (const auto& part : engine_->gather(load_recorder_->profile().pack()))
    all.add(kernel::LoadProfile::unpack(part));
  if (engine_->host() != 0) return;
  save(all, options_.profile_file, result);
  if (several) result.placement = placement_->quality(all);
}

bool World::needs_synchronisation(kernel::LogicalProcess& lp) {
  const SimTime time = kernel::max(kernel::Engine::question_of(lp), lp.now());
  if (auto* rank = dynamic_cast<Rank*>(&lp)) {
    if (rank->only_ends()) return false;
    const Rank::Blocked blocked = rank->describe_blocked();
    record_ending(
        {time, rank->world_rank(), End::refused, refused_status,
         fmt::format("rank {} at {}: {} at {} ({}) needs synchronisation: which message comes first depends "
                     "on other ranks. --protocol none simulates deterministic programs only; use another\n",
                     rank->world_rank(), kernel::to_string(time), blocked.call, blocked.site,
                     blocked.detail.empty() ? "it asks for the present" : blocked.detail)});
  } else {
    record_ending(
        {time, options_.ranks, End::refused, refused_status,
         fmt::format("at {}: the file system, shared file pointers, files in atomic mode, and names of files "
                     "that are created or deleted serve requests in the order of time, which needs "
                     "synchronisation; use another "
                     "protocol than none (for the file system alone also --set io.model=disk)\n",
                     kernel::to_string(time))});
  }
  return true;
}

RunResult World::run() {
  world_of_thread = this;
  kernel::place_of_overflows(place_of_overflow);
  runtime::set_own_phase("making the ranks");
  make_ranks();
  if (engine_->hosts() == 1) {
    engine_->on_safe_time([this](SimTime time) {
      if (!output_->holds_any()) return;
      output_->write_before(
          kernel::min(time - send_delays_.longest(), ending_expected_ + SimTime::picoseconds(1)));
    });
  }
  const auto begin = std::chrono::steady_clock::now();
  prepare_order();
  prepare_profile();
  const auto protocol =
      kernel::make_protocol(options_.protocol, engine_->hosts(), {options_.quantum, &order_});
  engine_->on_undetermined([this](kernel::LogicalProcess& lp) { return !needs_synchronisation(lp); });
  runtime::set_own_phase("simulating");
  const kernel::Outcome outcome = engine_->run(*protocol);
  runtime::use_own_locale();
  runtime::set_own_phase("collecting results");
  RunResult result;
  result.wall_seconds = wall_seconds_ =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.exact = engine_->options().exact;
  result.lookahead = engine_->options().lookahead;
  compose(result, outcome);
  collect_order(outcome, result);
  collect_profile(result);
  world_of_thread = nullptr;
  return result;
}

void World::record_ending(Ending ending) {
  if (!ending_ || ending.time < ending_->time ||
      (ending.time == ending_->time && ending.rank < ending_->rank)) {
    ending_ = std::move(ending);
  }
}

void World::output(SimTime time, int rank, std::uint64_t sequence, int fd, std::string_view text) {
  output_->add({time, rank, sequence, fd, std::string(text)});
}

// A rank prints nothing before its present, so what lies before all presents is in its final order; so is
// what lies before all that ranks may still do, if many wait that are far behind.
SimTime World::output_settled() const {
  SimTime earliest = SimTime::infinity();
  for (const auto& live : ranks_) {
    if (live->state() != kernel::ProcessLp::State::terminated) earliest = kernel::min(earliest, live->now());
  }
  const SimTime ahead = send_delays_.longest() + engine_->options().lookahead;
  const SimTime safe = engine_->safe_time();
  if (engine_->options().exact && safe > ahead) earliest = kernel::max(earliest, safe - ahead);
  return kernel::min(earliest, ending_expected_ + SimTime::picoseconds(1));
}

void World::flush_all_output() {
  output_->write_own();
}

void World::add_warning(const std::string& text) {
  warnings_.insert(text);
}

void World::add_warning(int rank, const std::string& before, const std::string& after) {
  RankWarning& warning = rank_warnings_[{before, after}];
  if (warning.warned.insert(rank).second) warning.ranks += 1;
  warning.first = std::min(warning.first, rank);
}

void World::Ending::put_into(kernel::PacketWriter& out) const {
  out.put(time);
  out.put(rank);
  out.put(end);
  out.put(exit_code);
  out.put_text(report);
}

World::Ending World::Ending::from(kernel::PacketReader& in) {
  Ending ending;
  ending.time = in.get<SimTime>();
  ending.rank = in.get<int>();
  ending.end = in.get<End>();
  ending.exit_code = in.get<int>();
  ending.report = in.get_text();
  return ending;
}

// The earliest of what host processes know, at all of them: what ranks did later does not count.
void World::agree_on_ending() {
  const auto pack = [this] {
    kernel::PacketWriter out;
    if (ending_) ending_->put_into(out);
    return std::move(out.buffer());
  };
  const auto take = [this](const std::vector<std::byte>& packed) {
    kernel::PacketReader in(packed);
    if (!in.empty()) record_ending(Ending::from(in));
  };
  for (const auto& packed : engine_->gather(pack())) take(packed);
  take(engine_->distribute(pack()));
}

// How far ranks ran ahead of the end is not predicted: what they did is counted only if they ended before.
const RankResult& World::final_result(Rank& rank, RankResult& cut) const {
  const RankResult& result = rank.result();
  if (!ending_ || (result.ended && result.finish <= ending_->time)) return result;
  cut = {};
  cut.finish = ending_->time;
  return cut;
}

std::vector<std::byte> World::pack_host_result(bool each_rank, const std::optional<RankTotals>& known) const {
  kernel::PacketWriter out;
  if (each_rank)  // grows no copy of itself
    out.buffer().reserve(ranks_.size() * (sizeof(int) + sizeof(RankResult)) + 4096);
  out.put(engine_->statistics());
  out.put(record_.missing());
  out.put(each_rank ? static_cast<std::uint64_t>(ranks_.size()) : 0);
  RankTotals totals;
  if (known && !each_rank) {
    totals = *known;
  } else {
    RankResult cut;
    for (const auto& rank : ranks_) {
      const RankResult& result = final_result(*rank, cut);
      totals.add(result, rank->world_rank());
      if (!each_rank) continue;
      out.put(rank->world_rank());
      out.put(result);
    }
  }
  out.put(totals);
  out.put(static_cast<std::uint64_t>(warnings_.size()));
  for (const std::string& warning : warnings_) out.put_text(warning);
  out.put(static_cast<std::uint64_t>(rank_warnings_.size()));
  for (const auto& [texts, warning] : rank_warnings_) {
    out.put_text(texts.first);
    out.put_text(texts.second);
    out.put(warning.ranks);
    out.put(warning.first);
  }
  out.put(wall_seconds_);
  std::vector<std::byte> record;
  const bool recording = options_.compute == ComputeMode::measured && !options_.record_file.empty();
  if (recording) record = record_.pack();
  out.put(static_cast<std::uint64_t>(record.size()));
  out.append(record.data(), record.size());
  return std::move(out.buffer());
}

void World::unpack_host_result(kernel::PacketReader& in, bool own, RunResult& result) {
  HostResult host;
  const auto statistics = host.statistics = in.get<kernel::EngineStatistics>();
  result.statistics.events += statistics.events;
  result.statistics.resumes += statistics.resumes;
  result.statistics.remote_events += statistics.remote_events;
  result.statistics.rounds += statistics.rounds;
  result.statistics.conditional_rounds += statistics.conditional_rounds;
  result.statistics.null_messages += statistics.null_messages;
  result.statistics.blocked_seconds += statistics.blocked_seconds;
  result.measured_missing += in.get<std::uint64_t>();
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
    const auto rank = in.get<int>();
    result.ranks.at(static_cast<std::size_t>(rank)) = in.get<RankResult>();
  }
  host.totals = in.get<RankTotals>();
  result.totals.add(host.totals);
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
    warnings_.insert(in.get_text());
  }
  for (auto left = in.get<std::uint64_t>(); left > 0; --left) {
    std::string before = in.get_text();
    std::string after = in.get_text();
    const auto ranks = in.get<int>();
    const auto first = in.get<int>();
    if (own) continue;
    RankWarning& warning = rank_warnings_[{std::move(before), std::move(after)}];
    warning.ranks += ranks;
    warning.first = std::min(warning.first, first);
  }
  host.wall_seconds = in.get<double>();
  result.hosts.push_back(host);
  const auto record_size = in.get<std::uint64_t>();
  const auto record = in.take(record_size);
  if (!own && !record.empty()) record_.merge({record.begin(), record.end()});
}

void World::list_warnings(RunResult& result) {
  constexpr std::size_t most = 40;
  for (const auto& [texts, warning] : rank_warnings_) {
    warnings_.insert(texts.first +
                     (warning.ranks == 1
                          ? fmt::format("rank {}", warning.first)
                          : fmt::format("{} ranks (rank {} and others)", warning.ranks, warning.first)) +
                     texts.second);
  }
  for (const std::string& warning : warnings_) {
    if (result.warnings.size() == most) {
      result.warnings.push_back(fmt::format("and {} more warnings", warnings_.size() - most));
      break;
    }
    result.warnings.push_back(warning);
  }
}

void World::compose(RunResult& result, kernel::Outcome outcome) {
  // Each rank is fetched into the caches once: its result counts as it is unless there is an ending.
  std::optional<RankTotals> totals(std::in_place);
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const auto& rank = ranks_[i];
    if (i + fetched_ahead < ranks_.size())
      kernel::prefetch_lines(ranks_[i + fetched_ahead].get(), sizeof(Rank));
    if (outcome == kernel::Outcome::finished) rank->report_leftovers();
    if (outcome == kernel::Outcome::stopped) rank->record_pending_ending();
    totals->add(rank->result(), rank->world_rank());
  }
  agree_on_ending();
  if (ending_) totals.reset();
  const bool each_rank = static_cast<std::uint64_t>(options_.ranks) <= options_.most_results ||
                         outcome == kernel::Outcome::deadlock;
  const auto hosts = engine_->gather(pack_host_result(each_rank, totals));
  std::vector<std::vector<std::byte>> blocked;
  if (outcome == kernel::Outcome::deadlock) blocked = engine_->gather(pack_blocked_ranks(*this));
  if (outcome == kernel::Outcome::finished && options_.extension)
    result.extension = engine_->gather(options_.extension->pack_results());
  if (engine_->host() != 0) {
    output_->finish(SimTime::infinity());
    result.end = outcome == kernel::Outcome::finished ? End::finished : End::abort;
    return;
  }
  if (each_rank) result.ranks.resize(static_cast<std::size_t>(options_.ranks));
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    kernel::PacketReader in(hosts[host]);
    unpack_host_result(in, host == 0, result);
  }
  result.statistics.rounds /= hosts.size();
  result.statistics.conditional_rounds /= hosts.size();
  result.statistics.blocked_seconds /= static_cast<double>(hosts.size());
  if (options_.compute == ComputeMode::measured && !options_.record_file.empty())
    save(record_, options_.record_file, result);
  list_warnings(result);
  // What ranks printed at later times has not happened.
  output_->finish(ending_ ? ending_->time + SimTime::picoseconds(1) : SimTime::infinity());

  result.predicted = result.totals.finish;
  result.exit_code = result.totals.failed_status & 0xff;
  if (ending_) {
    result.end = ending_->end;
    result.exit_code = ending_->exit_code;
    result.report = ending_->report;
    result.extension.clear();
    // Ranks that ran ahead may have ended later, in a future that does not come.
    result.predicted =
        outcome == kernel::Outcome::finished ? kernel::max(result.predicted, ending_->time) : ending_->time;
  } else if (outcome == kernel::Outcome::deadlock) {
    result.end = End::deadlock;
    result.exit_code = 3;
    result.report = compose_deadlock_report(blocked, result.ranks);
  }
}

}  // namespace mpisim::mpi
