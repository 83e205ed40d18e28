#include "piosim/access.hpp"

#include <fmt/format.h>

#include "piosim/agreement.hpp"
#include "piosim/background.hpp"
#include "piosim/shared_state.hpp"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"

namespace mpisim::pio {

namespace {

/// The real file may be larger than the machine's.
Failure check_room(const FilePiece& piece, bool write) {
  const std::uint64_t room = rank_io().storage->largest_file();
  if (piece.bytes <= room && piece.offset <= room - piece.bytes) return {};
  return {write ? MPI_ERR_NO_SPACE : MPI_ERR_IO,
          fmt::format("the disks of the simulated machine have room for {} bytes of a file", room)};
}

}  // namespace

void count_request(FileOnStorage& file, const FilePiece& piece, bool write) {
  count(Counter::requests);
  count(write ? Counter::bytes_written : Counter::bytes_read, piece.bytes);
  if (piece.offset != file.next_offset) count(Counter::seeks);
  file.next_offset = piece.offset + piece.bytes;
}

void account(FileOnStorage& file, const FilePiece& piece, bool write) {
  if (piece.bytes == 0) return;
  count_request(file, piece, write);
  const pfs::Tally tally = rank_io().storage->access(file.number, piece, write);
  count(Counter::disk_reads, tally.reads);
  count(Counter::disk_writes, tally.writes);
  count(Counter::disk_seeks, tally.seeks);
}

std::uint64_t move_data(File& file, const FilePiece& piece, std::byte* data, bool write, Failure& failure) {
  if (Failure full = check_room(piece, write); !full.ok()) {
    failure = std::move(full);
    return 0;
  }
  const HostFile& host = file.host();
  return write ? host.write(data, piece.bytes, piece.offset, failure)
               : host.read(data, piece.bytes, piece.offset, failure);
}

std::uint64_t move(File& file, const FilePiece& piece, std::byte* data, bool write, Failure& failure) {
  const std::uint64_t moved = move_data(file, piece, data, write, failure);
  account(file.on_storage, {piece.offset, moved}, write);
  return moved;
}

namespace {

/// Calls move_piece(piece, data) for each piece of the access until one is moved in part; what was moved.
template <class MovePiece>
Outcome for_each_request(const Access& access, MovePiece&& move_piece) {
  Outcome outcome;
  bool ended = false;
  auto next = [&](const FilePiece& piece) {
    if (ended) return;
    const std::uint64_t moved = move_piece(piece, access.data + outcome.bytes, outcome.failure);
    outcome.bytes += moved;
    ended = moved < piece.bytes;
  };
  Coalescer pieces(world_io().config.coalesce, next);
  access.file.view.for_each_piece(access.position, access.bytes,
                                  [&pieces](const FilePiece& piece) { pieces.add(piece); });
  pieces.finish();
  return outcome;
}

class Alone final : public CollectiveAccess {
 public:
  explicit Alone(const Access& access) : access_(access) {}

  void begin() override {
    barrier(access_.file.comm());
    // Atomic accesses are over before the next call, so that their locks are.
    if (access_.file.atomic)
      outcome_ = access_alone(access_);
    else
      request_ = start_alone(access_, outcome_);
  }

  Outcome end() override {
    if (request_ != nullptr) mpi::core::wait(request_);
    return std::move(outcome_);
  }

 private:
  Access access_;
  Outcome outcome_;
  mpi::Request* request_ = nullptr;
};

/// Two-phase would write each part of the file for several ranks at once, in no order of ranks.
bool in_two_phases(const File& file) {
  return world_io().config.collective == Collective::two_phase && !file.atomic;
}

}  // namespace

Outcome access_alone(const Access& access) {
  const RangeLock lock(access.file, access.file.view.range(access.position, access.bytes), access.write);
  return for_each_request(access, [&access](const FilePiece& piece, std::byte* data, Failure& failure) {
    return move(access.file, piece, data, access.write, failure);
  });
}

mpi::Request* start_alone(const Access& access, Outcome& outcome) {
  std::vector<FilePiece> moved;
  outcome = for_each_request(access, [&](const FilePiece& piece, std::byte* data, Failure& failure) {
    const std::uint64_t bytes = move_data(access.file, piece, data, access.write, failure);
    if (bytes > 0) moved.push_back({piece.offset, bytes});
    return bytes;
  });
  return start_in_background(access.file, std::move(moved), access.write, outcome.failure);
}

Outcome access_together(const Access& access) {
  enter(access.write ? CollectiveCall::write : CollectiveCall::read);
  if (in_two_phases(access.file)) return access_in_two_phases(access);
  barrier(access.file.comm());
  return access_alone(access);
}

std::unique_ptr<CollectiveAccess> begin_together(const Access& access) {
  enter(access.write ? CollectiveCall::write : CollectiveCall::read);
  std::unique_ptr<CollectiveAccess> begun =
      in_two_phases(access.file) ? make_two_phase(access) : std::make_unique<Alone>(access);
  begun->begin();
  return begun;
}

}  // namespace mpisim::pio
