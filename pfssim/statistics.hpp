#pragma once
// What the parts of the file system have done, for reports. Everything here is simulated history: the same
// for every number of host processes. A run that ends by itself ends when nothing is left to do anywhere, so
// that what happened after the last rank's end is counted, too.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pfssim/transaction.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::pfs {

/// Upper limits (exclusive, bytes) of the classes of requests by size; the last class has none.
inline constexpr std::array<std::uint64_t, 6> size_limits{1ULL << 10,  4ULL << 10,   16ULL << 10,
                                                          64ULL << 10, 256ULL << 10, 1ULL << 20};

/// Number of the class, from the number of digits: each limit is four times the one before.
constexpr std::size_t size_class(std::uint64_t bytes) {
  constexpr auto least = static_cast<int>(std::bit_width(size_limits.front()));
  const int above = std::max(static_cast<int>(std::bit_width(bytes)) - least + 2, 0);
  return std::min(static_cast<std::size_t>(above) / 2, size_limits.size());
}
static_assert([] {
  for (std::size_t i = 0; i < size_limits.size(); ++i)
    if (size_class(size_limits[i] - 1) != i || size_class(size_limits[i]) != i + 1) return false;
  return size_class(0) == 0 && size_class(~std::uint64_t{0}) == size_limits.size();
}());

struct RequestCounts {
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::array<std::uint64_t, size_limits.size() + 1> by_size{};

  void count(std::uint64_t bytes, bool write) {
    ++(write ? writes : reads);
    (write ? bytes_written : bytes_read) += bytes;
    ++by_size[size_class(bytes)];
  }
  bool any() const { return reads + writes > 0; }
  void add(const RequestCounts& other) {
    reads += other.reads;
    writes += other.writes;
    bytes_read += other.bytes_read;
    bytes_written += other.bytes_written;
    for (std::size_t i = 0; i < by_size.size(); ++i) by_size[i] += other.by_size[i];
  }
};

/// What object servers and their clients do beside moving data.
struct ObjectCounts {
  std::uint64_t lock_requests = 0;  ///< cnode: that it sent; ionode: that came
  std::uint64_t lock_matches = 0;   ///< cnode: parts of requests that a lock of its own covered
  std::uint64_t locks_granted = 0;
  std::uint64_t revocations = 0;  ///< cnode: that it obeyed; ionode: that it ordered
  std::uint64_t read_rpcs = 0;
  std::uint64_t ahead_rpcs = 0;  ///< cnode: of those, which no rank had asked for yet
  std::uint64_t write_rpcs = 0;
  std::uint64_t dirty_waits = 0;  ///< cnode: times that a write waited until dirty pages had been written

  void add(const ObjectCounts& other) {
    lock_requests += other.lock_requests;
    lock_matches += other.lock_matches;
    locks_granted += other.locks_granted;
    revocations += other.revocations;
    read_rpcs += other.read_rpcs;
    ahead_rpcs += other.ahead_rpcs;
    write_rpcs += other.write_rpcs;
    dirty_waits += other.dirty_waits;
  }
};

/// Calls about files at a metadata server.
struct MetadataCounts {
  std::uint64_t opens = 0;
  std::uint64_t creates = 0;  ///< of the opens: names that were opened for the first time
  std::uint64_t removes = 0;
  std::uint64_t makes = 0;  ///< names that were not opened: directories, links
  std::uint64_t renames = 0;
  std::uint64_t inquiries = 0;

  std::uint64_t all() const { return opens + removes + makes + renames + inquiries; }

  void add(const MetadataCounts& other) {
    opens += other.opens;
    creates += other.creates;
    removes += other.removes;
    makes += other.makes;
    renames += other.renames;
    inquiries += other.inquiries;
  }
};

