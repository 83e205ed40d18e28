// Alltoall, Alltoallv and Alltoallw.
#include <bit>

#include "mpisim/collectives/algorithms.hpp"

namespace mpisim::mpi::collectives {
namespace {

/// Exchanges the blocks of `in` with their partners: i + j = step modulo size pairs each two ranks once.
void exchange_in_place(const Call& call, const Pieces& in) {
  for (int step = 0; step < call.size; ++step) {
    const int partner = relative(step, call.rank, call.size);
    const Piece block = in[partner];
    if (partner == call.rank) continue;
    const std::uint64_t bytes = block.bytes();
    Scratch leaving(bytes);
    pack(block, leaving.data());
    send_recv(call, bytes_piece(leaving.data(), bytes), partner, block, partner);
  }
}

}  // namespace

void alltoall_pairwise(const Call& call, const Pieces& out, const Pieces& in, bool in_place) {
  if (in_place) {
    exchange_in_place(call, in);
    return;
  }
  copy(out[call.rank], in[call.rank]);
  const bool two_power = std::has_single_bit(static_cast<unsigned>(call.size));
  for (int step = 1; step < call.size; ++step) {
    const int to = two_power ? call.rank ^ step : absolute(call.rank, step, call.size);
    const int from = two_power ? to : relative(call.rank, step, call.size);
    send_recv(call, out[to], to, in[from], from);
  }
}

void alltoall_linear(const Call& call, const Pieces& out, const Pieces& in, bool in_place) {
  if (in_place) {
    exchange_in_place(call, in);
    return;
  }
  copy(out[call.rank], in[call.rank]);
  // 16 receives and 16 sends at a time, of the same distances on all ranks: every window can complete.
  RequestWindow window;
  for (int first = 1; first < call.size; first += 16) {
    const int last = first + 16 < call.size ? first + 16 : call.size;
    for (int step = first; step < last; ++step) {
      const int from = relative(call.rank, step, call.size);
      window.add(irecv(call, in[from], from));
    }
    core::let_others_post();
    for (int step = first; step < last; ++step) {
      const int to = absolute(call.rank, step, call.size);
      window.add(begin_send(call, out[to], to));
    }
    window.finish();
  }
}

// Bruck and others (1997): the block for rank + i stands at position i; in the step of bit k all positions
// with that bit move 2^k ranks on, so that each block travels its distance in binary.
void alltoall_bruck(const Call& call, const Pieces& out, const Pieces& in, bool in_place) {
  const Pieces& source = in_place ? in : out;
  const std::uint64_t block = source[0].bytes();
  const auto size = static_cast<std::uint64_t>(call.size);
  if (block == 0) return;
  Scratch blocks(size * block);
  Scratch leaving((size + 1) / 2 * block);
  Scratch coming((size + 1) / 2 * block);
  const auto at = [&](int position) { return blocks.data() + static_cast<std::uint64_t>(position) * block; };
  for (int position = 0; position < call.size; ++position)
    pack(source[absolute(position, call.rank, call.size)], at(position));
  for (int bit = 1; bit < call.size; bit *= 2) {
    std::uint64_t moved = 0;
    for (int position = bit; position < call.size; ++position)
      if (position & bit) copy_bytes(at(position), leaving.data() + block * moved++, block);
    send_recv(call, bytes_piece(leaving.data(), moved * block), absolute(call.rank, bit, call.size),
              bytes_piece(coming.data(), moved * block), relative(call.rank, bit, call.size));
    moved = 0;
    for (int position = bit; position < call.size; ++position)
      if (position & bit) copy_bytes(coming.data() + block * moved++, at(position), block);
  }
  // Position i now holds what rank - i sent here.
  for (int position = 0; position < call.size; ++position)
    unpack(at(position), in[relative(call.rank, position, call.size)]);
}

}  // namespace mpisim::mpi::collectives
