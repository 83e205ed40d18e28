#pragma once
// What all collective algorithms are made of: one call's identity, temporary buffers, local copies, reduction
// steps that are charged, and short forms of the point-to-point core.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "mpisim/core.hpp"
#include "mpisim/datatype.hpp"

namespace mpisim::mpi::collectives {

/// One call of a collective on an intra-communicator (or on the local group of an inter-communicator). All
/// its messages carry `tag`; pairs of ranks exchange several only in an order that both know.
struct Call {
  Communicator& comm;
  int tag;
  int rank;
  int size;

  /// Next call on `comm`: takes the sequence number.
  static Call next(Communicator& comm);
};

/// `count` elements of `type` at `address`. Constness is the caller's business: sends do not write.
struct Piece {
  void* address = nullptr;
  std::uint64_t count = 0;
  const Datatype* type = nullptr;

  std::uint64_t bytes() const { return count * type->size(); }
};

/// Address of element `index`; works for MPI_BOTTOM.
inline void* element(const void* base, std::int64_t index, const Datatype& type) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(base) +
                                 static_cast<std::uintptr_t>(index * type.extent()));
}

/// Uninitialized bytes, on the stack while small: calls of a few bytes allocate nothing.
class Scratch {
 public:
  explicit Scratch(std::uint64_t bytes);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::byte* data() { return data_; }

 private:
  static constexpr std::size_t inline_bytes = 64;
  alignas(16) std::array<std::byte, inline_bytes> inline_;
  std::unique_ptr<std::byte[]> heap_;
  std::byte* data_;
};

/// Room for `count` elements of `type` with their gaps, as user functions expect; address() is what stands
/// for the buffer argument.
class ElementScratch {
 public:
  ElementScratch(std::uint64_t count, const Datatype& type);
  void* address() const { return address_; }

 private:
  Scratch storage_;
  void* address_;
};

/// The data of a piece as consecutive bytes: in place where the type allows, else packed into scratch memory
/// (charged as a copy).
class PackedView {
 public:
  enum class Contents { read, write };
  /// read: filled from the piece now; write: store() moves what was received into the piece.
  PackedView(const Piece& piece, Contents contents);
  std::byte* data() const { return data_; }
  std::uint64_t bytes() const { return piece_.bytes(); }
  void store();

 private:
  Piece piece_;
  bool direct_;
  Scratch scratch_;
  std::byte* data_;
};

/// Local copy between pieces of equal signature, charged at the machine's copy rate. The same address and
/// type means MPI_IN_PLACE and costs nothing; otherwise they must not overlap.
void copy(const Piece& from, const Piece& to);
void copy_bytes(const void* from, void* to, std::uint64_t bytes);
void pack(const Piece& from, std::byte* to);
void unpack(const std::byte* from, const Piece& to);

/// A reduction operation on a type. combine() charges the machine's mpi.reduce_cost per byte.
class Reduction {
 public:
  Reduction(const Datatype& type, bool commutative) : type_(type), commutative_(commutative) {}
  virtual ~Reduction() = default;
  Reduction(const Reduction&) = delete;
  Reduction& operator=(const Reduction&) = delete;

  const Datatype& type() const { return type_; }
  bool commutative() const { return commutative_; }
  /// upper[i] = lower[i] op upper[i]; `lower` holds what comes from lower ranks.
  void combine(const void* lower, void* upper, std::uint64_t count) const;

 private:
  virtual void apply(const void* lower, void* upper, std::uint64_t count) const = 0;
  const Datatype& type_;
  bool commutative_;
};

/// A partial result that travels between two buffers, so that combining with what comes from higher ranks
/// keeps rank order without a copy.
class Accumulator {
 public:
  /// Starts with `input` in `home`, where finish() leaves the result. `home` must not be the input buffer
  /// unless it is the same piece (MPI_IN_PLACE).
  Accumulator(const Reduction& reduction, const void* input, void* home, std::uint64_t count);
  void* value() const { return value_; }
  /// Where the next operand is received.
  void* spare();
  /// Combines with the operand in spare(), which comes from lower ranks / from higher ranks.
  void combine_lower() { reduction_.combine(spare_, value_, count_); }
  void combine_higher() {
    reduction_.combine(value_, spare_, count_);
    std::swap(value_, spare_);
  }
  void combine(bool from_lower) { from_lower ? combine_lower() : combine_higher(); }
  /// Replaces the value by what was received into spare().
  void replace() { std::swap(value_, spare_); }
  void finish();

 private:
  const Reduction& reduction_;
  std::uint64_t count_;
  void* home_;
  void* value_;
  void* spare_ = nullptr;
  std::optional<ElementScratch> scratch_;
};

// Short forms: messages of this call.
Request* isend(const Call& call, const Piece& piece, int destination);
/// Null if the send is complete already.
Request* begin_send(const Call& call, const Piece& piece, int destination);
Request* irecv(const Call& call, const Piece& piece, int source);
void send(const Call& call, const Piece& piece, int destination);
void recv(const Call& call, const Piece& piece, int source);
void send_recv(const Call& call, const Piece& out, int destination, const Piece& in, int source);
Piece bytes_piece(const void* address, std::uint64_t bytes);
/// A message without data.
Piece signal();

/// At most 32 requests under way (as MPICH throttles its linear all-to-all): no memory per rank of the
/// communicator.
class RequestWindow {
 public:
  /// Null: what was started is complete already, and counts as the others do.
  void add(Request* request);
  void finish();

 private:
  static constexpr std::size_t limit = 32;
  std::array<Request*, limit> requests_;
  std::size_t used_ = 0;
  std::size_t added_ = 0;
};

/// Part `index` of `count` elements split into `parts` runs whose lengths differ by one at most.
struct Split {
  std::uint64_t count;
  std::uint64_t parts;
  std::uint64_t start(std::uint64_t index) const {
    const std::uint64_t extra = count % parts;
    return index * (count / parts) + (index < extra ? index : extra);
  }
  std::uint64_t length(std::uint64_t index) const { return start(index + 1) - start(index); }
};

/// Distance of `rank` from `root` going upwards, and back.
inline int relative(int rank, int root, int size) {
  return rank >= root ? rank - root : rank - root + size;
}
inline int absolute(int relative_rank, int root, int size) {
  return relative_rank < size - root ? relative_rank + root : relative_rank - (size - root);
}

}  // namespace mpisim::mpi::collectives
