#pragma once
#include <vector>

#include "simkernel/distributed_protocol.hpp"

namespace mpisim::kernel {

/// Null messages between host processes. The promise (EOT) of a host to all others is min(earliest action of
/// its LPs, its EIT) + lookahead, its EIT the smallest promise that it has. Promises are made on demand: a
/// host that is blocked on a decision asks those whose promises are too small, and a host that cannot promise
/// enough because of its own EIT asks on. So programs that need no decision cause no message.
class NullProtocol : public DistributedProtocol {
 public:
  std::string_view name() const override { return "null"; }

 protected:
  void prepare(Engine& engine) override;
  bool advance(Engine& engine) override;
  void idle(Engine& engine) override;
  void on_word(Engine& engine, int source, PacketReader& in) override;
  bool reports(Engine& engine) override { return engine.earliest_action().is_infinite(); }
  void on_minimum(Engine&, SimTime) override {}
  /// Whether promises that do not suffice are made all the same, and demands handed on: nothing else makes
  /// progress over long stretches without events.
  virtual bool creeps() const { return true; }
  /// What is known to be safe from elsewhere.
  virtual SimTime also_safe_below() const { return SimTime::zero(); }

 private:
  struct Peer {
    SimTime promised;    // by them: nothing earlier will come
    SimTime told;        // by us
    SimTime wanted;      // they wait for a promise beyond this
    SimTime asked;       // we wait for a promise beyond this
    bool wants = false;  // wanted is not yet satisfied
  };
  SimTime smallest_promise(const Engine& engine) const;
  std::vector<Peer> peers_;
};

/// Null messages and conditional events: whatever either makes safe. Only promises that suffice are made:
/// where null messages would creep, a conditional event jumps.
class CombinedProtocol final : public NullProtocol {
 public:
  std::string_view name() const override { return "combined"; }

 protected:
  void prepare(Engine& engine) override;
  void idle(Engine& engine) override;
  bool reports(Engine&) override { return true; }
  bool creeps() const override { return false; }
  void on_minimum(Engine& engine, SimTime action) override;
  SimTime also_safe_below() const override { return safe_below_; }

 private:
  SimTime safe_below_;
  bool busy_host_ = false;  ///< since the last decision a host process has kept this one waiting for long
};

}  // namespace mpisim::kernel
