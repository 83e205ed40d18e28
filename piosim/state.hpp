#pragma once
// What PIO-SIM keeps per host process and per rank, as extensions of MPI-SIM's worlds and ranks.
#include <memory>

#include "mpisim/handle_table.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/world.hpp"
#include "piosim/config.hpp"
#include "piosim/host_file.hpp"
#include "piosim/storage.hpp"

namespace mpisim::pio {

class File;

/// Of one host process.
class WorldIo final : public mpi::WorldExtension {
 public:
  explicit WorldIo(const Config& configuration) : config(configuration) {}
  const Config config;
  HostFiles files;
};

/// Of one rank.
class RankIo final : public mpi::RankExtension {
 public:
  explicit RankIo(const Config& config);
  ~RankIo() override;
  std::string leaks() const override;

  mpi::HandleTable<File, mpi::HandleKind::file> files;
  std::unique_ptr<Storage> storage;
  std::uint32_t files_opened = 0;
  /// Of MPI_FILE_NULL: what new files get, and what errors without a file go to (MPI-3.1 section 13.7).
  MPI_Errhandler default_error_handler = MPI_ERRORS_RETURN;
};

/// Of the current host process and rank; made when first used, with the default configuration if the world
/// was given none.
WorldIo& world_io();
RankIo& rank_io();

}  // namespace mpisim::pio
