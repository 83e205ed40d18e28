#pragma once
// A world: all ranks of one simulated program on this host process, and what they share.
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mpisim/communicator.hpp"
#include "mpisim/compute_clock.hpp"
#include "mpisim/config.hpp"
#include "mpisim/livelock.hpp"
#include "mpisim/output_merge.hpp"
#include "mpisim/placement.hpp"
#include "mpisim/pool.hpp"
#include "mpisim/rank_result.hpp"
#include "network_models/network_model.hpp"
#include "runtime/private_images.hpp"
#include "runtime/rank_environment.hpp"
#include "runtime/target_abi.h"
#include "simkernel/arrival_order.hpp"
#include "simkernel/engine.hpp"

namespace mpisim::mpi {

class Rank;
class ExchangeTable;

struct WorldOptions;

/// What a layer above MPI-SIM keeps for all ranks of a host process; MPI-SIM only holds it. The layer may add
/// LPs of its own to the ranks' (those of a file system).
class WorldExtension {
 public:
  virtual ~WorldExtension() = default;
  /// Whether ranks of one node must be on one host process.
  virtual bool keeps_nodes_together() const { return false; }
  /// Least time that a rank's message to one of them takes; infinite if they are as far from a rank as other
  /// ranks are, so that its messages to them take mpi.send_overhead and the network's least latency at least.
  virtual kernel::SimTime least_delay() const { return kernel::SimTime::infinity(); }
  /// The host process of each of them; their ids begin with `first`. Called with the host process of each
  /// rank, perhaps several times with different ones.
  virtual std::vector<std::uint16_t> place_lps(const WorldOptions& /*options*/, kernel::LpId /*first*/,
                                               const std::vector<std::uint16_t>& /*host_of_rank*/,
                                               int /*hosts*/) {
    return {};
  }
  /// For each of them, an LP with a lower id whose host process it must share, because they send each other
  /// events with less delay than others may have; itself if there is none.
  virtual std::vector<kernel::LpId> companions(const WorldOptions& /*options*/, kernel::LpId /*first*/) {
    return {};
  }
  /// Whether the program's own POSIX and stdio files cost time.
  virtual bool charges_files() const { return false; }
  /// Charges the current rank for what its program did to one; may block it.
  virtual void charge_file_use(const runtime::FileUse& /*use*/) {}
  /// The program is about to look at a file: what is kept back of real files is given to them.
  virtual void settle_files() {}
  /// Makes those of the engine's host process; they end with the world.
  virtual std::vector<std::unique_ptr<kernel::LogicalProcess>> make_lps(kernel::Engine& /*engine*/) {
    return {};
  }
  /// What those of this host process have counted in a run that is over, for RunResult::extension; they are
  /// still there.
  virtual std::vector<std::byte> pack_results() const { return {}; }
};

/// What that layer keeps for one rank.
class RankExtension {
 public:
  virtual ~RankExtension() = default;
  /// What the program has not freed, as RankHandles::leaks() says it; empty if nothing.
  virtual std::string leaks() const = 0;
  /// An event has come from an LP of the layer above. True: it belonged to something that goes on in the
  /// background, and has been taken over; false: it is the answer that the rank waits for (Rank::ask). Called
  /// when the event is physically here, whatever the rank's clock is: what happens then depends on the event
  /// alone.
  virtual bool take(kernel::Event* /*event*/) { return false; }
  /// Which strand's question (Rank::ask) an event answers that take() has not taken; 0: the program's. Where
  /// questions come from is Rank::strand_number().
  virtual std::uint32_t asker(const kernel::Event& /*event*/) const { return 0; }
};

struct WorldOptions {
  int ranks = 1;
  const network::NetworkModel* network = nullptr;
  std::function<network::NodeId(int)> node_of;  ///< of a world rank; null: node = rank
  network::NodeId node(int rank) const {
    return node_of ? node_of(rank) : static_cast<network::NodeId>(rank);
  }
  std::function<std::string(network::NodeId)> node_name;
  Config config;
  CostTable costs;
  ComputeMode compute = ComputeMode::counted;
  /// measured: simulated picoseconds per nanosecond of host CPU time (1000 = as fast as the host).
  double measured_scale = 1000.0;
  std::string record_file;  ///< recorded: read from; else, if not empty, measured durations are written to it
  bool deterministic = true;
  bool cancels =
      true;  ///< the program may call MPI_Cancel (false: named receives decide without asking the kernel)
  bool promises = true;  ///< the program may call MPIX_Mpisim_deterministic (false: nothing is kept for that)
  std::size_t stack_size = std::size_t{8} << 20;
  /// Polls in vain, one behind the other, of a loop that may end by itself, until it is taken for endless.
  std::uint64_t livelock_polls = std::uint64_t{1} << 20;
  /// Payload that a host process keeps for receivers which have not come to it yet, from which on senders let
  /// others run before they go on.
  std::uint64_t kept_bytes = std::uint64_t{256} << 20;
  std::string partition = "block";          ///< block | round-robin | graph
  std::vector<std::uint16_t> host_of_rank;  ///< instead of `partition`; empty: none
  /// Cost of each LP and traffic: read by the partition graph, written with the others; empty: none.
  std::string profile_file;
  kernel::MetisPartitioner metis;      ///< of the partition graph with several host processes
  std::vector<std::string> arguments;  ///< argv of every rank
  char** environment = nullptr;
  mpisim_user_main_function user_main = nullptr;  ///< the target's main
  /// Instead of user_main: the ranks' program as a function of this process (tests). Takes the rank's number.
  std::function<int(int)> body;
  OutputSink* output = nullptr;
  kernel::Transport* transport = nullptr;  ///< null: one host process
  std::string protocol = "sequential";     ///< see kernel::make_protocol
  kernel::SimTime quantum;                 ///< of the protocol quantum; zero: the largest exact one
  /// Arrivals of all LPs: read by the protocol ideal, written by the others; empty: none.
  std::string order_file;
  double wall_seconds_between_flushes = 0.2;  ///< of output that is in its final order; 0: at once
  /// Output that a host process keeps in memory until its order is known; what is more goes to a temporary
  /// file.
  std::uint64_t output_bytes = std::uint64_t{64} << 20;
  /// Ranks up to which a result tells of each (and always when they deadlock); else of all together only.
  std::uint64_t most_results = std::numeric_limits<std::uint64_t>::max();
  std::shared_ptr<WorldExtension> extension;  ///< of this host process; may be null
};

enum class End : std::uint8_t { finished, abort, deadlock, livelock, misuse, refused };

/// What one host process did.
struct HostResult {
  kernel::EngineStatistics statistics;
  double wall_seconds = 0;  ///< from its first event to its last
  RankTotals totals;        ///< of its ranks
};

struct RunResult {
  End end = End::finished;
  int exit_code = 0;
  std::string report;  ///< deadlock or misuse, ready to print; empty otherwise
  std::vector<std::string> warnings;
  kernel::SimTime predicted;      ///< latest end of a rank
  std::vector<RankResult> ranks;  ///< in their order; empty with more than WorldOptions::most_results
  RankTotals totals;
  kernel::EngineStatistics statistics;        ///< sums over hosts; rounds and blocked_seconds are means
  std::vector<HostResult> hosts;              ///< in host order
  std::optional<PlacementQuality> placement;  ///< where a profile tells it
  /// WorldExtension::pack_results() of each host process; empty unless every rank ended by itself.
  std::vector<std::vector<std::byte>> extension;
  std::uint64_t measured_missing = 0;  ///< recorded: visits without a record
  double wall_seconds = 0;             ///< first event to last
  bool exact = true;                   ///< false: the protocol may have let ranks go on too early
  kernel::SimTime lookahead;           ///< least latency between two ranks
};

class World {
 public:
  explicit World(WorldOptions options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Runs the program. The result is complete on host 0; other hosts get end and exit_code only.
  RunResult run();

  const WorldOptions& options() const { return options_; }
  kernel::Engine& engine() { return *engine_; }
  const network::NetworkModel& network() const { return *options_.network; }
  ExchangeTable& exchanges() { return *exchanges_; }
  ComputeRecord& record() { return record_; }
  /// Null until it is set, in the options or by the layer above when it is first used.
  std::shared_ptr<WorldExtension>& extension() { return options_.extension; }
  network::NodeId node_of(int rank) const {
    return nodes_.empty() ? static_cast<network::NodeId>(rank) : nodes_[static_cast<std::size_t>(rank)];
  }
  /// What passes at least between the instant at which a rank goes on and its next message, answers excepted:
  /// the windows in which host processes need not hear of each other are longer by it.
  struct SendDelays {
    kernel::SimTime send;     ///< before a send
    kernel::SimTime receive;  ///< besides, if the rank waits for nothing but a receive
    kernel::SimTime longest() const { return send + receive; }
  };
  const SendDelays& send_delays() const { return send_delays_; }
  /// Kernel id of the LP that takes exchange events on a host: behind those whose ids must not depend on the
  /// number of hosts.
  kernel::LpId exchange_lp(int host) const { return first_exchange_lp_ + static_cast<kernel::LpId>(host); }

  /// What ended the run before its natural end; the one with the smallest (time, rank) counts.
  struct Ending {
    kernel::SimTime time;
    int rank = 0;
    End end = End::abort;
    int exit_code = 0;
    std::string report;

    void put_into(kernel::PacketWriter& out) const;
    static Ending from(kernel::PacketReader& in);
  };
  void record_ending(Ending ending);
  /// A rank is about to end the run at `time`: what is printed later may never have been.
  void expect_ending(kernel::SimTime time) { ending_expected_ = kernel::min(ending_expected_, time); }

  void output(kernel::SimTime time, int rank, std::uint64_t sequence, int fd, std::string_view text);
  /// Writes what was printed so far, for reports that cannot wait for the end (crashes).
  void flush_all_output();
  void add_warning(const std::string& text);
  /// A warning that names a rank between `before` and `after`; one for all ranks with the same texts.
  void add_warning(int rank, const std::string& before, const std::string& after);
  LivelockWatch& livelock() { return livelock_; }
  kernel::EventKey outside_key();
  /// Stacks of strands, which are used again.
  std::unique_ptr<kernel::StackArena> take_strand_stack();
  void give_strand_stack(std::unique_ptr<kernel::StackArena> stack);
  /// LPs of the layer above have something to do by themselves.
  bool added_lps_busy() const;

  const std::shared_ptr<const CommunicatorShared>& world_communicator() const { return world_communicator_; }
  std::size_t local_ranks() const { return ranks_.size(); }
  Rank* local_rank(std::size_t index) { return ranks_[index].get(); }

 private:
  void place_lps();
  void make_ranks();
  kernel::SimTime output_settled() const;
  void agree_on_ending();
  /// A rank's result; in `cut`, if the run ended before the rank did.
  const RankResult& final_result(Rank& rank, RankResult& cut) const;
  /// `known`: the totals of this host process's ranks, if there was no ending.
  std::vector<std::byte> pack_host_result(bool each_rank, const std::optional<RankTotals>& known) const;
  void unpack_host_result(kernel::PacketReader& in, bool own, RunResult& result);
  void list_warnings(RunResult& result);
  void prepare_order();
  void collect_order(kernel::Outcome outcome, RunResult& result);
  void prepare_profile();
  void collect_profile(RunResult& result);
  bool needs_synchronisation(kernel::LogicalProcess& lp);
  void compose(RunResult& result, kernel::Outcome outcome);

  WorldOptions options_;
  std::vector<network::NodeId> nodes_;  ///< by rank; empty: each rank has the node of its number
  std::unique_ptr<kernel::Engine> engine_;
  std::unique_ptr<OutputMerge> output_;
  std::unique_ptr<kernel::StackArena> stacks_;
  std::vector<std::unique_ptr<kernel::StackArena>> strand_stacks_;
  std::unique_ptr<runtime::PrivateImages> images_;
  SendDelays send_delays_;
  kernel::LpId first_exchange_lp_ = 0;
  std::unique_ptr<ExchangeTable> exchanges_;
  LivelockWatch livelock_;
  std::vector<std::unique_ptr<kernel::LogicalProcess>> added_lps_;
  std::shared_ptr<const CommunicatorShared> world_communicator_;
  struct EndRank {
    void operator()(Rank* rank) const;  ///< leaves the memory to rank_memory_
  };
  std::optional<LargeMemory> rank_memory_;
  std::vector<std::unique_ptr<Rank, EndRank>> ranks_;
  std::optional<Ending> ending_;
  kernel::SimTime ending_expected_ = kernel::SimTime::infinity();
  std::set<std::string> warnings_;
  /// Of all ranks that a warning is about; `warned` has those of this host process.
  struct RankWarning {
    std::set<int> warned;
    int ranks = 0;
    int first = std::numeric_limits<int>::max();
  };
  /// By the texts before and after the ranks.
  std::map<std::pair<std::string, std::string>, RankWarning> rank_warnings_;
  ComputeRecord record_;
  kernel::ArrivalOrder order_;
  std::unique_ptr<kernel::ArrivalRecorder> recorder_;
  double wall_seconds_ = 0;
  std::unique_ptr<LpPlacement> placement_;
  std::unique_ptr<kernel::LoadRecorder> load_recorder_;
};

/// The world whose ranks run on this thread; null outside of run().
World* current_world();

}  // namespace mpisim::mpi
