#include <algorithm>
#include <unordered_map>

#include "mpisim/core.hpp"
#include "mpisim/rank.hpp"
#include "pfssim/file_disk.hpp"
#include "piosim/storage.hpp"

namespace mpisim::pio {

namespace {

class DiskStorage final : public Storage {
 public:
  DiskStorage(kernel::SimTime open_cost, kernel::SimTime metadata_cost, const disk::Factory& disk)
      : open_cost_(open_cost), metadata_cost_(metadata_cost), make_(disk), disk_(disk) {}

  std::uint32_t open(const std::string& path, const pfs::ShapeHints& /*asked*/) override {
    mpi::core::charge(open_cost_);
    return numbers_.try_emplace(path, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  void remove(const std::string& /*path*/) override { mpi::core::charge(metadata_cost_); }
  void inquire(std::uint32_t /*file*/) override { mpi::core::charge(metadata_cost_); }
  void look_up(const std::string& /*path*/) override { mpi::core::charge(metadata_cost_); }
  void make(const std::string& /*path*/) override { mpi::core::charge(metadata_cost_); }
  void rename(const std::string& /*path*/, const std::string& /*new_path*/) override {
    mpi::core::charge(metadata_cost_);
  }

  pfs::Tally access(std::uint32_t file, const FilePiece& piece, bool write) override {
    const kernel::SimTime now = mpi::current_rank().now();
    const pfs::Tally tally = serve(file, piece, write, now);
    mpi::core::charge(free_ - now);
    return tally;
  }

  pfs::Tally access_list(std::uint32_t file, const std::vector<FilePiece>& pieces, bool write) override {
    const kernel::SimTime now = mpi::current_rank().now();
    pfs::Tally tally;
    for (const FilePiece& piece : pieces) tally.add(serve(file, piece, write, now));
    mpi::core::charge(free_ - now);
    return tally;
  }

  pfs::Tally access_directed(std::uint32_t file, const std::vector<FilePiece>& pieces, bool write,
                             const Meeting& /*a rank's disk is its own*/) override {
    std::vector<FilePiece> runs = pieces;
    std::stable_sort(runs.begin(), runs.end(),
                     [](const FilePiece& a, const FilePiece& b) { return a.offset < b.offset; });
    std::size_t last = 0;
    for (std::size_t i = 1; i < runs.size(); ++i) {
      const std::uint64_t end = runs[last].offset + runs[last].bytes;
      if (runs[i].offset > end)
        runs[++last] = runs[i];
      else
        runs[last].bytes = std::max(end, runs[i].offset + runs[i].bytes) - runs[last].offset;
    }
    if (!runs.empty()) runs.resize(last + 1);
    return runs.empty() ? pfs::Tally{} : access_list(file, runs, write);
  }

  void start(std::uint32_t file, std::vector<FilePiece> pieces, bool write, Completion& completion) override {
    pfs::Tally tally;
    for (const FilePiece& piece : pieces) tally.add(serve(file, piece, write, mpi::current_rank().now()));
    completion.done(free_, tally);
  }

  std::unique_ptr<Storage> beside() const override {
    return std::make_unique<DiskStorage>(open_cost_, metadata_cost_, make_);
  }

  std::uint64_t largest_file(std::uint32_t /*file*/) const override { return disk_.room(); }

 private:
  /// The disk serves requests in the order in which the program makes them.
  pfs::Tally serve(std::uint32_t file, const FilePiece& piece, bool write, kernel::SimTime now) {
    const kernel::SimTime begin = kernel::max(now, free_);
    const disk::Service service = disk_.serve(file, piece.offset, piece.bytes, write, begin);
    free_ = begin + service.time;
    return {write ? 0U : 1U, write ? 1U : 0U, service.seek ? 1U : 0U};
  }

  kernel::SimTime free_;  ///< when the disk has served what it was given
  kernel::SimTime open_cost_;
  kernel::SimTime metadata_cost_;
  disk::Factory make_;
  pfs::FileDisk disk_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of files, by path
};

}  // namespace

std::unique_ptr<Storage> make_disk_storage(const Config& config) {
  return std::make_unique<DiskStorage>(config.open_cost, config.metadata_cost,
                                       disk::array_factory(config.raid, config.disk));
}

std::unique_ptr<Storage> make_local_storage(const Config& config) {
  return std::make_unique<DiskStorage>(kernel::SimTime::zero(), kernel::SimTime::zero(),
                                       disk::factory<disk::Analytic>(config.local_disk));
}

}  // namespace mpisim::pio
