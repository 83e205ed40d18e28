#include <filesystem>
#include <unordered_map>

#include "mpisim/message.hpp"
#include "mpisim/rank.hpp"
#include "pfssim/delays.hpp"
#include "pfssim/transaction.hpp"
#include "piosim/file_server.hpp"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"
#include "piosim/storage.hpp"

namespace mpisim::pio {

namespace {

static_assert(static_cast<int>(mpi::MessageKind::kinds) <= static_cast<int>(pfs::EventKind::request));

class PfsStorage final : public Storage {
 public:
  explicit PfsStorage(const pfs::FileSystem& system)
      : system_(system), rank_(mpi::current_rank()), cnode_(system.cnode(rank_.node())) {}

  std::uint32_t open(const std::string& path, const pfs::ShapeHints& asked) override {
    pfs::TransactionData call{.operation = pfs::Operation::open, .name = name_of(path)};
    std::error_code none;  // what is not there yet, or cannot be asked, is empty
    if (const std::uintmax_t bytes = std::filesystem::file_size(path, none); !none) call.bytes = bytes;
    pfs::pack_shape(call, asked);
    const Reply opened = request(call);
    const auto shape = pfs::unpack_shape<pfs::Shape>(*opened);
    const Known known{shape, system_.largest_file(shape)};
    if (opened_.try_emplace(opened->file, known).second) world_io().note_path(opened->file, path);
    return opened->file;
  }
  pfs::Shape shape(std::uint32_t file) const override { return opened_.at(file).shape; }
  void remove(const std::string& path) override {
    request({.operation = pfs::Operation::remove, .name = name_of(path)});
  }
  void inquire(std::uint32_t file) override { request({.operation = pfs::Operation::inquire, .file = file}); }
  void look_up(const std::string& path) override {
    request({.operation = pfs::Operation::look_up, .name = name_of(path)});
  }
  void make(const std::string& path) override {
    request({.operation = pfs::Operation::make, .name = name_of(path)});
  }
  /// Both names' servers have work with it, if they are two.
  void rename(const std::string& path, const std::string& new_path) override {
    const pfs::TransactionData call{
        .operation = pfs::Operation::rename, .name = name_of(path), .meeting = name_of(new_path)};
    const pfs::TransactionData other{.operation = pfs::Operation::make, .name = call.meeting};
    request(call);
    if (system_.metadata_of(other) != system_.metadata_of(call)) request(other);
  }
  pfs::Tally sync(std::uint32_t file) override {
    const pfs::Parameters& machine = system_.parameters();
    if (!machine.writes_behind() && !machine.burst.any()) return {};
    return request({.operation = pfs::Operation::sync, .file = file})->tally;
  }

  pfs::Tally access(std::uint32_t file, const FilePiece& piece, bool write) override {
    return request(access_of(file, piece, write))->tally;
  }

  pfs::Tally access_list(std::uint32_t file, const std::vector<FilePiece>& pieces, bool write) override {
    return request(access_of(file, {pieces.front().offset, bytes_of(pieces)}, write), ranges_of(pieces))
        ->tally;
  }

  pfs::Tally access_directed(std::uint32_t file, const std::vector<FilePiece>& pieces, bool write,
                             const Meeting& meeting) override {
    // Disks of object servers, or behind burst buffers, do not wait for anybody.
    if (system_.parameters().objects.on || system_.parameters().burst.any())
      return pieces.empty() ? pfs::Tally{} : access_list(file, pieces, write);
    pfs::TransactionData data = access_of(file, {0, bytes_of(pieces)}, write);
    data.meeting = meeting.file;
    data.turn = meeting.turn;
    data.members = meeting.members;
    return request(data, ranges_of(pieces))->tally;
  }

  void start(std::uint32_t file, std::vector<FilePiece> pieces, bool write, Completion& completion) override {
    if (++last_tag_ == of_strand) last_tag_ = 1;
    const std::uint32_t tag = last_tag_;
    Background& background = background_[tag];
    background = {file, write, std::move(pieces), 0, {}, &completion};
    rank_.tell(cnode_, delay(), next_request(tag, background));
  }

