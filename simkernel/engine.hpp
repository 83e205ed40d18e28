#pragma once
// The engine: one per host process. Owns nothing of the model; runs ready processes and lets the protocol
// decide when the rest may advance.
#include <atomic>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simkernel/arrival_order.hpp"
#include "simkernel/causality.hpp"
#include "simkernel/horizon_heap.hpp"
#include "simkernel/load_profile.hpp"
#include "simkernel/logical_process.hpp"
#include "simkernel/process_lp.hpp"
#include "simkernel/ready_queue.hpp"
#include "simkernel/transport.hpp"

namespace mpisim::kernel {

class Protocol;

struct EngineOptions {
  /// Lower bound on (receive time - send time) between any two LPs; >= 1 ps.
  SimTime lookahead = SimTime::picoseconds(1);
  /// The same between LPs of one host process, where it may be less (a rank and its file system's client); at
  /// most lookahead, which is also the default. See also LogicalProcess::immediate().
  SimTime local_lookahead = SimTime::infinity();
  bool deterministic = true;  ///< may LPs use call-wise determinism (design, section 3)
  std::size_t stack_size = std::size_t{8} << 20;
  /// The protocol may let LPs decide too early: an event may come before the present of its destination.
  /// Events of other hosts wait for release_staged() then, so that results depend at least on nothing else.
  bool exact = true;
};

/// What a run cost the host, per host process.
struct EngineStatistics {
  std::uint64_t events = 0;              ///< delivered to LPs of this host
  std::uint64_t resumes = 0;             ///< fiber switches into a process
  std::uint64_t remote_events = 0;       ///< sent to another host
  std::uint64_t rounds = 0;              ///< of the protocol, all kinds
  std::uint64_t conditional_rounds = 0;  ///< of those, global minima: all host processes were idle
  std::uint64_t null_messages = 0;       ///< promises and requests for them that this host process sent
  double blocked_seconds = 0;            ///< host time spent waiting for other hosts
};

enum class Outcome : std::uint8_t {
  finished,  ///< every process ended
  deadlock,  ///< live processes, nothing that could wake one
  stopped,   ///< a process called stop()
};

class Engine {
 public:
  Engine(EngineOptions options, Transport* transport);
  ~Engine();

  const EngineOptions& options() const { return options_; }
  int host() const { return transport_ ? transport_->host() : 0; }
  int hosts() const { return transport_ ? transport_->hosts() : 1; }
  Transport* transport() const { return transport_; }

  /// Declares LP ids 0 .. count-1 and the host of each; call before add().
  void place(std::vector<std::uint16_t> host_of_lp);
  bool is_local(LpId id) const { return lps_[id] != nullptr; }
  int host_of(LpId id) const { return host_of_.empty() ? 0 : host_of_[id]; }
  /// Makes an LP of this host known; it must outlive the engine's run.
  void add(LogicalProcess& lp);
  /// The same. The process is ready to start; what it may decide is asked when it first blocks.
  void add(ProcessLp& process);
  void register_codec(std::uint16_t kind, std::unique_ptr<EventCodec> codec);

  /// Hands an event to its destination, here or on another host. key, destination and kind are filled in;
  /// key.time must be at least lookahead after what the sender promised (debug builds throw CausalityError,
  /// see causality.hpp).
  void send(Event* event) {
    if (causality_checked) check_promises(event);
    if (load_ != nullptr) [[unlikely]]
      record_sent(*event);
    LogicalProcess* target = lps_[event->destination];
    if (target != nullptr) [[likely]] {
      hand_over(*target, event);
    } else {
      send_away(event);
    }
  }

  /// Frees an event that will not be delivered, with the codec of its kind.
  void discard(Event* event) const;

  /// Runs until the simulation ends everywhere; the same outcome on every host. An exception that leaves a
  /// process or a handler comes out here, on its host only: the other hosts must be ended by the caller
  /// (Transport::abort).
  Outcome run(Protocol& protocol);

  /// Ends the run on all hosts: called by a process (MPI_Abort) once its instant is safe, or for errors at
  /// once.
  void stop();

