#pragma once
// Small models for the kernel's tests: components that bounce events about (PHOLD), and processes that run
// random programs of sends, named receives, receives from anyone and polls. Every LP records the events that
// it handles, so that runs under different protocols, hosts and delivery orders can be compared digit for
// digit.
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "simkernel/component_lp.hpp"
#include "simkernel/engine.hpp"
#include "simkernel/process_lp.hpp"
#include "simkernel/protocols.hpp"

namespace mpisim::kernel::toys {

/// Repeatable on every platform, unlike the standard distributions.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  std::uint64_t below(std::uint64_t bound);

 private:
  std::uint64_t state_;
};

struct NumberEvent : Event {
  std::uint64_t number = 0;
};
inline constexpr std::uint16_t number_kind = 3;

NumberEvent* make_number(std::uint64_t number);
/// Events made and not yet freed, of all threads.
std::int64_t numbers_alive();
void free_number(Event* event);

class NumberCodec final : public EventCodec {
 public:
  void encode(const Event& event, PacketWriter& out) const override;
  Event* decode(PacketReader& in) const override;
  void dispose(Event* event) const override { free_number(event); }
};

/// What an LP handled, and when by its own clock.
struct Record {
  SimTime time;
  EventKey key;
  std::uint64_t number = 0;
  bool operator==(const Record&) const = default;
};
using Trace = std::vector<Record>;

/// PHOLD: every event that arrives before `end` is sent on, to anyone after a random delay; some also to
/// itself after less than the lookahead.
class Phold final : public ComponentLp {
 public:
  Phold(Engine& engine, LpId id, LpId lps, SimTime end, Trace& trace)
      : ComponentLp(engine, id), lps_(lps), end_(end), trace_(trace), random_(id) {}
  /// `count` events for itself, to begin with.
  void start(int count);

 protected:
  void handle(Event* event) override;

 private:
  LpId lps_;
  SimTime end_;
  Trace& trace_;
  Random random_;
};

/// A process with a mailbox, and the calls that programs are made of. All cost `call_cost` of simulated time.
class Actor : public ProcessLp {
 public:
  Actor(Engine& engine, LpId id, Trace& trace) : ProcessLp(engine, id), trace_(trace) {}
  ~Actor() override;

  void deliver(Event* event) override;
  Horizon horizon() const override;
  void advance(SimTime eit) override;

  static constexpr SimTime call_cost = SimTime::picoseconds(1000);

  void compute(SimTime time) { clock_ += time; }
  void send(LpId destination, SimTime delay, std::uint64_t number);
  /// The next event of `source`; needs no protocol.
  std::uint64_t receive_from(LpId source);
  /// The event with the smallest key of all.
  std::uint64_t receive_any();
  /// Whether an event has arrived by now; takes it.
  bool poll();
  /// Returns when nothing can arrive before or at the present any more.
  void wait_until_safe();

 protected:
  enum class Waiting : std::uint8_t { no, named, any, instant };
  struct ByKey {
    bool operator()(const Event* a, const Event* b) const { return a->key < b->key; }
  };

  std::uint64_t take(std::set<Event*, ByKey>::iterator place);
  void wait(Waiting what);
  std::set<Event*, ByKey>::iterator next_of(LpId source);

  Trace& trace_;
  std::set<Event*, ByKey> mailbox_;
  Waiting waiting_ = Waiting::no;
  LpId named_ = 0;
};

/// An actor that runs a function.
class Script final : public Actor {
 public:
  Script(Engine& engine, LpId id, Trace& trace, std::function<void(Script&)> body)
      : Actor(engine, id, trace), body_(std::move(body)) {}

 protected:
  void run() override { body_(*this); }

 private:
  std::function<void(Script&)> body_;
};

/// LPs of one simulation, and how each is made.
struct Program {
  LpId lps = 0;
  SimTime lookahead = SimTime::picoseconds(1);
  std::function<std::unique_ptr<LogicalProcess>(Engine&, LpId, Trace&)> make;
  LpId group = 1;  ///< so many neighbouring LPs are on one host process
  SimTime local_lookahead = SimTime::infinity();
};

Program phold(LpId lps, SimTime lookahead, SimTime end, int events_per_lp = 2);
/// One script for all ranks.
Program scripts(LpId lps, SimTime lookahead, std::function<void(Script&)> body);
/// Random programs; may end in deadlock.
Program random_actors(LpId lps, SimTime lookahead, std::uint64_t seed, int steps);
/// Actors that send to components and are answered by them.
Program mixed(LpId lps, SimTime lookahead, std::uint64_t seed);
/// Groups of four LPs: a client and two actors that ask it within 1.5 ns, and a server, `lookahead` away from
/// the clients of other groups. Clients and servers answer inside their group within 1 ps.
Program clients(LpId groups, SimTime lookahead, std::uint64_t seed);

struct Result {
  Outcome outcome = Outcome::finished;
  std::vector<Trace> traces;    ///< per LP
  EngineStatistics statistics;  ///< of host 0
  bool same(const Result& other) const { return outcome == other.outcome && traces == other.traces; }
};

struct RunOptions {
  int hosts = 1;
  std::uint64_t seed = 1;
  bool round_robin = false;
  ProtocolOptions protocol = {};
  bool exact = true;
  LoadProfile* profile = nullptr;  ///< gets what the LPs cost and send
  /// What transports answer, always, and how many packets host 0 sent; empty: as drawn from the seed.
  struct Habits {
    bool rests_next;
    bool starves;
    int packets = 0;
  };
  Habits* habits = nullptr;
};

/// `record`: filled with the arrivals of the run.
Result run_sequentially(const Program& program, ArrivalOrder* record = nullptr);
Result run_under(std::string_view protocol, const Program& program, const RunOptions& options);
Result run_conditionally(const Program& program, int hosts, std::uint64_t seed, bool round_robin);

}  // namespace mpisim::kernel::toys
