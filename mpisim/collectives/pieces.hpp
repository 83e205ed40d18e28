#pragma once
// The blocks of a gathered, scattered or exchanged buffer, one per rank of the communicator, in whatever form
// the call gives them. Costs no memory per rank of its own.
#include <cstdint>

#include "mpisim/collectives/plumbing.hpp"

namespace mpisim::mpi::collectives {

class Pieces {
 public:
  /// No blocks: what ranks pass that have no such buffer.
  explicit Pieces(const void* base = nullptr) : base_(base) {}
  /// Block i: `count` elements, i * count elements behind `base`.
  static Pieces uniform(const void* base, std::uint64_t count, const Datatype& type) {
    Pieces pieces(base);
    pieces.count_ = count;
    pieces.type_ = &type;
    return pieces;
  }
  /// Block i: counts[i] elements, displacements[i] elements behind `base`.
  static Pieces varying(const void* base, const int* counts, const int* displacements, const Datatype& type) {
    Pieces pieces(base);
    pieces.counts_ = counts;
    pieces.displacements_ = displacements;
    pieces.type_ = &type;
    return pieces;
  }
  /// Block i: counts[i] elements of *types[i], displacements[i] bytes behind `base`.
  static Pieces typed(const void* base, const int* counts, const int* displacements,
                      const Datatype* const* types) {
    Pieces pieces(base);
    pieces.counts_ = counts;
    pieces.displacements_ = displacements;
    pieces.types_ = types;
    return pieces;
  }

  Piece operator[](int rank) const {
    const std::uint64_t count = counts_ ? static_cast<std::uint64_t>(counts_[rank]) : count_;
    if (types_)
      return {reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(base_) +
                                      static_cast<std::uintptr_t>(std::intptr_t{displacements_[rank]})),
              count, types_[rank]};
    const std::int64_t first =
        displacements_ ? displacements_[rank] : rank * static_cast<std::int64_t>(count_);
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): asked only of ranks that have the pieces
    return {element(base_, first, *type_), count, type_};
  }
  /// Blocks [first, first + blocks) lie one behind the other and form one piece: uniform() only.
  bool is_uniform() const { return !counts_; }
  Piece run(int first, int blocks) const {
    return {element(base_, first * static_cast<std::int64_t>(count_), *type_),
            count_ * static_cast<std::uint64_t>(blocks), type_};
  }

 private:
  const void* base_;
  std::uint64_t count_ = 0;
  const Datatype* type_ = nullptr;
  const int* counts_ = nullptr;
  const int* displacements_ = nullptr;
  const Datatype* const* types_ = nullptr;
};

}  // namespace mpisim::mpi::collectives
