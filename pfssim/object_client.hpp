#pragma once
// The cnode LP of a system of object servers (`io.service: objects`), in the manner of Lustre's client: the
// ranks of the node share it.
//
// A request is divided by the layout into a piece for each object (part of the file in a cell). A piece
//   1. needs a lock that covers its pages, to read or to write (extent_locks.hpp): one that is here, one that
//      has been asked for, or one that it asks the object's server for;
//   2. writes into pages of the node's cache, or reads from it; pages that are not there are read from the
//      object in RPCs of at most rpc_size. Part of a page that the object has already is written after the
//      page has been read;
//   3. is done, and holds the lock no longer. The lock stays until it is called for.
//
// Dirty pages leave in RPCs of at most rpc_size, at most rpcs_in_flight (reads included) at a time for each
// disk, in the order in which they were made ready:
//   - as soon as an object has rpc_size of them (in ascending order of pages, which need not be neighbours);
//   - all of an object with its file's sync, and all of the node flush_interval after the first became dirty;
//   - those of a lock's extent when the lock is called for; these go first;
//   - all for a disk when a write waits for room and nothing is on its way to that disk;
//   - all of an object when the cache needs the place of one.
// A page counts as dirty until the RPC that brings it is answered; a write that would make more than
// max_dirty of a disk's pages dirty waits until others have been written.
//
// A lock that is called for serves no more requests. When those that use it are done, and what is dirty in
// its extent has been written, its pages leave the cache (unless another lock covers them) and it is given
// back.
//
// Read-ahead: after a read that continues, in the object, what is in the cache, or is at the object's
// beginning, the following read_ahead bytes are read as far as the lock reaches and the object goes: to where
// it ended when the file was opened first, and to what has been written since, of which the lock's answer
// tells as long as the lock is held. That a file is made shorter is not followed.
//
// Messages between a client and a server do not overtake each other. Costs: client_overhead before a request
// gets here (delays.hpp) and for each call for a lock, one after the other; the port, as in compute_node.hpp;
// caching.copy for each byte between cache and program, one after the other.
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "pfssim/block_cache.hpp"
#include "pfssim/block_map.hpp"
#include "pfssim/channels.hpp"
#include "pfssim/extent_locks.hpp"
#include "pfssim/file_system.hpp"
#include "pfssim/pool.hpp"
#include "pfssim/statistics.hpp"
#include "pfssim/transaction.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class ObjectClient final : public kernel::ComponentLp, public Counting {
 public:
  ObjectClient(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);
  ~ObjectClient() override;

  NodeStatistics statistics() const override;
  std::vector<FileStatistics> files() const override { return ledger_.files(); }

 protected:
  void handle(kernel::Event* event) override;

 private:
  using Slot = BlockCache::Slot;
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// A request of a rank.
  struct Pending {
    Transaction* request = nullptr;
    std::uint32_t waits = 0;  ///< for so many pieces, RPCs (sync) and answers
    kernel::SimTime done;     ///< when its data has been copied, as far as it is here
    Tally tally;
    std::uint64_t version = 0;
  };

  struct ObjectKey {
    std::uint32_t file = 0;
    std::uint32_t cell = 0;
    friend bool operator<(const ObjectKey& a, const ObjectKey& b) {
      return a.file != b.file ? a.file < b.file : a.cell < b.cell;
    }
  };

  /// Part of a request in one object.
  struct Piece {
    std::uint32_t ticket = none;
    bool write = false;
    ObjectKey object;
    std::vector<Range> ranges;
    std::uint32_t lock = none;
    std::uint32_t waits = 0;   ///< reads: RPCs
    std::size_t range = 0;     ///< writes: what is not in the cache yet begins here,
    std::uint64_t offset = 0;  ///< so many bytes behind the range's begin
  };

  struct Lock {
    std::uint64_t number = 0;
    ObjectKey object;
    Interval extent;
    bool write = false;
    bool called = false;
    std::uint32_t users = 0;   ///< pieces, and RPCs that read
    std::uint32_t writes = 0;  ///< RPCs that write, which it waits for to be given back
  };

  /// A lock that has been asked for.
  struct Wish {
    Interval extent;
    bool write = false;
    std::vector<std::uint32_t> pieces;
  };

  struct Object {
    std::vector<std::uint32_t> locks;
    std::vector<std::uint32_t> wishes;
    std::set<std::uint64_t> pages;      ///< in the cache
    std::set<std::uint64_t> dirty;      ///< of those, waiting to be made ready
    std::vector<std::uint32_t> writes;  ///< RPCs that write, in order, until they are answered
    std::uint64_t size = 0;             ///< as far as written in the run, and known to this client
    std::vector<Range> contents;        ///< that it had before; several where the file has several cells here
  };

  struct Rpc {
    bool write = false;
    bool urgent = false;
    ObjectKey object;
    std::vector<Range> ranges;
    std::uint64_t bytes = 0;
    std::uint32_t pages = 0;              ///< writes: that count as dirty
    std::uint32_t lock = none;            ///< reads: that it uses
    std::uint32_t ticket = none;          ///< reads: the request that it was sent for; none: read ahead
    kernel::SimTime ready;                ///< writes: when its data has been copied
    std::vector<std::uint32_t> pieces;    ///< reads: that wait for it
    std::vector<std::uint32_t> locks;     ///< writes: that wait for it
    std::vector<std::uint32_t> syncs;     ///< writes: tickets that wait for it
    std::vector<std::uint64_t> versions;  ///< writes: of the pages, if they are kept
  };

  /// A disk, as its client sees it.
  struct Target {
    std::uint32_t in_flight = 0;
    std::uint64_t dirty = 0;            ///< bytes of pages
    std::deque<std::uint32_t> ready;    ///< RPCs
    std::deque<std::uint32_t> waiting;  ///< pieces that wait for dirty pages to be written
    bool idle() const { return in_flight == 0 && ready.empty(); }
  };

  // Requests (object_client.cpp).
  void submit(Transaction* request);
  void divide(std::uint32_t ticket);
  void begin(std::uint32_t ticket, std::uint32_t cell, std::vector<Range> ranges);
  void submit_sync(std::uint32_t ticket);
  void finish(std::uint32_t piece);
  void follow_version(const Piece& piece);
  void settle(std::uint32_t ticket);
  void copy(std::uint32_t ticket, std::uint64_t bytes);
  void receive(Transaction* answer);
  void collect(Transaction* answer);
  void send_part(const TransactionData& part, kernel::LpId to, kernel::SimTime ready,
                 std::vector<Range> list = {}, std::vector<std::uint64_t> versions = {});

  // Locks (object_locks.cpp).
  Interval pages_of(const Piece& piece) const;
  void want_lock(std::uint32_t piece);
  void granted(const Transaction& answer);
  void use(std::uint32_t piece, std::uint32_t lock);
  void release(std::uint32_t lock);
  void called(const Transaction& command);
  void write_out(std::uint32_t lock);
  void give_back(std::uint32_t lock);

  // Pages and RPCs (object_pages.cpp).
  void read(std::uint32_t piece);
  void read_ahead(const Piece& piece);
  void learn_contents(std::uint32_t file, const Shape& shape, std::uint64_t bytes);
  static std::uint64_t end_behind(const Object& object, std::uint64_t from);
  void write(std::uint32_t piece);
  bool write_page(std::uint32_t piece, const BlockKey& key, const Extent& bytes);
  void fetch(const ObjectKey& object, std::uint32_t lock, std::uint32_t ticket, std::uint32_t piece,
             const std::vector<std::uint64_t>& pages);
  bool wait_for_page(const BlockKey& key, std::uint32_t piece);
  Slot store(const BlockKey& key);
  void make_ready(const ObjectKey& object, Interval pages, bool urgent);
  void dispatch(std::uint32_t cell);
  void send_rpc(std::uint32_t rpc);
  void answered(Transaction* answer);
  void arrived(std::uint32_t rpc, const Transaction& answer);
  void written(std::uint32_t rpc);
  void admit(std::uint32_t cell);
  void flush_target(std::uint32_t cell);
  void flush();
  void set_timer();

  std::uint64_t page() const { return objects_.page; }
  std::uint64_t pages_per_rpc() const { return objects_.rpc_size / objects_.page; }

  const FileSystem& system_;
  const ObjectParameters& objects_;
  network::NodeId node_;
  network::Adapter port_;
  Channels channels_;  ///< to the servers
  BlockCache cache_;
  Pool<Pending> pending_;
  Pool<Piece> pieces_;
  Pool<Lock> locks_;
  Pool<Wish> wishes_;
  Pool<Rpc> rpcs_;
  std::map<ObjectKey, Object> all_;
  std::vector<Target> targets_;          ///< by cell
  BlockMap<std::uint32_t> rpc_of_page_;  ///< that reads it
  kernel::SimTime memory_free_;
  kernel::SimTime processor_free_;
  bool timer_set_ = false;
  std::uint64_t last_version_ = 0;
  ClientLedger ledger_;
  KnownShapes shapes_;
};

}  // namespace mpisim::pfs
