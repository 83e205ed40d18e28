#pragma once
// All-gathers for communicator constructors whose result each host process keeps once (core::exchange).
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "mpisim/core.hpp"
#include "mpisim/message.hpp"
#include "simkernel/logical_process.hpp"

namespace mpisim::mpi {

class Rank;
class World;

namespace core {

/// What an exchange of contributions that differ in size leaves on a host process.
struct Contributions : Exchanged {
  std::vector<std::vector<std::byte>> of;  ///< by rank of the local group; `data` is empty
};

/// As exchange(), but each member contributes `size` bytes of its own. `bytes_of(first, members)`: how many
/// bytes so many members from `first` on, round the communicator, contribute; the same on all members.
std::shared_ptr<Contributions> exchange_varying(Communicator& comm, std::uint32_t sequence,
                                                const void* contribution, std::size_t size,
                                                const std::function<std::uint64_t(int, int)>& bytes_of);

/// What all members would compute from an exchange: made by the first of a host process.
template <class Result, class Make>
std::shared_ptr<Result> once_per_host(Exchanged& exchanged, Make&& make) {
  if (!exchanged.result) exchanged.result = make();
  return std::static_pointer_cast<Result>(exchanged.result);
}

}  // namespace core

/// One per host process. Contributions reach it without simulated time: the ranks that wait for it are past
/// the simulated all-gather, so that every contribution has been made, at most it is still under way between
/// host processes.
class ExchangeTable final : public kernel::LogicalProcess {
 public:
  ExchangeTable(World& world, kernel::LpId id);
  ~ExchangeTable() override;

  struct Entry {
    std::shared_ptr<core::Exchanged> exchanged;
    core::Contributions* varying = nullptr;  ///< the same, if contributions differ in size
    std::size_t size = 0;                    ///< of one contribution, if they do not
    std::uint32_t members = 0;
    std::uint32_t present = 0;
    std::uint32_t local = 0;  ///< members on this host
    std::uint32_t collected = 0;
    std::vector<Rank*> waiting;
    std::vector<int> other_hosts;  ///< that have members; found by the first local member
  };

  void contribute(Rank& rank, const Communicator& comm, std::uint32_t sequence, const void* data,
                  std::size_t size, bool varying);
  /// Blocks the rank until all contributions are here.
  std::shared_ptr<core::Exchanged> collect(Rank& rank, const Communicator& comm, std::uint32_t sequence);

  /// Key of an event that is under way outside of simulated time.
  kernel::EventKey outside_key();

  kernel::SimTime now() const override { return kernel::SimTime::zero(); }
  void deliver(kernel::Event* event) override;
  kernel::Horizon horizon() const override { return {}; }
  void advance(kernel::SimTime) override {}

 private:
  using Key = std::pair<ContextId, std::uint32_t>;
  Entry& entry_of(const Key& key, int members, std::size_t size, bool varying);
  void store(Entry& entry, int member, const void* data, std::size_t size);

  World& world_;
  std::map<Key, Entry> entries_;
};

}  // namespace mpisim::mpi
