#include "mpisim/collectives/plumbing.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace mpisim::mpi::collectives {

using core::Plane;

Call Call::next(Communicator& comm) {
  return Call{comm, static_cast<int>(comm.next_collective() & 0x7fffffffU), comm.rank(), comm.size()};
}

Scratch::Scratch(std::uint64_t bytes)
    : heap_(bytes > inline_bytes ? std::make_unique_for_overwrite<std::byte[]>(bytes) : nullptr),
      data_(heap_ ? heap_.get() : inline_.data()) {}

namespace {

struct Span {
  std::int64_t low = 0;
  std::int64_t high = 0;
};

/// Bytes that `count` elements touch, relative to the buffer argument.
Span touched(std::uint64_t count, const Datatype& type) {
  if (count == 0) return {};
  const std::int64_t last = static_cast<std::int64_t>(count - 1) * type.extent();
  return {std::min<std::int64_t>(0, last) + type.true_lower_bound(),
          std::max<std::int64_t>(0, last) + type.true_lower_bound() + type.true_extent()};
}

}  // namespace

ElementScratch::ElementScratch(std::uint64_t count, const Datatype& type)
    : storage_(static_cast<std::uint64_t>(touched(count, type).high - touched(count, type).low)),
      address_(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(storage_.data()) -
                                       static_cast<std::uintptr_t>(touched(count, type).low))) {}

PackedView::PackedView(const Piece& piece, Contents contents)
    : piece_(piece),
      direct_(piece.type->contiguous()),
      scratch_(direct_ ? 0 : piece.bytes()),
      data_(direct_ ? static_cast<std::byte*>(piece.address) : scratch_.data()) {
  if (!direct_ && contents == Contents::read) pack(piece_, data_);
}

void PackedView::store() {
  if (!direct_) unpack(data_, piece_);
}

void copy_bytes(const void* from, void* to, std::uint64_t bytes) {
  if (bytes == 0 || from == to) return;
  std::memcpy(to, from, bytes);
  core::charge_copy(bytes);
}

void pack(const Piece& from, std::byte* to) {
  if (from.bytes() == 0) return;
  from.type->pack(from.address, from.count, 0, from.bytes(), to);
  core::charge_copy(from.bytes());
}

void unpack(const std::byte* from, const Piece& to) {
  if (to.bytes() == 0) return;
  to.type->unpack(to.address, to.count, 0, to.bytes(), from);
  core::charge_copy(to.bytes());
}

void copy(const Piece& from, const Piece& to) {
  if (from.count == 0 || to.count == 0 || (from.address == to.address && from.type == to.type)) return;
  // Unequal amounts are the program's error; no more is written than there is room for.
  const std::uint64_t bytes = std::min(from.bytes(), to.bytes());
  if (bytes == 0) return;
  if (to.type->contiguous()) {
    from.type->pack(from.address, from.count, 0, bytes, to.address);
  } else if (from.type->contiguous()) {
    to.type->unpack(to.address, to.count, 0, bytes, from.address);
  } else {
    Scratch packed(bytes);
    from.type->pack(from.address, from.count, 0, bytes, packed.data());
    to.type->unpack(to.address, to.count, 0, bytes, packed.data());
  }
  core::charge_copy(bytes);
}

void Reduction::combine(const void* lower, void* upper, std::uint64_t count) const {
  if (count == 0) return;
  apply(lower, upper, count);
  core::charge(core::config().reduce_cost * kernel::Bytes(count * type_.size()));
}

Accumulator::Accumulator(const Reduction& reduction, const void* input, void* home, std::uint64_t count)
    : reduction_(reduction), count_(count), home_(home), value_(home) {
  copy({const_cast<void*>(input), count, &reduction.type()}, {home, count, &reduction.type()});
}

void* Accumulator::spare() {
  if (!spare_) {
    scratch_.emplace(count_, reduction_.type());
    spare_ = scratch_->address();
  }
  return spare_;
}

void Accumulator::finish() {
  copy({value_, count_, &reduction_.type()}, {home_, count_, &reduction_.type()});
  if (value_ != home_) std::swap(value_, spare_);
}

Request* isend(const Call& call, const Piece& piece, int destination) {
  return core::isend(call.comm, Plane::collective, core::SendMode::standard, piece.address, piece.count,
                     *piece.type, destination, call.tag);
}

Request* begin_send(const Call& call, const Piece& piece, int destination) {
  return core::begin_send(call.comm, Plane::collective, piece.address, piece.count, *piece.type, destination,
                          call.tag);
}

Request* irecv(const Call& call, const Piece& piece, int source) {
  return core::irecv(call.comm, Plane::collective, piece.address, piece.count, *piece.type, source, call.tag);
}

void send(const Call& call, const Piece& piece, int destination) {
  core::send(call.comm, Plane::collective, piece.address, piece.count, *piece.type, destination, call.tag);
}

void recv(const Call& call, const Piece& piece, int source) {
  core::recv(call.comm, Plane::collective, piece.address, piece.count, *piece.type, source, call.tag);
}

void send_recv(const Call& call, const Piece& out, int destination, const Piece& in, int source) {
  core::send_recv(call.comm, Plane::collective, out.address, out.count, *out.type, destination, in.address,
                  in.count, *in.type, source, call.tag);
}

Piece bytes_piece(const void* address, std::uint64_t bytes) {
  return {const_cast<void*>(address), bytes, &byte_type()};
}

Piece signal() {
  return {nullptr, 0, &byte_type()};
}

void RequestWindow::add(Request* request) {
  if (added_ == limit) finish();
  ++added_;
  if (request != nullptr) requests_[used_++] = request;
}

void RequestWindow::finish() {
  core::wait_all(std::span<Request* const>(requests_.data(), used_));
  used_ = added_ = 0;
}

}  // namespace mpisim::mpi::collectives
