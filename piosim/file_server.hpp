#pragma once
// The server of what the ranks that use a file share beside its data: shared file pointers (MPI-3.1 section
// 13.4.4) and the locks of atomic mode (section 13.6.1). One LP for all files, so that requests are served in
// the order of their keys: the same for every number of host processes and every exact protocol.
//
// It is on the first I/O node, or, where each rank has a disk of its own, on the node of rank 0. A request
// costs client_overhead (send_overhead where that is more) and a message of `header` bytes to get there,
// server_overhead of the server's time, one request after the other, and a message back. Messages occupy no
// ports, like the answers of MPI's rendezvous.
//
// Locks. An access of a file in atomic mode locks the range from its first byte to its last, for others'
// writes while it reads and for all others while it writes; a lock waits for all earlier ones that it
// conflicts with, granted or not, so that nobody starves. The rank moves its data between the grant and its
// unlock: data of conflicting accesses moves in the order of grants. Cost of a lock: O(locks of the file).
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpisim/world.hpp"
#include "network_models/network_model.hpp"
#include "pfssim/transaction.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pio {

enum class FileOperation : std::uint8_t {
  advance,  ///< the shared pointer moves by `value`; the answer has where it was
  set,      ///< the shared pointer moves to `value`
  forget,   ///< of a closed file's shared pointers; no answer
  lock,     ///< of bytes [low, high), answered when granted with the lock's number in `value`
  unlock,   ///< of lock number `value`; no answer
};

struct FileCallData {
  FileOperation operation = FileOperation::advance;
  bool write = false;            ///< lock: excludes readers too
  std::uint64_t file = 0;        ///< pointers: one collective open; locks: a name (see name_of)
  std::uint32_t generation = 0;  ///< pointers: every view that is set begins with one of its own
  std::uint64_t value = 0;
  std::uint64_t initial = 0;  ///< pointers: where one that nobody has used is
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  std::uint32_t asker = 0;  ///< the rank's strand, see mpi::Rank::strand_number()
};

struct FileCall : kernel::Event, FileCallData {};

inline constexpr std::uint16_t file_call_kind = static_cast<std::uint16_t>(pfs::EventKind::end);

FileCall* make_file_call(const FileCallData& data);
void dispose(FileCall* call);

/// Tells names of files from each other, on every host process in the same way: FNV-1a of the absolute path.
std::uint64_t name_of(const std::string& path);

/// Where the server is and what its requests cost; the same on every host process.
struct FileService {
  kernel::LpId lp = 0;
  network::NodeId node = 0;
  kernel::SimTime client_overhead;
  kernel::SimTime server_overhead;
  kernel::Bytes header;
  const network::NetworkModel* network = nullptr;
  /// Of each rank.
  std::vector<network::NodeId> nodes;

  /// When a message that leaves `from` at `time` is at `to`.
  kernel::SimTime arrival(network::NodeId from, network::NodeId to, kernel::SimTime time) const {
    return network->bulk(from, to, header, time, time).arrival;
  }
};

class FileServer final : public kernel::ComponentLp {
 public:
  FileServer(kernel::Engine& engine, const FileService& service);
  ~FileServer() override;

 protected:
  void handle(kernel::Event* event) override;

 private:
  struct Lock {
    std::uint64_t number = 0;
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    bool write = false;
    std::uint32_t earlier = 0;    ///< conflicting locks before this one
    FileCall* waiting = nullptr;  ///< null once granted
    bool conflicts_with(const Lock& other) const {
      return (write || other.write) && low < other.high && other.low < high;
    }
  };
  using Locks = std::vector<Lock>;  ///< of one file, in the order in which they came
  using PointerKey = std::pair<std::uint64_t, std::uint32_t>;

  void answer(FileCall* call);
  void lock(FileCall* call);
  void grant(Lock& lock);
  void unlock(const FileCall& call);
  void forget(std::uint64_t file);

  const FileService& service_;
  kernel::SimTime free_;
  std::map<PointerKey, std::uint64_t> pointers_;
  std::unordered_map<std::uint64_t, Locks> locks_;
  std::uint64_t last_lock_ = 0;
};

/// How calls travel between host processes.
class FileCallCodec final : public kernel::EventCodec {
 public:
  void encode(const kernel::Event& event, kernel::PacketWriter& out) const override;
  kernel::Event* decode(kernel::PacketReader& in) const override;
  void dispose(kernel::Event* event) const override;
};

}  // namespace mpisim::pio
