#pragma once
// What PIO-SIM keeps per host process and per rank, as extensions of MPI-SIM's worlds and ranks.
#include <memory>
#include <string>
#include <vector>

#include "mpisim/handle_table.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/rank.hpp"
#include "mpisim/world.hpp"
#include "pfssim/disk_unit.hpp"
#include "piosim/config.hpp"
#include "piosim/file_server.hpp"
#include "piosim/file_system_report.hpp"
#include "piosim/host_file.hpp"
#include "piosim/ledger.hpp"
#include "piosim/posix_files.hpp"
#include "piosim/statistics.hpp"
#include "piosim/storage.hpp"

namespace mpisim::pio {

class File;

/// Of one host process.
class WorldIo final : public mpi::WorldExtension {
 public:
  explicit WorldIo(const Config& configuration) : config(configuration), files(configuration.moves_data) {}
  const Config config;
  HostFiles files;
  /// The current rank's way to the file system of the machine.
  std::unique_ptr<Storage> make_storage() const;

  bool charges_files() const override { return config.posix != Posix::free; }
  void charge_file_use(const runtime::FileUse& use) override;
  void settle_files() override { files.settle(); }
  bool keeps_nodes_together() const override { return config.model == Model::pfs; }
  kernel::SimTime least_delay() const override;
  std::vector<std::uint16_t> place_lps(const mpi::WorldOptions& options, kernel::LpId first,
                                       const std::vector<std::uint16_t>& host_of_rank, int hosts) override;
  std::vector<kernel::LpId> companions(const mpi::WorldOptions& options, kernel::LpId first) override;
  std::vector<std::unique_ptr<kernel::LogicalProcess>> make_lps(kernel::Engine& engine) override;
  std::vector<std::byte> pack_results() const override;
  /// Of this host process, after the run.
  const FileSystemNotes& notes() const { return notes_; }
  /// What a rank that has files counts; kept for the report.
  std::shared_ptr<RankLedger> new_ledger(int rank);
  void note_path(std::uint32_t file, const std::string& path) { notes_.paths.emplace_back(file, path); }
  /// Throws std::logic_error in worlds that were not given this extension before they were made.
  const FileService& service() const;
  /// A world that was not made for files has none.
  bool has_service() const { return service_ != nullptr; }

 private:
  std::unique_ptr<FileService> service_;
  std::unique_ptr<pfs::FileSystem> file_system_;  ///< of Model::pfs
  std::vector<const pfs::DiskUnit*> disks_;       ///< of this host process
  FileSystemNotes notes_;
};

/// Of one rank.
class RankIo final : public mpi::RankExtension {
 public:
  explicit RankIo(WorldIo& world);
  ~RankIo() override;
  std::string leaks() const override;
  bool take(kernel::Event* event) override { return storage->take(event); }
  std::uint32_t asker(const kernel::Event& event) const override;
  /// Storage::beside(), one for each operation that goes on at the same time; null: the rank's own.
  std::unique_ptr<Storage> take_beside();
  void give_back(std::unique_ptr<Storage> beside);

  mpi::HandleTable<File, mpi::HandleKind::file> files;
  std::unique_ptr<Storage> storage;
  PosixFiles posix;
  /// `storage`, for a call about a file or a name, which is counted.
  Storage& metadata() {
    count(Counter::metadata_calls);
    return *storage;
  }
  Representations representations;
  std::shared_ptr<RankLedger> ledger;  ///< the world has it, too
  std::uint32_t opens = 0;             ///< collective ones whose first rank this is
  /// Of MPI_FILE_NULL: what new files get, and what errors without a file go to (MPI-3.1 section 13.7).
  MPI_Errhandler default_error_handler = MPI_ERRORS_RETURN;
  std::string last_answer;  ///< of raise_answer()

 private:
  std::vector<std::unique_ptr<Storage>> spare_;  ///< of take_beside()
};

/// Of the current host process and rank; made when first used, with the default configuration if the world
/// was given none.
WorldIo& world_io();
RankIo& make_rank_io();
inline RankIo& rank_io() {
  mpi::RankExtension* extension = mpi::current_rank().extension.get();
  return extension != nullptr ? static_cast<RankIo&>(*extension) : make_rank_io();
}

}  // namespace mpisim::pio
