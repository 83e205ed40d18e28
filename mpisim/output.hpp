#pragma once
// What ranks print, from the moment of printing until its place in the order of simulated time is known.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "simkernel/event.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::mpi {

/// Where the ranks' output goes, in (time, rank, sequence) order; called on host 0 only, and by a host
/// process whose rank crashes.
class OutputSink {
 public:
  virtual ~OutputSink() = default;
  virtual void write(int fd, std::string_view text) = 0;
  /// What has been written reaches the reader.
  virtual void flush() {}
};

struct OutputRecord {
  kernel::SimTime time;
  int rank = 0;
  std::uint64_t sequence = 0;  ///< of the rank
  int fd = 0;
  std::string text;
  bool operator<(const OutputRecord& other) const {
    return std::tie(time, rank, sequence) < std::tie(other.time, other.rank, other.sequence);
  }
  void pack(kernel::PacketWriter& out) const;
  static OutputRecord unpack(kernel::PacketReader& in);
};

/// A file without a name for data that does not fit into memory.
class SpillFile {
 public:
  SpillFile() = default;
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;
  /// Appends; false if the system has no room or no place for it. The folder is TMPDIR, else /tmp.
  bool append(const std::vector<std::byte>& data);
  /// Throws std::runtime_error if the system cannot read it.
  std::vector<std::byte> read(std::uint64_t offset, std::size_t size) const;
  std::uint64_t size() const { return size_; }
  void clear();

 private:
  int file_ = -1;
  std::uint64_t size_ = 0;
};

/// Records in the order of their keys. Beyond `memory` bytes they are kept in sorted runs on disk, as long as
/// there is room.
class OutputStore {
 public:
  explicit OutputStore(std::uint64_t memory) : memory_(memory) {}
  void add(OutputRecord record);
  bool empty() const { return heap_.empty() && runs_.empty(); }
  /// The time of the first; infinity if there is none.
  kernel::SimTime first_time() const;
  /// Of a store that is not empty.
  const OutputRecord& first() const;
  OutputRecord take();
  std::uint64_t bytes_on_disk() const { return file_.size(); }

 private:
  struct Run {
    std::uint64_t next = 0;  ///< place in the file of what has not been read
    std::uint64_t end = 0;
    std::vector<std::byte> buffer;
    std::size_t at = 0;  ///< in the buffer
    OutputRecord head;
  };
  void spill();
  /// Reads the next record of a run; false at its end.
  bool read_head(Run& run) const;
  /// The place in runs_ of the one with the smallest head, if that is before all in memory; else
  /// runs_.size().
  std::size_t first_run() const;

  std::uint64_t memory_;
  std::uint64_t held_ = 0;  ///< bytes in heap_
  std::uint64_t spill_at_ = 0;
  std::vector<OutputRecord> heap_;  ///< the earliest first
  std::vector<Run> runs_;
  SpillFile file_;
};

}  // namespace mpisim::mpi
