#include "piosim/access.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "piosim/background.hpp"
#include "piosim/shared_state.hpp"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"

namespace mpisim::pio {

namespace {

/// The real file may be larger than the machine's. Reading behind the end of a file needs no room.
Failure check_room(const File& file, const FilePiece& piece, bool write) {
  const std::uint64_t room = rank_io().storage->largest_file(file.on_storage.number);
  if (piece.bytes <= room && piece.offset <= room - piece.bytes) return {};
  Failure failure;
  if (!write && file.host().size(failure) <= room && failure.ok()) return {};
  return {write ? MPI_ERR_NO_SPACE : MPI_ERR_IO,
          fmt::format("the disks of the simulated machine have room for {} bytes of a file", room)};
}

}  // namespace

Storage& storage_of(const FileOnStorage& file) {
  return file.beside != nullptr ? *file.beside : *rank_io().storage;
}

void count_request(FileOnStorage& file, const FilePiece& piece, bool write) {
  count(Counter::requests);
  count(write ? Counter::bytes_written : Counter::bytes_read, piece.bytes);
  FileUseCounts& counts = rank_io().ledger->files[file.entry].counts;
  counts.requests.count(piece.bytes, write);
  if (piece.offset != file.next_offset) {
    count(Counter::seeks);
    ++counts.seeks;
  }
  file.next_offset = piece.offset + piece.bytes;
}

void sync(FileOnStorage& file) {
  count_tally(file, storage_of(file).sync(file.number));
}

void close(FileOnStorage& file) {
  if (!world_io().config.pfs.keeps_after_close()) sync(file);
  rank_io().metadata().inquire(file.number);
}

void account(FileOnStorage& file, const FilePiece& piece, bool write) {
  if (piece.bytes == 0) return;
  count_request(file, piece, write);
  count_tally(file, storage_of(file).access(file.number, piece, write));
}

std::uint64_t move_data(File& file, const FilePiece& piece, std::byte* data, bool write, Failure& failure) {
  if (Failure full = check_room(file, piece, write); !full.ok()) {
    failure = std::move(full);
    return 0;
  }
  const HostFile& host = file.host();
  return write ? host.write(data, piece.bytes, piece.offset, failure)
               : host.read(data, piece.bytes, piece.offset, failure);
}

std::uint64_t move(const Access& access, const FilePiece& piece, std::byte* data, Failure& failure) {
  const std::uint64_t moved = move_data(access.file, piece, data, access.write, failure);
  account(access.place(), {piece.offset, moved}, access.write);
  return moved;
}

namespace {

/// Calls visit(FilePiece) for each element of the etype, or for the runs of each if it has gaps.
template <class Visit>
void for_each_element(const View& view, std::uint64_t position, std::uint64_t bytes, Visit&& visit) {
  view.for_each_piece(position, bytes, [&](FilePiece run) {
    while (run.bytes > 0) {
      const std::uint64_t length = std::min(run.bytes, view.etype_size() - position % view.etype_size());
      visit(FilePiece{run.offset, length});
      position += length;
      run.offset += length;
      run.bytes -= length;
    }
  });
}

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
  const View& view = access.shown();
  const Coalesce coalesce = world_io().config.coalesce;
  if (coalesce == Coalesce::etype && view.etype_size() > 1) {
    for_each_element(view, access.position, access.bytes, next);
    return outcome;
  }
  Coalescer pieces(coalesce == Coalesce::on, next);
  view.for_each_piece(access.position, access.bytes,
                      [&pieces](const FilePiece& piece) { pieces.add(piece); });
  pieces.finish();
  return outcome;
}

}  // namespace

Outcome access_alone(const Access& access) {
  const RangeLock lock(access);
  return for_each_request(access, [&access](const FilePiece& piece, std::byte* data, Failure& failure) {
    return move(access, piece, data, failure);
  });
}

Outcome move_all_data(const Access& access, std::vector<FilePiece>& moved) {
  return for_each_request(access, [&](const FilePiece& piece, std::byte* data, Failure& failure) {
    const std::uint64_t bytes = move_data(access.file, piece, data, access.write, failure);
    if (bytes > 0) moved.push_back({piece.offset, bytes});
    return bytes;
  });
}

mpi::Request* start_alone(const Access& access, Outcome& outcome) {
  std::vector<FilePiece> moved;
  outcome = move_all_data(access, moved);
  return start_in_background(access.file, std::move(moved), access.write, outcome.failure);
}

}  // namespace mpisim::pio