  bool take(kernel::Event* event) override {
    if (event->kind != static_cast<std::uint16_t>(pfs::EventKind::reply)) return false;
    auto* reply = static_cast<pfs::Transaction*>(event);
    const auto entry = background_.find(reply->tag);
    if (entry == background_.end()) return false;  // the rank waits for it
    Background& background = entry->second;
    background.tally.add(reply->tally);
    const kernel::SimTime at = reply->key.time;
    pfs::dispose(reply);
    if (background.next < background.pieces.size()) {
      rank_.react(cnode_, at + delay(), next_request(entry->first, background));
      return true;
    }
    const Background done = std::move(background);
    background_.erase(entry);
    done.completion->done(at, done.tally);
    return true;
  }

  std::uint32_t asker(const kernel::Event& event) const override {
    if (event.kind != static_cast<std::uint16_t>(pfs::EventKind::reply)) return 0;
    return static_cast<const pfs::Transaction&>(event).tag & ~of_strand;
  }

  std::uint64_t largest_file(std::uint32_t file) const override {
    if (file != last_file_) {
      last_largest_ = opened_.at(file).largest;
      last_file_ = file;
    }
    return last_largest_;
  }

 private:
  /// Tags of accesses that a strand of the rank waits for, with its number.
  static constexpr std::uint32_t of_strand = std::uint32_t{1} << 31;

  /// Accesses one after the other, each when the reply to the one before has come.
  struct Background {
    std::uint32_t file = 0;
    bool write = false;
    std::vector<FilePiece> pieces;
    std::size_t next = 0;
    pfs::Tally tally;
    Completion* completion = nullptr;
  };

  static pfs::TransactionData access_of(std::uint32_t file, const FilePiece& piece, bool write) {
    return {.operation = write ? pfs::Operation::write : pfs::Operation::read,
            .file = file,
            .offset = piece.offset,
            .bytes = piece.bytes};
  }
  static std::uint64_t bytes_of(const std::vector<FilePiece>& pieces) {
    std::uint64_t bytes = 0;
    for (const FilePiece& piece : pieces) bytes += piece.bytes;
    return bytes;
  }
  static std::vector<pfs::Range> ranges_of(const std::vector<FilePiece>& pieces) {
    std::vector<pfs::Range> ranges;
    ranges.reserve(pieces.size());
    for (const FilePiece& piece : pieces) ranges.push_back({piece.offset, piece.bytes});
    return ranges;
  }
  static pfs::Transaction* make_request(const pfs::TransactionData& data) {
    pfs::Transaction* request = pfs::make_transaction(data);
    request->kind = static_cast<std::uint16_t>(pfs::EventKind::request);
    return request;
  }
  static pfs::Transaction* next_request(std::uint32_t tag, Background& background) {
    pfs::TransactionData data =
        access_of(background.file, background.pieces[background.next++], background.write);
    data.tag = tag;
    return make_request(data);
  }
  kernel::SimTime delay() const { return pfs::client_delay(system_.parameters()); }

  struct Disposal {
    void operator()(pfs::Transaction* reply) const { pfs::dispose(reply); }
  };
  using Reply = std::unique_ptr<pfs::Transaction, Disposal>;

  Reply request(const pfs::TransactionData& data) { return ask(make_request(data)); }
  Reply request(const pfs::TransactionData& data, std::vector<pfs::Range> list) {
    pfs::Transaction* request = make_request(data);
    request->list = std::move(list);
    return ask(request);
  }
  Reply ask(pfs::Transaction* request) {
    if (const std::uint32_t strand = rank_.strand_number(); strand != 0) request->tag = of_strand | strand;
    return Reply(static_cast<pfs::Transaction*>(rank_.ask(cnode_, delay(), request)));
  }

  const pfs::FileSystem& system_;
  mpi::Rank& rank_;
  kernel::LpId cnode_;
  std::unordered_map<std::uint32_t, Background> background_;  // by tag
  struct Known {
    pfs::Shape shape;
    std::uint64_t largest = 0;
  };
  std::unordered_map<std::uint32_t, Known> opened_;  // files, by number
  // Of the one that largest_file() was asked about last: each access asks, most of the same file.
  mutable std::uint32_t last_file_ = ~std::uint32_t{0};
  mutable std::uint64_t last_largest_ = 0;
  std::uint32_t last_tag_ = 0;  // 0: of requests that the rank waits for
};

}  // namespace

std::unique_ptr<Storage> make_pfs_storage(const pfs::FileSystem& system) {
  return std::make_unique<PfsStorage>(system);
}

}  // namespace mpisim::pio
