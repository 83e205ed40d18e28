#include "piosim/access.hpp"

#include "piosim/agreement.hpp"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"

namespace mpisim::pio {

void account(File& file, const FilePiece& piece, bool write) {
  if (piece.bytes == 0) return;
  count(Counter::requests);
  count(write ? Counter::bytes_written : Counter::bytes_read, piece.bytes);
  if (piece.offset != file.next_offset) count(Counter::seeks);
  file.next_offset = piece.offset + piece.bytes;
  rank_io().storage->access(file.number(), piece, write);
}

Outcome access_alone(const Access& access) {
  Outcome outcome;
  bool ended = false;
  auto move = [&](const FilePiece& piece) {
    if (ended) return;
    std::byte* const data = access.data + outcome.bytes;
    const HostFile& host = access.file.host();
    const std::uint64_t moved = access.write ? host.write(data, piece.bytes, piece.offset, outcome.failure)
                                             : host.read(data, piece.bytes, piece.offset, outcome.failure);
    account(access.file, {piece.offset, moved}, access.write);
    outcome.bytes += moved;
    ended = moved < piece.bytes;
  };
  Coalescer pieces(world_io().config.coalesce, move);
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
