#pragma once
// The LP of a burst buffer: a node's fast device in front of the file system (Liu, Cope, Carns, Carothers,
// Ross, Grider, Crume, Maltzahn: "On the role of burst buffers in leadership-class storage systems", MSST
// 2012; Bhimji et al.: "Accelerating science with the NERSC burst buffer early user program", CUG 2016).
//
// A part of a request is taken through the node's port and costs server_overhead of its processor, one part
// after the other (on the ranks' own node neither). It moves at most `transfer` bytes of the device at a
// time:
//
//   write  waits for room, first come, first served; is answered when its bytes are on the device
//   read   bytes that are here come from the device, all others, as one request, from the file system below
//          through the node's client of it; those do not stay
//   sync   with stage_out (always with buffers on compute nodes, whose bytes other nodes could not see):
//   waits
//          until all that is dirty of the file is below and synced there; else it is answered at once
//
// What is dirty drains: as soon as there is a transfer of it, the rest drain_delay after it came (with what
// is before it in its file), and all of a file for its stage-out. What may not drain yet, because older bytes
// of the same place are on their way, holds nothing else up. A drain reads the device and writes to the
// client; there are at most `drains` at a time, which begin not sooner after each other than bytes *
// drain_time. Drained bytes stay, to be read, until their room is needed. So writes go at the rate of network
// and device until the buffer is full of dirty bytes, then at the rate of drains.
//
// On a compute node, clean bytes of a file are forgotten at its sync: another node may change them below.
#include <deque>
#include <map>
#include <queue>
#include <vector>

#include "pfssim/buffered_bytes.hpp"
#include "pfssim/file_disk.hpp"
#include "pfssim/file_system.hpp"
#include "pfssim/pool.hpp"
#include "pfssim/statistics.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class BurstBuffer final : public kernel::ComponentLp, public Counting {
 public:
  BurstBuffer(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);
  ~BurstBuffer() override;

  NodeStatistics statistics() const override;

 protected:
  void handle(kernel::Event* event) override;

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// A message of a client.
  struct Part {
    Transaction* message = nullptr;
    std::uint32_t waits = 0;    ///< for so many answers from below, and itself
    std::vector<Range> ranges;  ///< writes: in transfers
    std::size_t next = 0;       ///< of those: waits for room
    kernel::SimTime done;       ///< of the device
  };
  /// What leads from a request below back to what it is for.
  struct Below {
    enum class Why : std::uint8_t { read, drain, sync } why = Why::read;
    std::uint32_t part = none;
    BufferedBytes::Leaving leaving;
    std::vector<std::pair<BlockKey, std::uint64_t>> versions;  ///< of a drain's blocks, if they are kept
  };
  /// A stage-out under way.
  struct StageOut {
    std::uint32_t file = 0;
    std::vector<std::uint32_t> parts;
  };

  void accept(Transaction* message);
  void perform(Transaction* message);
  void begin_write(std::uint32_t part);
  void admit();
  void begin_read(std::uint32_t part);
  void begin_sync(std::uint32_t part);
  void settle(std::uint32_t part);
  void answer(Transaction* message);
  void drain();
  template <class Visit>
  bool find_due(Visit&& visit) const;
  bool drains_wanted() const;
  BufferedBytes::Leaving next_to_drain();
  void begin_drains();
  void came_back(Transaction* reply);
  void check_stage_outs();
  void ask_below(Operation operation, std::uint32_t file, const std::vector<Range>& ranges,
                 std::uint32_t below, kernel::SimTime at);
  kernel::SimTime use_device(std::uint32_t file, const Range& range, bool write, kernel::SimTime ready);
  template <class Visit>
  void for_each_version(std::uint32_t file, const Range& range, Visit&& visit) const;
  bool stages_out() const { return burst_.stage_out || burst_.place == BurstParameters::Place::local; }

  const FileSystem& system_;
  const BurstParameters& burst_;
  network::NodeId node_;
  kernel::LpId below_;  ///< the node's client of the file system
  network::Adapter port_;
  kernel::SimTime processor_free_;
  FileDisk device_;
  std::priority_queue<kernel::SimTime, std::vector<kernel::SimTime>, std::greater<>>
      ends_;  // of what it serves
  BufferedBytes bytes_;
  Pool<Part> parts_;
  Pool<Below> asked_;
  std::deque<std::uint32_t> waiting_;  ///< parts that write and wait for room
  std::vector<StageOut> stage_outs_;
  std::uint32_t draining_ = 0;
  std::map<std::uint32_t, std::uint32_t> drains_of_;
  kernel::SimTime next_drain_;
  bool timer_set_ = false;
  bool paced_ = false;                              ///< an event to itself will begin the next drain
  std::map<BlockKey, std::uint64_t> here_, there_;  ///< versions, if they are kept
  std::uint64_t last_version_ = 0;
  NodeStatistics statistics_;
};

}  // namespace mpisim::pfs