  const EngineStatistics& statistics() const { return statistics_; }
  EngineStatistics& statistics() { return statistics_; }
  std::uint64_t live_processes() const { return live_; }

  /// Lower bound on the time at which anything can still be sent (see Horizon::action); set by the protocol
  /// (for output that must be merged in time order). Monotone.
  SimTime safe_time() const { return safe_time_; }
  /// Called whenever safe_time() has grown.
  void on_safe_time(std::function<void(SimTime)> callback) { on_safe_time_ = std::move(callback); }

  /// Told of every event that an LP of this host gets; null: nobody.
  void observe_arrivals(ArrivalObserver* observer) { observer_ = observer; }
  /// Told whose code runs and what is sent; null: nobody.
  void record_load(LoadRecorder* recorder) { load_ = recorder; }
  /// Asked under protocol `none` about the LP that would need synchronisation: true lets it go on, or it has
  /// seen to the end of the run.
  void on_undetermined(std::function<bool(LogicalProcess&)> callback) {
    on_undetermined_ = std::move(callback);
  }

  /// After run(): host 0 gets the blob of every host, in host order; the others get an empty vector. May be
  /// called several times, equally often on every host.
  std::vector<std::vector<std::byte>> gather(std::vector<std::byte> blob);

  /// After run(): the blob of host 0, on every host; those of the others are ignored. Like gather(), equally
  /// often and in the same order on every host.
  std::vector<std::byte> distribute(std::vector<std::byte> blob);

  /// Sends a packet outside of the simulation to another host process, which gets it in its on_aside()
  /// callback; packets between two hosts keep their order, with events and those of gather(), too. Not
  /// counted anywhere, and without meaning to the protocol.
  void send_aside(int host, const PacketWriter& packet);
  void on_aside(std::function<void(int source, PacketReader&)> callback) { on_aside_ = std::move(callback); }
  /// Called between two events of this host process, soon after ask_attention().
  void on_attention(std::function<void()> callback) { on_attention_ = std::move(callback); }
  /// May be called by a handler of a signal and by other threads.
  void ask_attention() noexcept { attention_.store(true, std::memory_order_relaxed); }
  /// Called whenever this host process looks for what others have sent.
  void on_poll(std::function<void()> callback) { on_poll_ = std::move(callback); }

  // For protocols:
  /// Runs ready processes until none is left and everything delivered is absorbed. Returns false if stopped.
  /// What they send to other hosts leaves from time to time meanwhile, so that those have work, too.
  bool run_ready();
  /// Smallest horizon of this host (after run_ready()).
  SimTime earliest_action();
  /// Smallest instant that an LP of this host has to be sure about (after run_ready()).
  SimTime earliest_question();
  /// Nothing with an earlier receive time can still come from LPs of this host (after run_ready()).
  SimTime local_bound();
  /// Lets every LP whose question is below `eit` decide; returns whether any did.
  bool advance_below(SimTime eit);
  /// If one LP alone has anything to decide, lets it decide all that nobody else can have a part in; returns
  /// whether there was one. Where one action leads to the next it saves the order of all LPs that
  /// advance_below() keeps. On one host process.
  bool advance_only();
  /// Blocked processes may do that on their own stacks from now on, and go on there when it has made them
  /// ready: no switch to the engine and back. For protocols that would do nothing else.
  void advance_where_blocked(bool may) { advances_where_blocked_ = may && load_ == nullptr; }
  /// Lets one LP decide what lies below `eit`.
  void advance_one(LogicalProcess& lp, SimTime eit);
  /// The LPs that have something to decide, in no order (after earliest_action()).
  void list_undecided(std::vector<LogicalProcess*>& lps) const;
  /// One of those with the earliest action.
  LogicalProcess& most_urgent() const;
  static SimTime question_of(const LogicalProcess& lp) { return lp.current_.question; }
  /// Nothing with an earlier receive time can still come from the LP itself, if it decides now.
  SimTime own_bound(const LogicalProcess& lp) const;
  bool ask_undetermined(LogicalProcess& lp) { return !on_undetermined_ || on_undetermined_(lp); }
  /// Smallest receive time of events that wait for release_staged(), which hands them over in key order.
  SimTime earliest_staged() const;
  void release_staged();
  /// Takes in what other hosts have sent; returns whether anything came.
  bool poll_transport(const std::function<void(int source, PacketReader&)>& control);
  void flush();
  void set_safe_time(SimTime time);
  bool stopped() const { return stopped_; }
  const std::vector<std::uint64_t>& sent_to() const { return sent_to_; }
  const std::vector<std::uint64_t>& received_from() const { return received_from_; }
  /// How many events have been sent to and received from other hosts, all together.
  std::uint64_t exchanged() const { return statistics_.remote_events + received_; }
  /// Whether a process of this host waits for something outside of the simulation (ProcessLp::wait_outside).
  bool waits_outside() const { return !outside_.empty(); }
  /// How often such processes have gone on to look again, all together.
  std::uint64_t looks_outside() const { return looks_outside_; }
  /// Sends a protocol packet, behind all events sent to that host before.
  void send_control(int host, const PacketWriter& packet);

