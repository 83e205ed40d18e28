#pragma once
// What all protocols for several host processes share: the loop, the way in which they find out that all are
// idle, and the end.
//
// The host processes are a tree with host 0 as its root. One that has nothing left to do reports the earliest
// action of its LPs, and which events it has sent and received (HostTree::balance_of()). Reports are added up
// on the way to host 0, which decides once it has one of every host in which all that was sent has been
// received. Then no event that was sent before its sender's report is under way, and every event sent since
// lies at or beyond A + lookahead, where A is the smallest action reported: take the first such event; its
// sender acts on its own at A or later, or because of an event received after its report, which was sent
// after the report of its own sender, earlier. So all below A + lookahead is safe, even if a host has gone on
// since it reported (because of promises of another kind), and if no LP has anything to decide the simulation
// has ended or is deadlocked. The decision goes down the tree: a round costs a host as many packets as it has
// neighbours there, and takes as many steps as the tree is high, once up and once down.
#include <chrono>
#include <optional>
#include <vector>

#include "simkernel/host_tree.hpp"
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
  /// Nothing is left to do, and no report is due yet: tells other hosts what they may rely on.
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
    std::uint64_t balance = 0;
    bool operator==(const Report&) const = default;
  };

  void begin_to_wait();
  void end_waiting(Engine& engine);
  static void tell(Engine& engine, int host, Word word, SimTime time);
  static void tell_all(Engine& engine, Word word, SimTime time);
  void tell_children(Engine& engine, Word word, SimTime time) const;
  bool report_is_due(Engine& engine);
  void report(Engine& engine);
  void on_control(Engine& engine, int source, PacketReader& in);
  Report subtree() const;
  void pass_on(Engine& engine);
  void decide(Engine& engine, const Report& all);
  void minimum(Engine& engine, SimTime action);
  void end(Engine& engine, SimTime time);

  HostTree tree_;
  Report own_;
  std::uint64_t own_exchanged_ = 0;  // events sent and received before own_
  std::vector<Report> children_;     // of each child with all below it
  Report passed_on_;                 // what the parent knows of this host with all below it
  std::optional<Outcome> outcome_;
  std::optional<std::chrono::steady_clock::time_point> waiting_since_;
  bool advanced_ = false;  // by a decision of host 0, since the last look
  int patience_ = 0;       // fruitless polls since something happened
};

}  // namespace mpisim::kernel
