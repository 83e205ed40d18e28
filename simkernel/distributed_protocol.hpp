#pragma once
// What all protocols for several host processes share: the loop, the way in which they find out that all are
// idle, and the end.
//
// A host process that has nothing left to do reports to host 0 the earliest action of its LPs and how many
// events it has sent to and received from each host. Host 0 decides once it has a report of every host for
// which all these counts agree in pairs. Then no event that was sent before its sender's report is under way,
// and every event sent since lies at or beyond A + lookahead, where A is the smallest action reported: take
// the first such event; its sender acts on its own at A or later, or because of an event received after its
// report, which, since counts agree, was sent after the report of its own sender, earlier. So all below A +
// lookahead is safe, even if a host has gone on since it reported (because of promises of another kind), and
// if no LP has anything to decide the simulation has ended or is deadlocked.
#include <optional>
#include <vector>

#include "simkernel/protocols.hpp"

namespace mpisim::kernel {

class DistributedProtocol : public Protocol {
 public:
  Outcome run(Engine& engine) final;

 protected:
  DistributedProtocol() = default;

  /// Begins a run.
  virtual void prepare(Engine&) {}
  /// Lets LPs decide what is safe; returns whether any did.
  virtual bool advance(Engine& engine) = 0;
  /// Nothing is left to do: tells other hosts what they may rely on.
  virtual void idle(Engine&) {}
  /// A packet of send_word().
  virtual void on_word(Engine&, int source, PacketReader& in);
  /// Whether host 0 should hear of this host; at least when no LP has anything to decide.
  virtual bool reports(Engine&) { return true; }
  /// The earliest instant at which this host may do anything without hearing from another.
  virtual SimTime earliest_action(Engine& engine) { return engine.earliest_action(); }
  /// All hosts were idle with nothing under way; `action`: the smallest of theirs, finite.
  virtual void on_minimum(Engine& engine, SimTime action) = 0;

  /// Counts a round in which all host processes took part.
  static void count_round(Engine& engine);
  /// Sends a packet of the protocol's own, behind all events sent to that host before.
  static void send_word(Engine& engine, int host, SimTime time, bool request);

 private:
  enum class Word : std::uint8_t { idle, minimum, end, stop, own };
  struct Report {
    bool valid = false;
    SimTime action;
    std::uint64_t live = 0;
    std::vector<std::uint64_t> sent;
    std::vector<std::uint64_t> received;
  };

  static void wait(Engine& engine);
  static void tell_all(Engine& engine, Word word, SimTime time);
  bool report_is_due(Engine& engine);
  void report(Engine& engine);
  void on_control(Engine& engine, int source, PacketReader& in);
  bool reports_agree() const;
  void decide(Engine& engine);
  void minimum(Engine& engine, SimTime action);

  std::vector<Report> reports_;  // host 0: of every host
  Report last_;                  // this host's own
  std::optional<Outcome> outcome_;
  bool advanced_ = false;  // by a decision of host 0, since the last look
  int patience_ = 0;       // fruitless polls since something happened
};

}  // namespace mpisim::kernel
