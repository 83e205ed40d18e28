// Conditional events (Chandy and Sherman 1989) over several host processes, without barriers.
//
// A host process works as long as it can: named receives and other deterministic calls need no protocol. When
// it has nothing left to do it reports, to host 0, the earliest action of its LPs and how many events it has
// sent to and received from each host. Host 0 decides once it has a report of every host for which all these
// counts agree in pairs. Then no event is in flight and no host has worked since its report: take the first
// host that became active again; an event woke it, which its sender counted before or after its own report;
// if before, the counts would differ; if after, the sender was active first. So the smallest action A is that
// of the whole simulation, everything below A + lookahead is safe, and if there is none the simulation has
// ended or is deadlocked.
//
// What is safe stays safe: events that LPs send to other hosts from then on lie at or beyond A + lookahead,
// so that a host process goes on below it by itself, like a sequential simulation of its own LPs (a rank that
// polls makes many decisions per round, a file system's client serves its ranks).
#include <chrono>
#include <optional>
#include <utility>

#include "simkernel/engine.hpp"

namespace mpisim::kernel {

namespace {

enum class Word : std::uint8_t { idle, advance, end, stop };

struct Report {
  bool valid = false;
  SimTime action;
  std::uint64_t live = 0;
  std::vector<std::uint64_t> sent;
  std::vector<std::uint64_t> received;
};

class ConditionalProtocol final : public Protocol {
 public:
  std::string_view name() const override { return "conditional"; }

  Outcome run(Engine& engine) override {
    reports_.assign(static_cast<std::size_t>(engine.hosts()), {});
    outcome_.reset();
    reported_ = false;
    patience_ = 0;
    safe_below_ = SimTime::zero();
    const auto control = [this, &engine](int source, PacketReader& in) { on_control(engine, source, in); };
    while (!outcome_) {
      if (!engine.run_ready()) {
        tell_all(engine, Word::stop, SimTime::zero());
        return Outcome::stopped;
      }
      if (engine.earliest_action() < safe_below_) {
        engine.advance_below(min(safe_below_, engine.local_bound()));
        continue;
      }
      engine.flush();
      if (engine.poll_transport(control) || outcome_) {
        reported_ = false;
        // After a round, the next one is all that everybody waits for.
        patience_ = std::exchange(advanced_, false) ? polls_before_report : 0;
        continue;
      }
      const bool impatient = engine.hosts() == 1 || patience_ >= polls_before_report;
      if (!reported_ && impatient) {
        reported_ = true;
        report(engine);
        continue;
      }
      ++patience_;
      wait(engine);
    }
    return *outcome_;
  }

 private:
  // A report that is overtaken by an event is wasted; a little patience saves most of them.
  static constexpr int polls_before_report = 16;

  static void wait(Engine& engine) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    engine.transport()->wait();
    engine.statistics().blocked_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  }

  void report(Engine& engine) {
    Report mine{true, engine.earliest_action(), engine.live_processes(), engine.sent_to(),
                engine.received_from()};
    if (engine.host() == 0) {
      reports_[0] = std::move(mine);
      decide(engine);
      return;
    }
    PacketWriter out;
    out.put(Word::idle);
    out.put(mine.action);
    out.put(mine.live);
    for (const auto count : mine.sent) out.put(count);
    for (const auto count : mine.received) out.put(count);
    engine.send_control(0, out);
  }

  void on_control(Engine& engine, int source, PacketReader& in) {
    switch (in.get<Word>()) {
      case Word::idle: {
        Report& theirs = reports_[static_cast<std::size_t>(source)];
        theirs.valid = true;
        theirs.action = in.get<SimTime>();
        theirs.live = in.get<std::uint64_t>();
        theirs.sent.resize(reports_.size());
        theirs.received.resize(reports_.size());
        for (auto& count : theirs.sent) count = in.get<std::uint64_t>();
        for (auto& count : theirs.received) count = in.get<std::uint64_t>();
        decide(engine);
        return;
      }
      case Word::advance:
        advance(engine, in.get<SimTime>());
        return;
      case Word::end:
        outcome_ = in.get<SimTime>() == SimTime::zero() ? Outcome::finished : Outcome::deadlock;
        return;
      case Word::stop:
        engine.stop();
        outcome_ = Outcome::stopped;
        return;
    }
  }

  bool reports_agree() const {
    for (const Report& report : reports_) {
      if (!report.valid) return false;
    }
    for (std::size_t from = 0; from < reports_.size(); ++from) {
      for (std::size_t to = 0; to < reports_.size(); ++to) {
        if (reports_[from].sent[to] != reports_[to].received[from]) return false;
      }
    }
    return true;
  }

  void decide(Engine& engine) {
    if (!reports_agree()) return;
    SimTime action = SimTime::infinity();
    std::uint64_t live = 0;
    for (Report& report : reports_) {
      action = min(action, report.action);
      live += report.live;
      report.valid = false;
    }
    if (action.is_infinite()) {
      tell_all(engine, Word::end, live == 0 ? SimTime::zero() : SimTime::infinity());
      outcome_ = live == 0 ? Outcome::finished : Outcome::deadlock;
      return;
    }
    tell_all(engine, Word::advance, action);
    advance(engine, action);
  }

  void advance(Engine& engine, SimTime action) {
    ++engine.statistics().rounds;
    reported_ = false;
    advanced_ = true;
    engine.set_safe_time(action);
    safe_below_ = action + engine.options().lookahead;
  }

  static void tell_all(Engine& engine, Word word, SimTime time) {
    PacketWriter out;
    out.put(word);
    out.put(time);
    for (int host = 0; host < engine.hosts(); ++host) {
      if (host != engine.host()) engine.send_control(host, out);
    }
  }

  std::vector<Report> reports_;
  std::optional<Outcome> outcome_;
  bool reported_ = false;
  bool advanced_ = false;  // by a round, since the last look
  int patience_ = 0;       // fruitless polls since something happened
  SimTime safe_below_;     // nothing that arrives from other hosts from now on has an earlier receive time
};

}  // namespace

std::unique_ptr<Protocol> make_conditional_protocol() {
  return std::make_unique<ConditionalProtocol>();
}

}  // namespace mpisim::kernel
