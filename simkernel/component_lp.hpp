#pragma once
// Component LPs: a handler that is called once per event, in key order (links, routers, cnodes, ionodes,
// disks, clocks).
//
// One whose events all come from a single other LP, which sends them in key order, needs no guarantee: it may
// handle each as soon as it is there, before its time.
#include <vector>

#include "simkernel/logical_process.hpp"

namespace mpisim::kernel {

class ComponentLp : public LogicalProcess {
 public:
  using LogicalProcess::LogicalProcess;
  /// Discards what is still queued (after a stop); the engine must still be there.
  ~ComponentLp() override;

  SimTime now() const final { return now_; }
  void deliver(Event* event) final;
  Horizon horizon() const final;
  void advance(SimTime eit) final;

 protected:
  /// All events will come from one LP other than this, in key order. Before Engine::add().
  void expect_order() { in_order_ = true; }
  /// One event at its receive time; owns it.
  virtual void handle(Event* event) = 0;
  /// Sends `event` (kind and contents filled in) to `destination` so that it arrives `delay` from now.
  /// delay >= 1 ps, and to another LP at least the engine's lookahead (inside a host process local_lookahead,
  /// or nothing more if this LP is immediate).
  void send(LpId destination, SimTime delay, Event* event);

 private:
  std::vector<Event*> queue_;  // binary heap, smallest key first
  bool in_order_ = false;
  SimTime now_;
};

}  // namespace mpisim::kernel
