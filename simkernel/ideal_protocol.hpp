#pragma once
#include <cstdint>
#include <vector>

#include "simkernel/distributed_protocol.hpp"

namespace mpisim::kernel {

/// Replays a recorded order: an LP may decide what lies before the first recorded event that is not here yet.
/// Host processes tell each other nothing but events, and the end.
class IdealProtocol final : public DistributedProtocol, private ArrivalObserver {
 public:
  explicit IdealProtocol(const ArrivalOrder& order) : order_(order) {}
  std::string_view name() const override { return "ideal"; }

 protected:
  void prepare(Engine& engine) override;
  bool advance(Engine& engine) override;
  /// A host that has something to decide waits for events only.
  bool reports(Engine&) override { return true; }
  void on_minimum(Engine& engine, SimTime action) override;

 private:
  struct Progress {
    std::size_t next = 0;        // first recorded event that is not here
    std::vector<SimTime> early;  // here before an earlier one: a heap, smallest first
  };
  void arrived(const Event& event) override;
  SimTime eit(LpId lp) const;

  const ArrivalOrder& order_;
  std::vector<Progress> progress_;
  std::vector<LogicalProcess*> due_;
};

}  // namespace mpisim::kernel
