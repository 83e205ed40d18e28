#include "mpisim/core.hpp"
#include "mpisim/rank.hpp"
#include "pfssim/file_disk.hpp"
#include "piosim/statistics.hpp"
#include "piosim/storage.hpp"

namespace mpisim::pio {

namespace {

class DiskStorage final : public Storage {
 public:
  explicit DiskStorage(const Config& config)
      : open_cost_(config.open_cost), metadata_cost_(config.metadata_cost), disk_(config.disk) {}

  std::uint32_t open(const std::string& /*path*/) override {
    mpi::core::charge(open_cost_);
    return files_++;
  }
  void remove(const std::string& /*path*/) override { inquire(); }
  void inquire() override { mpi::core::charge(metadata_cost_); }

  void access(std::uint32_t file, const FilePiece& piece, bool write) override {
    const disk::Service service =
        disk_.serve(file, piece.offset, piece.bytes, write, mpi::current_rank().now());
    mpi::core::charge(service.time);
    count(write ? Counter::disk_writes : Counter::disk_reads);
    if (service.seek) count(Counter::disk_seeks);
  }

  std::uint64_t largest_file() const override { return disk_.room(); }

 private:
  kernel::SimTime open_cost_;
  kernel::SimTime metadata_cost_;
  pfs::FileDisk disk_;
  std::uint32_t files_ = 0;
};

}  // namespace

std::unique_ptr<Storage> make_disk_storage(const Config& config) {
  return std::make_unique<DiskStorage>(config);
}

}  // namespace mpisim::pio
