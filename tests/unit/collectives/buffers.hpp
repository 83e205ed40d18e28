#pragma once
// Buffers whose every byte is compared with what should be there, gaps of datatypes included.
#include <cstdint>
#include <cstring>
#include <vector>

#include "mpisim/collectives/algorithms.hpp"
#include "mpisim/predefined_types.hpp"
#include "mpisim/type_layouts.hpp"

namespace testing {

using mpisim::mpi::Datatype;
using mpisim::mpi::TypePointer;
using mpisim::mpi::collectives::Piece;

/// Counts, datatypes and communicator sizes that the tests go through.
inline const std::vector<int> rank_counts{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17};

inline const Datatype& int_type() {
  return *mpisim::mpi::predefined_datatype(MPI_INT);
}

/// Two ints with a gap between and after them: extent 20.
inline const Datatype& gapped_pair() {
  static const TypePointer type =
      mpisim::mpi::make_resized(*mpisim::mpi::make_vector(2, 1, 12, int_type()), 0, 20);
  return *type;
}

/// Memory for `elements` elements of a type, filled with a pattern that no test sends.
class Image {
 public:
  Image(std::uint64_t elements, const Datatype& type)
      : bytes_(elements * static_cast<std::uint64_t>(type.extent()) + 8, std::byte{0xEE}) {}
  void* address() { return bytes_.data(); }
  /// Writes ints into a piece of this memory.
  void put(const Piece& piece, const std::vector<int>& values) {
    if (!values.empty()) piece.type->unpack(piece.address, piece.count, 0, piece.bytes(), values.data());
  }
  bool operator==(const Image& other) const { return bytes_ == other.bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// `count` ints that tell who made them.
inline std::vector<int> values(int rank, std::uint64_t count, int salt = 0) {
  std::vector<int> result(count);
  for (std::uint64_t index = 0; index < count; ++index)
    result[index] = rank * 100003 + salt * 1009 + static_cast<int>(index);
  return result;
}

inline mpisim::mpi::collectives::Call call_on(mpisim::mpi::Communicator& comm) {
  return mpisim::mpi::collectives::Call::next(comm);
}

inline std::vector<int> some_roots(int ranks) {
  std::vector<int> roots{0};
  if (ranks > 1) roots.push_back(ranks - 1);
  if (ranks > 3) roots.push_back(ranks / 2);
  return roots;
}

}  // namespace testing
