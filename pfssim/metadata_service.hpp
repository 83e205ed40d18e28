#pragma once
// What a metadata server does: files get their numbers, in the order in which their names first reach it, and
// the shapes that whoever comes first asks for (shapes.hpp); both are theirs until they are deleted. So it is
// with the sizes that they had before the run: nobody writes to a file before it has been opened. And
// every call about a file takes one of its threads:
//
//   open             open_cost, and create_cost of a name that is opened for the first time
//   delete           metadata_cost + remove_cost
//   rename, and making a name that is not opened (directories, links)
//                    metadata_cost + create_cost
//   any other call   metadata_cost
//
// first come, first served: n ranks that each create a file at once wait up to
// ceil(n / threads) * (open_cost + create_cost).
#include <cstdint>
#include <unordered_map>

#include "pfssim/parameters.hpp"
#include "pfssim/service_threads.hpp"
#include "pfssim/shapes.hpp"
#include "pfssim/statistics.hpp"
#include "pfssim/transaction.hpp"

namespace mpisim::pfs {

class MetadataService {
 public:
  /// Number `index` of the `servers` that share the names.
  MetadataService(const Parameters& parameters, std::uint32_t index, std::uint32_t servers);

  /// Does what a call that is here at `at` asks for; returns when its thread is done. Calls come in order.
  kernel::SimTime serve(Transaction& call, kernel::SimTime at);

  const MetadataCounts& counts() const { return counts_; }
  /// Of all threads.
  kernel::SimTime busy() const { return busy_; }
  /// When the last thread was done.
  kernel::SimTime last_end() const { return last_end_; }

 private:
  kernel::SimTime cost_of(Transaction& call);
  bool look_up(Transaction& call);
  void rename(std::uint64_t name, std::uint64_t new_name);

  const Parameters& parameters_;
  std::uint32_t index_;
  std::uint32_t servers_;
  ServiceThreads threads_;
  struct KnownFile {
    std::uint32_t number = 0;
    Shape shape;
    std::uint64_t bytes = 0;  ///< that it had when it was opened first
  };
  std::unordered_map<std::uint64_t, KnownFile> files_;  // by name
  std::uint32_t next_number_ = 0;
  MetadataCounts counts_;
  kernel::SimTime busy_;
  kernel::SimTime last_end_;
};

}  // namespace mpisim::pfs
