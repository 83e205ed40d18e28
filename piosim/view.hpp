#pragma once
// Views (MPI-3.1 section 13.3): a displacement and the datatypes as the program made them, never flattened.
#include <cstdint>
#include <string>
#include <utility>

#include "mpisim/datatype.hpp"
#include "piosim/representation.hpp"
#include "piosim/storage.hpp"

namespace mpisim::pio {

/// Positions in the stream of a view's data are bytes that the view shows, counted from its beginning; gaps
/// of the filetype do not count.
class View {
 public:
  /// The whole file as bytes.
  View();
  /// The types are committed and fit (fault() is empty).
  View(std::uint64_t displacement, const mpi::Datatype& etype, const mpi::Datatype& filetype,
       RepresentationPointer representation);

  std::uint64_t displacement() const { return displacement_; }
  /// As the program gave them.
  const mpi::Datatype& etype() const { return *etype_; }
  const mpi::Datatype& filetype() const { return *filetype_; }
  const Representation& representation() const { return *representation_; }
  /// Bytes of an etype in the file.
  std::uint64_t etype_size() const { return etype_size_; }

  /// Calls visit(FilePiece) for the contiguous pieces of the file that bytes [position, position + bytes) of
  /// the stream lie in, in stream order. Neighbouring pieces are not merged, except inside an element of the
  /// filetype whose bytes are one run. Costs O(depth + pieces).
  template <class Visit>
  void for_each_piece(std::uint64_t position, std::uint64_t bytes, Visit&& visit) const;

  /// Offset in the file of the stream's byte `position`.
  std::uint64_t file_offset(std::uint64_t position) const;

  /// From the first byte of the file that bytes [position, position + bytes) of the stream lie in to the
  /// last.
  FilePiece range(std::uint64_t position, std::uint64_t bytes) const;

  /// Bytes of the stream that lie below `end` in the file. Costs O(depth + pieces of one filetype).
  std::uint64_t stream_below(std::uint64_t end) const;

  /// Why these types cannot form a view (section 13.3) of a file that may be `writable`: empty if they can.
  static std::string fault(const mpi::Datatype& etype, const mpi::Datatype& filetype, bool writable);

 private:
  std::uint64_t displacement_ = 0;
  mpi::TypePointer etype_;
  mpi::TypePointer filetype_;
  RepresentationPointer representation_;
  mpi::TypePointer layout_;  ///< of the filetype in the file
  std::uint64_t etype_size_ = 1;
};

/// Calls a function for each run that a datatype shows.
template <class Visit>
class PieceSink final : public mpi::RunSink {
 public:
  explicit PieceSink(Visit& visit) : visit_(visit) {}
  void runs(std::int64_t displacement, std::uint64_t length, std::int64_t stride,
            std::uint64_t count) override {
    if (length == 0) return;
    for (; count > 0; --count, displacement += stride)
      visit_(FilePiece{static_cast<std::uint64_t>(displacement), length});
  }

 private:
  Visit& visit_;
};

template <class Visit>
void View::for_each_piece(std::uint64_t position, std::uint64_t bytes, Visit&& visit) const {
  if (bytes == 0 || layout_->size() == 0) return;
  if (layout_->contiguous()) {
    visit(FilePiece{displacement_ + position, bytes});
    return;
  }
  PieceSink<Visit> sink(visit);
  layout_->visit(static_cast<std::int64_t>(displacement_), position, bytes, sink);
}

/// Passes pieces on to visit(FilePiece), adjacent ones as one if `merge`. finish() passes on the last.
template <class Visit>
class Coalescer {
 public:
  Coalescer(bool merge, Visit& visit) : merge_(merge), visit_(visit) {}
  void add(const FilePiece& piece) {
    if (merge_ && held_.bytes > 0 && held_.offset + held_.bytes == piece.offset) {
      held_.bytes += piece.bytes;
      return;
    }
    finish();
    held_ = piece;
  }
  void finish() {
    if (held_.bytes > 0) visit_(held_);
    held_ = {};
  }

 private:
  bool merge_;
  Visit& visit_;
  FilePiece held_;
};

}  // namespace mpisim::pio
