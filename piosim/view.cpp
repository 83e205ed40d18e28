#include "piosim/view.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mpisim::pio {

using mpi::Datatype;
using mpi::TypePointer;

View::View() : View(0, mpi::byte_type(), mpi::byte_type(), native_representation()) {}

View::View(std::uint64_t displacement, const Datatype& etype, const Datatype& filetype,
           RepresentationPointer representation)
    : displacement_(displacement),
      etype_(TypePointer::share(etype)),
      filetype_(TypePointer::share(filetype)),
      representation_(std::move(representation)),
      layout_(representation_->layout(filetype)),
      etype_size_(representation_->layout(etype)->size()) {}

std::uint64_t View::file_offset(std::uint64_t position) const {
  std::uint64_t offset = displacement_;
  for_each_piece(position, 1, [&offset](const FilePiece& piece) { offset = piece.offset; });
  return offset;
}

FilePiece View::range(std::uint64_t position, std::uint64_t bytes) const {
  if (bytes == 0 || layout_->size() == 0) return {};
  const std::uint64_t first = file_offset(position);
  return {first, file_offset(position + bytes - 1) + 1 - first};
}

std::uint64_t View::stream_below(std::uint64_t end) const {
  const Datatype& type = *layout_;
  if (end <= displacement_ || type.size() == 0) return 0;
  const auto span = static_cast<std::int64_t>(end - displacement_);
  // Elements 0 ... whole - 1 end before `end`; of what follows, only elements that begin before it count.
  const std::int64_t last_byte = type.true_lower_bound() + type.true_extent();
  std::int64_t whole = span < last_byte ? 0 : (span - last_byte) / type.extent() + 1;
  std::uint64_t below = static_cast<std::uint64_t>(whole) * type.size();
  for (; whole * type.extent() + type.true_lower_bound() < span; ++whole) {
    for_each_piece(static_cast<std::uint64_t>(whole) * type.size(), type.size(), [&](const FilePiece& piece) {
      if (piece.offset < end) below += std::min(piece.bytes, end - piece.offset);
    });
  }
  return below;
}

std::string View::fault(const Datatype& etype, const Datatype& filetype, bool writable) {
  if (etype.size() == 0) return "the etype has no data";
  if (filetype.size() % etype.size() != 0)
    return fmt::format("the filetype has {} bytes of data, which is no multiple of the etype's {}",
                       filetype.size(), etype.size());
  if (filetype.size() == 0) return {};
  if (filetype.true_lower_bound() < 0) return "the filetype has data at a negative displacement";
  if (filetype.extent() <= 0) return "the extent of the filetype is not positive";
  std::uint64_t last = 0, end = 0;
  bool ascending = true, apart = true;
  auto look = [&](const FilePiece& piece) {
    ascending = ascending && piece.offset >= last;
    apart = apart && piece.offset >= end;
    last = piece.offset;
    end = std::max(end, piece.offset + piece.bytes);
  };
  PieceSink sink(look);
  filetype.visit(0, 0, filetype.size(), sink);
  if (!ascending) return "the displacements of the filetype descend somewhere";
  return apart || !writable ? "" : "the filetype has regions that overlap, and the file is open for writing";
}

}  // namespace mpisim::pio
