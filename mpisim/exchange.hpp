#pragma once
// All-gathers for communicator constructors whose result each host process keeps once (core::exchange).
#include <map>
#include <memory>
#include <vector>

#include "mpisim/core.hpp"
#include "mpisim/message.hpp"
#include "simkernel/logical_process.hpp"

namespace mpisim::mpi {

class Rank;
class World;

/// One per host process. Contributions reach it without simulated time: the ranks that wait for it are past
/// the simulated all-gather, so that every contribution has been made, at most it is still under way between
/// host processes.
class ExchangeTable final : public kernel::LogicalProcess {
 public:
  ExchangeTable(World& world, kernel::LpId id);
  ~ExchangeTable() override;

  struct Entry {
    std::shared_ptr<core::Exchanged> exchanged = std::make_shared<core::Exchanged>();
    std::size_t size = 0;  ///< of one contribution
    std::uint32_t members = 0;
    std::uint32_t present = 0;
    std::uint32_t local = 0;  ///< members on this host
    std::uint32_t collected = 0;
    std::vector<Rank*> waiting;
    std::vector<int> other_hosts;  ///< that have members; found by the first local member
  };

  void contribute(Rank& rank, const Communicator& comm, std::uint32_t sequence, const void* data,
                  std::size_t size);
  /// Blocks the rank until all contributions are here.
  std::shared_ptr<core::Exchanged> collect(Rank& rank, const Communicator& comm, std::uint32_t sequence);

  kernel::SimTime now() const override { return kernel::SimTime::zero(); }
  void deliver(kernel::Event* event) override;
  kernel::Horizon horizon() const override { return {}; }
  void advance(kernel::SimTime) override {}

 private:
  using Key = std::pair<ContextId, std::uint32_t>;
  void store(Entry& entry, int member, const void* data);

  World& world_;
  std::map<Key, Entry> entries_;
};

}  // namespace mpisim::mpi
