#include "mpisim/core.hpp"
#include "piosim/statistics.hpp"
#include "piosim/storage.hpp"

namespace mpisim::pio {

namespace {

constexpr unsigned file_spacing_bits = 44;

class DiskStorage final : public Storage {
 public:
  explicit DiskStorage(const disk::AnalyticParameters& parameters) : disk_(parameters) {}

  void access(std::uint32_t file, const FilePiece& piece, bool write) override {
    const std::uint64_t address = (std::uint64_t{file} << file_spacing_bits) + piece.offset;
    const disk::Service service = disk_.serve({address, kernel::Bytes(piece.bytes), write});
    mpi::core::charge(service.time);
    count(write ? Counter::disk_writes : Counter::disk_reads);
    if (service.seek) count(Counter::disk_seeks);
  }

 private:
  disk::Analytic disk_;
};

}  // namespace

std::unique_ptr<Storage> make_disk_storage(const Config& config) {
  return std::make_unique<DiskStorage>(config.disk);
}

}  // namespace mpisim::pio