 private:
  friend class LogicalProcess;
  friend class ProcessLp;

  void mark_dirty(LogicalProcess& lp);
  void resume(ProcessLp& process);
  void attend() {
    if (attention_.load(std::memory_order_relaxed)) [[unlikely]]
      give_attention();
  }
  void give_attention();
  bool goes_on_here(ProcessLp& process);
  void refresh_horizons();
  void refresh_horizon(LogicalProcess& lp);
  void hand_over(LogicalProcess& target, Event* event) {
    ++statistics_.events;
    if (observer_ != nullptr) [[unlikely]]
      observe(event);
    if (causality_checked) target.promise_ = min(target.promise_, event->key.time);
    const LoadScope load(load_, target.id());
    target.deliver(event);
  }
  void observe(Event* event);
  void send_away(Event* event);
  void record_sent(const Event& event);
  void check_promises(Event* event) const;
  void send_gathered(int host, const std::vector<std::byte>& blob);
  std::vector<std::byte> take_gathered(int host);
  void send_framed(int host, std::uint8_t kind, const PacketWriter& packet);
  void deliver_packet(const Packet& packet, const std::function<void(int, PacketReader&)>& control);

  EngineOptions options_;
  Transport* transport_;
  std::vector<std::uint16_t> host_of_;
  std::vector<LogicalProcess*> lps_;
  std::vector<std::unique_ptr<EventCodec>> codecs_;
  ReadyQueue ready_;
  std::vector<ProcessLp*> outside_;  // look again when run_ready() begins
  std::uint64_t looks_outside_ = 0;
  std::vector<LogicalProcess*> dirty_;
  HorizonHeap horizons_;
  HorizonHeap immediate_horizons_;  // of immediate LPs
  std::uint64_t live_ = 0;
  bool stopped_ = false;
  std::atomic<bool> attention_ = false;
  std::function<void()> on_attention_;
  bool advances_where_blocked_ = false;
  std::exception_ptr failure_;  // left the process that ran last
  SimTime safe_time_ = SimTime::zero();
  std::function<void(SimTime)> on_safe_time_;
  EngineStatistics statistics_;
  std::vector<PacketWriter> outgoing_;
  std::vector<std::uint64_t> sent_to_;
  std::vector<std::uint64_t> received_from_;
  std::uint64_t received_ = 0;                                // sum of received_from_
  std::vector<std::deque<std::vector<std::byte>>> gathered_;  // per host, oldest first
  std::vector<LogicalProcess*> batch_;
  ArrivalObserver* observer_ = nullptr;
  LoadRecorder* load_ = nullptr;
  std::function<bool(LogicalProcess&)> on_undetermined_;
  std::function<void(int, PacketReader&)> on_aside_;
  std::function<void()> on_poll_;
  std::vector<Event*> staged_;
};

}  // namespace mpisim::kernel
