#include <unordered_map>

#include "mpisim/core.hpp"
#include "mpisim/rank.hpp"
#include "pfssim/file_disk.hpp"
#include "piosim/storage.hpp"

namespace mpisim::pio {

namespace {

class DiskStorage final : public Storage {
 public:
  DiskStorage(kernel::SimTime open_cost, kernel::SimTime metadata_cost, const disk::Parameters& disk)
      : open_cost_(open_cost), metadata_cost_(metadata_cost), disk_(disk) {}

  std::uint32_t open(const std::string& path) override {
    mpi::core::charge(open_cost_);
    return numbers_.try_emplace(path, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  void remove(const std::string& /*path*/) override { inquire(); }
  void inquire() override { mpi::core::charge(metadata_cost_); }

  pfs::Tally access(std::uint32_t file, const FilePiece& piece, bool write) override {
    const disk::Service service =
        disk_.serve(file, piece.offset, piece.bytes, write, mpi::current_rank().now());
    mpi::core::charge(service.time);
    return {write ? 0U : 1U, write ? 1U : 0U, service.seek ? 1U : 0U};
  }

  std::uint64_t largest_file() const override { return disk_.room(); }

 private:
  kernel::SimTime open_cost_;
  kernel::SimTime metadata_cost_;
  pfs::FileDisk disk_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of files, by path
};

}  // namespace

std::unique_ptr<Storage> make_disk_storage(const Config& config) {
  return std::make_unique<DiskStorage>(config.open_cost, config.metadata_cost, config.disk);
}

std::unique_ptr<Storage> make_local_storage(const Config& config) {
  disk::Parameters disk;
  disk.model = disk::Model::analytic;
  disk.analytic = config.local_disk;
  return std::make_unique<DiskStorage>(kernel::SimTime::zero(), kernel::SimTime::zero(), disk);
}

}  // namespace mpisim::pio
