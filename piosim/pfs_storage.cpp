#include <filesystem>

#include "mpisim/message.hpp"
#include "mpisim/rank.hpp"
#include "pfssim/delays.hpp"
#include "pfssim/transaction.hpp"
#include "piosim/storage.hpp"

namespace mpisim::pio {

namespace {

static_assert(static_cast<int>(mpi::MessageKind::kinds) <= static_cast<int>(pfs::EventKind::request));

/// Tells names of files from each other, on every host process in the same way: FNV-1a of the absolute path.
std::uint64_t name_of(const std::string& path) {
  constexpr std::uint64_t basis = 0xcbf29ce484222325;
  constexpr std::uint64_t prime = 0x100000001b3;
  const std::string absolute = std::filesystem::absolute(path).lexically_normal().string();
  std::uint64_t hash = basis;
  for (const char letter : absolute) hash = (hash ^ static_cast<unsigned char>(letter)) * prime;
  return hash;
}

class PfsStorage final : public Storage {
 public:
  explicit PfsStorage(const pfs::FileSystem& system)
      : system_(system), cnode_(system.cnode(mpi::current_rank().node())) {}

  std::uint32_t open(const std::string& path) override {
    return request({.operation = pfs::Operation::open, .name = name_of(path)}).file;
  }
  void remove(const std::string& path) override {
    request({.operation = pfs::Operation::remove, .name = name_of(path)});
  }
  void inquire() override { request({.operation = pfs::Operation::inquire}); }

  pfs::Tally access(std::uint32_t file, const FilePiece& piece, bool write) override {
    return request({.operation = write ? pfs::Operation::write : pfs::Operation::read,
                    .file = file,
                    .offset = piece.offset,
                    .bytes = piece.bytes})
        .tally;
  }

  std::uint64_t largest_file() const override { return system_.largest_file(); }

 private:
  pfs::TransactionData request(const pfs::TransactionData& data) {
    pfs::Transaction* question = pfs::make_transaction(data);
    question->kind = static_cast<std::uint16_t>(pfs::EventKind::request);
    const kernel::SimTime delay = pfs::client_delay(system_.parameters());
    auto* reply = static_cast<pfs::Transaction*>(mpi::current_rank().ask(cnode_, delay, question));
    const pfs::TransactionData result = *reply;
    pfs::dispose(reply);
    return result;
  }

  const pfs::FileSystem& system_;
  kernel::LpId cnode_;
};

}  // namespace

std::unique_ptr<Storage> make_pfs_storage(const pfs::FileSystem& system) {
  return std::make_unique<PfsStorage>(system);
}

}  // namespace mpisim::pio
