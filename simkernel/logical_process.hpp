#pragma once
// Logical processes: the parts of a simulation that own state and exchange events.
//
// An LP never waits for the kernel to hand it events in time order. Events reach it as soon as they
// physically exist
// (`deliver`), and it asks for a guarantee only where the order of events from different sources matters: its
// `horizon` names the instant it must be sure about (question) and the earliest time at which it could send
// anything once it is (action). The protocol answers with `advance(eit)`: nothing that arrives later has a
// receive time below eit. An LP that is merely waiting for one particular event has an infinite horizon and
// costs the protocol nothing.
#include <cstdint>

#include "simkernel/event.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::kernel {

class Engine;

struct Horizon {
  /// Decisions wait for EIT > question. Infinite: nothing to decide.
  SimTime question = SimTime::infinity();
  /// What this LP sends before it receives another event leaves at or after this (its receive time is at
  /// least a lookahead later); question <= action. The LP may be earlier itself if a send takes it some time.
  SimTime action = SimTime::infinity();
};

class LogicalProcess {
 public:
  LogicalProcess(Engine& engine, LpId id) : engine_(engine), id_(id) {}
  virtual ~LogicalProcess() = default;
  LogicalProcess(const LogicalProcess&) = delete;
  LogicalProcess& operator=(const LogicalProcess&) = delete;

  LpId id() const { return id_; }
  /// An immediate LP may send to LPs of its host process with 1 ps of delay; the others' least delay is the
  /// engine's local_lookahead.
  bool immediate() const { return immediate_; }
  Engine& engine() const { return engine_; }

  virtual SimTime now() const = 0;

  /// Physical arrival of an event, which the LP owns from now on. Events of one source arrive in sequence;
  /// between sources in any order. May send events and make processes ready, and must be independent of that
  /// order.
  virtual void deliver(Event* event) = 0;

  /// Asked only while the LP is not running and after it said that its horizon changed.
  virtual Horizon horizon() const = 0;

  /// Every event that has a receive time < eit is here. Decides all it can; at least the question of its
  /// horizon if that is < eit.
  virtual void advance(SimTime eit) = 0;

 protected:
  /// Must be called whenever horizon() may have become different, except from inside advance() and by a
  /// process that is running (the engine asks when it blocks).
  void horizon_changed();
  std::uint64_t next_sequence() { return ++sequence_; }
  /// What the LP sends next is not caused by an event: an LP that waited outside of simulated time goes on at
  /// its clock, whatever its horizon said (for the checks of causality.hpp).
  void promise_now() { promise_ = min(promise_, now()); }
  /// Before Engine::add().
  void make_immediate() { immediate_ = true; }

 private:
  friend class Engine;
  friend class HorizonHeap;
  Engine& engine_;
  LpId id_;
  bool dirty_ = false;
  bool immediate_ = false;
  std::uint32_t heap_position_[2] = {UINT32_MAX, UINT32_MAX};  // in the heaps of HorizonHeap
  Horizon current_;
  SimTime promise_;  // held against its sends in debug builds, see causality.hpp
  std::uint64_t sequence_ = 0;
};

}  // namespace mpisim::kernel