/// Bytes that a burst buffer has moved.
struct BurstCounts {
  std::uint64_t absorbed = 0;    ///< written to it
  std::uint64_t drained = 0;     ///< written to the file system below
  std::uint64_t hits = 0;        ///< read from it
  std::uint64_t misses = 0;      ///< read from below
  std::uint64_t left = 0;        ///< dirty at the end: 0 in a run that ended by itself
  std::uint64_t full_waits = 0;  ///< writes that waited for room
  std::uint64_t stage_outs = 0;  ///< syncs that waited for all of a file

  void add(const BurstCounts& other) {
    absorbed += other.absorbed;
    drained += other.drained;
    hits += other.hits;
    misses += other.misses;
    left += other.left;
    full_waits += other.full_waits;
    stage_outs += other.stage_outs;
  }
};

/// A stager is a burst buffer's client of the file system.
enum class NodeKind : std::uint8_t { cnode, ionode, metadata, burst_buffer, stager };

/// Of an LP on a node.
struct NodeStatistics {
  NodeKind kind = NodeKind::cnode;
  std::uint32_t number = 0;        ///< among those of its kind
  RequestCounts requests;          ///< cnode: of its ranks; ionode: parts that move data
  TallySum served;                 ///< cnode: for its ranks' requests; ionode: for the parts that it answered
  TallySum background;             ///< what no rank waited for: read-ahead, changes written back in time
  std::uint64_t invalidated = 0;   ///< cnode: copies that other nodes' writes took; ionode: ordered
  std::uint64_t forwarded = 0;     ///< blocks: cnode: sent to other cnodes; ionode: requests passed on
  std::uint64_t read_ahead = 0;    ///< blocks that were fetched before anybody asked for them
  std::uint64_t written_back = 0;  ///< blocks whose changes have left the cache
  std::uint64_t left_dirty = 0;    ///< blocks with changes at the end: 0 in a run that ended by itself
  std::uint32_t most_waiting = 0;  ///< ionode, metadata server: most parts that it had to answer at a time
  kernel::SimTime busy;            ///< ionode: of its processor; metadata server: of its threads, added up
  std::uint32_t threads = 1;       ///< that `busy` is the sum of
  kernel::SimTime last_end;        ///< ionode, metadata server: when it had done its last work
  ObjectCounts objects;
  MetadataCounts metadata;
  BurstCounts burst;
};

/// Of a file, at one cnode.
struct FileStatistics {
  std::uint32_t file = 0;
  RequestCounts requests;
  TallySum served;
};

/// What a cnode keeps of its ranks' requests.
class ClientLedger {
 public:
  ClientLedger(std::uint32_t number, NodeKind kind) {
    node_.number = number;
    node_.kind = kind;
  }
  void begin(const Transaction& request) {
    if (!moves_data(request.operation)) return;
    of_file(request.file).requests.count(request.bytes, request.operation == Operation::write);
  }
  void end(std::uint32_t file, const Tally& tally) { of_file(file).served.add(tally); }
  /// What is not counted by files.
  NodeStatistics& node() { return node_; }
  NodeStatistics total() const {
    NodeStatistics all = node_;
    for (const FileStatistics& file : files_) {
      all.requests.add(file.requests);
      all.served.add(file.served);
    }
    return all;
  }
  /// By number.
  std::vector<FileStatistics> files() const {
    std::vector<FileStatistics> used;
    if (node_.kind == NodeKind::stager) return used;  // its requests are a burst buffer's
    for (const FileStatistics& file : files_)
      if (file.requests.any()) used.push_back(file);
    return used;
  }

 private:
  FileStatistics& of_file(std::uint32_t file) {
    while (file >= files_.size()) {
      const auto number = static_cast<std::uint32_t>(files_.size());
      files_.emplace_back().file = number;
    }
    return files_[file];
  }

  NodeStatistics node_;
  std::vector<FileStatistics> files_;  // by number
};

/// An LP that counts.
class Counting {
 public:
  virtual ~Counting() = default;
  virtual NodeStatistics statistics() const = 0;
  /// Of cnodes, by number.
  virtual std::vector<FileStatistics> files() const { return {}; }

 protected:
  Counting() = default;
};

}  // namespace mpisim::pfs
