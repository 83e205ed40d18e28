#include "piosim/access.hpp"

#include <fmt/format.h>

#include "piosim/agreement.hpp"
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

void account(FileOnStorage& file, const FilePiece& piece, bool write) {
  if (piece.bytes == 0) return;
  count(Counter::requests);
  count(write ? Counter::bytes_written : Counter::bytes_read, piece.bytes);
  if (piece.offset != file.next_offset) count(Counter::seeks);
  file.next_offset = piece.offset + piece.bytes;
  const pfs::Tally tally = rank_io().storage->access(file.number, piece, write);
  count(Counter::disk_reads, tally.reads);
  count(Counter::disk_writes, tally.writes);
  count(Counter::disk_seeks, tally.seeks);
}

std::uint64_t move(File& file, const FilePiece& piece, std::byte* data, bool write, Failure& failure) {
  if (Failure full = check_room(piece, write); !full.ok()) {
    failure = std::move(full);
    return 0;
  }
  const HostFile& host = file.host();
  const std::uint64_t moved = write ? host.write(data, piece.bytes, piece.offset, failure)
                                    : host.read(data, piece.bytes, piece.offset, failure);
  account(file.on_storage, {piece.offset, moved}, write);
  return moved;
}

Outcome access_alone(const Access& access) {
  Outcome outcome;
  bool ended = false;
  auto next = [&](const FilePiece& piece) {
    if (ended) return;
    const std::uint64_t moved =
        move(access.file, piece, access.data + outcome.bytes, access.write, outcome.failure);
    outcome.bytes += moved;
    ended = moved < piece.bytes;
  };
  Coalescer pieces(world_io().config.coalesce, next);
  access.file.view.for_each_piece(access.position, access.bytes,
                                  [&pieces](const FilePiece& piece) { pieces.add(piece); });
  pieces.finish();
  return outcome;
}

Outcome access_together(const Access& access) {
  enter(access.write ? CollectiveCall::write : CollectiveCall::read);
  if (world_io().config.collective == Collective::two_phase) return access_in_two_phases(access);
  barrier(access.file.comm());
  return access_alone(access);
}

}  // namespace mpisim::pio
