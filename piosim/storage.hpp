#pragma once
// Where accesses get their time from. One implementation per value of `io.model`.
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "pfssim/file_system.hpp"
#include "pfssim/transaction.hpp"
#include "piosim/config.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::pio {

/// One contiguous piece of a file.
struct FilePiece {
  std::uint64_t offset = 0;  ///< bytes from the beginning of the file
  std::uint64_t bytes = 0;
};

/// What tells a disk-directed access from others; the same on all its ranks.
struct Meeting {
  std::uint64_t file = 0;  ///< the collective open
  std::uint32_t turn = 0;  ///< numbers its collective accesses
  std::uint32_t members = 1;
};

/// Is told when what Storage::start() began is done.
class Completion {
 public:
  virtual void done(kernel::SimTime at, const pfs::Tally& tally) = 0;

 protected:
  ~Completion() = default;
};

/// A rank's way to the file system. All calls charge the current rank, the one it belongs to; they may block
/// it, but move and count nothing.
class Storage {
 public:
  virtual ~Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  /// Opens the file behind a path; the number by which other calls know it. A file that the simulated machine
  /// does not have yet gets the shape that is asked for.
  virtual std::uint32_t open(const std::string& path, const pfs::ShapeHints& asked) = 0;
  /// Of a file that this rank has opened; without cells where files have no layout.
  virtual pfs::Shape shape(std::uint32_t /*file*/) const { return {}; }
  virtual void remove(const std::string& path) = 0;
  /// Any other call that asks about a file, open or by its name.
  virtual void inquire(std::uint32_t file) = 0;
  virtual void look_up(const std::string& path) = 0;
  /// A name that is not opened: of a directory, a link.
  virtual void make(const std::string& path) = 0;
  virtual void rename(const std::string& path, const std::string& new_path) = 0;
  /// What this rank's node has written to the file is on disk afterwards; what the disks did for that.
  virtual pfs::Tally sync(std::uint32_t /*file*/) { return {}; }
  /// One contiguous access; what the disks did.
  virtual pfs::Tally access(std::uint32_t file, const FilePiece& piece, bool write) = 0;
  /// Several pieces, of which none is empty and there is at least one, as one request.
  virtual pfs::Tally access_list(std::uint32_t file, const std::vector<FilePiece>& pieces, bool write) = 0;
  /// The pieces of this rank, perhaps none, in an access of `meeting.members` ranks that the disks serve in
  /// the order of their addresses.
  virtual pfs::Tally access_directed(std::uint32_t file, const std::vector<FilePiece>& pieces, bool write,
                                     const Meeting& meeting) = 0;
  /// Begins to access the pieces, of which there is at least one and none is empty, one after the other;
  /// charges nothing and does not block. `completion` is told here or from take().
  virtual void start(std::uint32_t file, std::vector<FilePiece> pieces, bool write,
                     Completion& completion) = 0;
  /// An event that has come for the rank (see mpi::RankExtension::take): true if it belongs to what start()
  /// has begun.
  virtual bool take(kernel::Event* /*event*/) { return false; }
  /// The strand whose access an event is the answer to; 0: it is the program's (mpi::RankExtension::asker).
  virtual std::uint32_t asker(const kernel::Event& /*event*/) const { return 0; }
  /// What serves the accesses of an operation that goes on beside the program's; null: this. With a disk of
  /// the rank's own, which serves what the program asks for in the order of its calls, that is a second disk:
  /// the two would have no order.
  virtual std::unique_ptr<Storage> beside() const { return nullptr; }
  /// How large the file can get.
  virtual std::uint64_t largest_file(std::uint32_t file) const = 0;

 protected:
  Storage() = default;
};

/// `io.model: disk`: every rank has a disk of its own, so that ranks never wait for each other's accesses.
std::unique_ptr<Storage> make_disk_storage(const Config& config);

/// `io.posix: local`: the same for the program's own files, which cost nothing but accesses.
std::unique_ptr<Storage> make_local_storage(const Config& config);

/// `io.model: pfs`: requests go to the cnode of the rank's node, the rank waits for the reply.
std::unique_ptr<Storage> make_pfs_storage(const pfs::FileSystem& system);

}  // namespace mpisim::pio
