// Every algorithm that moves data, against what MPI says each buffer must hold.
#include <catch2/catch.hpp>

#include "buffers.hpp"
#include "fake_core.hpp"

using namespace mpisim::mpi;
using namespace mpisim::mpi::collectives;
using namespace testing;

namespace {

struct Shape {
  const Datatype& type;
  std::uint64_t ints;  // per element
};
const Shape plain{int_type(), 1};
const Shape gapped{gapped_pair(), 2};

// A failed comparison inside a coroutine must not unwind through the assertion macros' scopes of others.
void must(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

using Bcast = void (*)(const Call&, const Piece&, int);
void check_bcast(Bcast algorithm, int ranks, int root, std::uint64_t pairs, fake::Sends sends) {
  fake::run(
      ranks,
      [&](Communicator& comm) {
        // Odd ranks describe the same data with another type.
        const Shape& shape = comm.rank() % 2 ? gapped : plain;
        const std::uint64_t count = 2 * pairs / shape.ints;
        Image buffer(count, shape.type);
        const Piece piece{buffer.address(), count, &shape.type};
        if (comm.rank() == root) buffer.put(piece, values(root, 2 * pairs));
        algorithm(call_on(comm), piece, root);
        Image expected(count, shape.type);
        expected.put({expected.address(), count, &shape.type}, values(root, 2 * pairs));
        must(buffer == expected, "bcast result of rank " + std::to_string(comm.rank()));
      },
      sends);
}

/// Blocks of a gathered buffer: equal, or of (3 r + 1) mod 4 pairs in reverse order with gaps.
struct Blocks {
  Blocks(int ranks, std::uint64_t pairs, const Shape& block_shape, bool varying_blocks)
      : shape(block_shape), varying(varying_blocks), uniform_pairs(pairs) {
    int position = 0;
    counts.resize(static_cast<std::size_t>(ranks));
    displacements.resize(static_cast<std::size_t>(ranks));
    for (int rank = ranks - 1; rank >= 0; --rank) {
      const auto index = static_cast<std::size_t>(rank);
      counts[index] = static_cast<int>(pairs_of(rank) * 2 / shape.ints);
      displacements[index] = position;
      position += counts[index] + (varying ? 1 : 0);
    }
    elements = static_cast<std::uint64_t>(position);
  }
  std::uint64_t pairs_of(int rank) const {
    return varying ? uniform_pairs * static_cast<std::uint64_t>((3 * rank + 1) % 4) : uniform_pairs;
  }
  Pieces pieces(const void* base) const {
    return varying ? Pieces::varying(base, counts.data(), displacements.data(), shape.type)
                   : Pieces::uniform(base, uniform_pairs * 2 / shape.ints, shape.type);
  }
  const Shape& shape;
  bool varying;
  std::uint64_t uniform_pairs;
  std::vector<int> counts, displacements;
  std::uint64_t elements = 0;
};

Piece own_piece(Image& image, const Shape& shape, std::uint64_t pairs) {
  return {image.address(), 2 * pairs / shape.ints, &shape.type};
}

using Gather = void (*)(const Call&, const Piece&, const Pieces&, int);
void check_gather(Gather algorithm, int ranks, int root, std::uint64_t pairs, bool varying, bool in_place,
                  const Shape& all_shape) {
  fake::run(ranks, [&](Communicator& comm) {
    const int me = comm.rank();
    const Blocks blocks(ranks, pairs, all_shape, varying);
    const std::uint64_t own_pairs = blocks.pairs_of(me);
    const Shape& shape = me % 2 ? gapped : plain;
    Image mine(2 * own_pairs, shape.type);
    Image all(blocks.elements, all_shape.type);
    Image expected(blocks.elements, all_shape.type);
    const Pieces pieces = me == root ? blocks.pieces(all.address()) : Pieces();
    Piece contribution = own_piece(mine, shape, own_pairs);
    if (me == root && in_place) contribution = pieces[me];
    mine.put(contribution, values(me, 2 * own_pairs));
    algorithm(call_on(comm), contribution, pieces, root);
    if (me != root) return;
    for (int rank = 0; rank < ranks; ++rank)
      expected.put(blocks.pieces(expected.address())[rank], values(rank, 2 * blocks.pairs_of(rank)));
    must(all == expected, "gather result");
  });
}

using Scatter = void (*)(const Call&, const Pieces&, const Piece&, int);
void check_scatter(Scatter algorithm, int ranks, int root, std::uint64_t pairs, bool varying, bool in_place,
                   const Shape& all_shape) {
  fake::run(ranks, [&](Communicator& comm) {
    const int me = comm.rank();
    const Blocks blocks(ranks, pairs, all_shape, varying);
    const std::uint64_t own_pairs = blocks.pairs_of(me);
    const Shape& shape = me % 2 ? gapped : plain;
    Image mine(2 * own_pairs, shape.type);
    Image all(blocks.elements, all_shape.type);
    const Pieces pieces = me == root ? blocks.pieces(all.address()) : Pieces();
    if (me == root)
      for (int rank = 0; rank < ranks; ++rank) all.put(pieces[rank], values(rank, 2 * blocks.pairs_of(rank)));
    const Image before = all;
    const bool own_in_place = me == root && in_place;
    algorithm(call_on(comm), pieces, own_in_place ? pieces[me] : own_piece(mine, shape, own_pairs), root);
    must(all == before, "scatter source unchanged");
    Image expected(2 * own_pairs, shape.type);
    if (!own_in_place) expected.put(own_piece(expected, shape, own_pairs), values(me, 2 * own_pairs));
    must(mine == expected, "scatter result");
  });
}

using Allgather = void (*)(const Call&, const Piece&, const Pieces&);
void check_allgather(Allgather algorithm, int ranks, std::uint64_t pairs, bool varying, bool in_place,
                     fake::Sends sends) {
  fake::run(
      ranks,
      [&](Communicator& comm) {
        const int me = comm.rank();
        const Shape& all_shape = me % 3 == 1 ? gapped : plain;
        const Blocks blocks(ranks, pairs, all_shape, varying);
        const std::uint64_t own_pairs = blocks.pairs_of(me);
        const Shape& shape = me % 2 ? gapped : plain;
        Image mine(2 * own_pairs, shape.type);
        Image all(blocks.elements, all_shape.type);
        Image expected(blocks.elements, all_shape.type);
        const Pieces pieces = blocks.pieces(all.address());
        const Piece contribution = in_place ? pieces[me] : own_piece(mine, shape, own_pairs);
        mine.put(contribution, values(me, 2 * own_pairs));
        algorithm(call_on(comm), contribution, pieces);
        for (int rank = 0; rank < ranks; ++rank)
          expected.put(blocks.pieces(expected.address())[rank], values(rank, 2 * blocks.pairs_of(rank)));
        must(all == expected, "allgather result of rank " + std::to_string(me));
      },
      sends);
}

using Alltoall = void (*)(const Call&, const Pieces&, const Pieces&, bool);
void check_alltoall(Alltoall algorithm, int ranks, std::uint64_t pairs, bool varying, bool in_place,
                    fake::Sends sends) {
  // Block from i to j: as many pairs as Blocks says for (i + j) mod ranks, so that in place works as well.
  fake::run(
      ranks,
      [&](Communicator& comm) {
        const int me = comm.rank();
        struct Side {
          std::vector<int> counts, displacements;
          int elements = 0;
        };
        const auto side = [&](const Shape& shape) {
          Side result;
          for (int peer = 0; peer < ranks; ++peer) {
            const std::uint64_t block = varying ? pairs * static_cast<std::uint64_t>((me + peer) % 3) : pairs;
            result.counts.push_back(static_cast<int>(block * 2 / shape.ints));
            result.displacements.push_back(result.elements);
            result.elements += result.counts.back() + (varying ? 1 : 0);
          }
          return result;
        };
        const Shape& out_shape = me % 2 ? gapped : plain;
        const Shape& in_shape = me % 3 == 1 ? gapped : plain;
        const Side out_side = side(out_shape);
        const Side in_side = side(in_shape);
        const auto pieces = [&](const Side& which, const Shape& shape, Image& image) {
          return varying ? Pieces::varying(image.address(), which.counts.data(), which.displacements.data(),
                                           shape.type)
                         : Pieces::uniform(image.address(), pairs * 2 / shape.ints, shape.type);
        };
        Image out(static_cast<std::uint64_t>(out_side.elements), out_shape.type);
        Image in(static_cast<std::uint64_t>(in_side.elements), in_shape.type);
        Image expected(static_cast<std::uint64_t>(in_side.elements), in_shape.type);
        const Pieces out_pieces = pieces(out_side, out_shape, out);
        const Pieces in_pieces = pieces(in_side, in_shape, in);
        for (int peer = 0; peer < ranks; ++peer) {
          const Piece target = in_place ? in_pieces[peer] : out_pieces[peer];
          out.put(target, values(me, target.bytes() / sizeof(int), peer));
        }
        algorithm(call_on(comm), in_place ? Pieces() : out_pieces, in_pieces, in_place);
        for (int peer = 0; peer < ranks; ++peer) {
          const Piece target = pieces(in_side, in_shape, expected)[peer];
          expected.put(target, values(peer, target.bytes() / sizeof(int), me));
        }
        must(in == expected, "alltoall result of rank " + std::to_string(me));
      },
      sends);
}

}  // namespace

TEST_CASE("broadcasts") {
  const auto algorithm = GENERATE(Bcast(bcast_binomial), Bcast(bcast_linear), Bcast(bcast_scatter_allgather),
                                  Bcast(bcast_chain), Bcast(bcast_binary), Bcast(bcast));
  for (int ranks : rank_counts)
    for (int root : some_roots(ranks))
      for (std::uint64_t pairs : {0, 1, 5, 6147}) {
        CAPTURE(ranks, root, pairs);
        CHECK_NOTHROW(check_bcast(algorithm, ranks, root, pairs, fake::Sends::rendezvous));
        CHECK_NOTHROW(check_bcast(algorithm, ranks, root, pairs, fake::Sends::eager));
      }
}

TEST_CASE("broadcast by scatter and recursive doubling, for powers of two") {
  for (int ranks : {1, 2, 4, 8, 16})
    for (int root : some_roots(ranks))
      for (std::uint64_t pairs : {0, 1, 5, 6147}) {
        CAPTURE(ranks, root, pairs);
        CHECK_NOTHROW(
            check_bcast(bcast_scatter_recursive_doubling, ranks, root, pairs, fake::Sends::rendezvous));
      }
}

TEST_CASE("gathers") {
  const auto [algorithm, takes_varying] = GENERATE(table<Gather, bool>({{gather_binomial, false},
                                                                        {gather_linear, true},
                                                                        {gather_linear, false},
                                                                        {gatherv_binomial, true},
                                                                        {gatherv_binomial, false},
                                                                        {gather, false},
                                                                        {gatherv, true}}));
  const bool in_place = GENERATE(false, true);
  for (int ranks : rank_counts)
    for (int root : some_roots(ranks))
      for (std::uint64_t pairs : {0, 1, 40})
        for (const Shape* shape : {&plain, &gapped}) {
          CAPTURE(ranks, root, pairs, in_place, takes_varying);
          CHECK_NOTHROW(check_gather(algorithm, ranks, root, pairs, takes_varying, in_place, *shape));
        }
}

TEST_CASE("scatters") {
  const auto [algorithm, takes_varying] = GENERATE(table<Scatter, bool>({{scatter_binomial, false},
                                                                         {scatter_linear, true},
                                                                         {scatter_linear, false},
                                                                         {scatterv_binomial, true},
                                                                         {scatterv_binomial, false},
                                                                         {scatter, false},
                                                                         {scatterv, true}}));
  const bool in_place = GENERATE(false, true);
  for (int ranks : rank_counts)
    for (int root : some_roots(ranks))
      for (std::uint64_t pairs : {0, 1, 40})
        for (const Shape* shape : {&plain, &gapped}) {
          CAPTURE(ranks, root, pairs, in_place, takes_varying);
          CHECK_NOTHROW(check_scatter(algorithm, ranks, root, pairs, takes_varying, in_place, *shape));
        }
}

TEST_CASE("all-gathers") {
  const auto [algorithm, takes_varying] = GENERATE(table<Allgather, bool>({{allgather_ring, false},
                                                                           {allgather_ring, true},
                                                                           {allgather_bruck, false},
                                                                           {allgather_bruck, true},
                                                                           {allgatherv_gather_bcast, true},
                                                                           {allgather, false},
                                                                           {allgatherv, true}}));
  const bool in_place = GENERATE(false, true);
  for (int ranks : rank_counts)
    for (std::uint64_t pairs : {0, 1, 7, 3000}) {
      CAPTURE(ranks, pairs, in_place, takes_varying);
      CHECK_NOTHROW(
          check_allgather(algorithm, ranks, pairs, takes_varying, in_place, fake::Sends::rendezvous));
      CHECK_NOTHROW(check_allgather(algorithm, ranks, pairs, takes_varying, in_place, fake::Sends::eager));
    }
}

TEST_CASE("all-gathers for some communicator sizes") {
  const bool in_place = GENERATE(false, true);
  for (int ranks : {1, 2, 4, 8, 16})
    CHECK_NOTHROW(
        check_allgather(allgather_recursive_doubling, ranks, 3, false, in_place, fake::Sends::rendezvous));
  for (int ranks : {2, 4, 6, 8, 10, 14, 16})
    CHECK_NOTHROW(
        check_allgather(allgather_neighbor_exchange, ranks, 3, false, in_place, fake::Sends::rendezvous));
}

TEST_CASE("all-to-alls") {
  const auto [algorithm, takes_varying] = GENERATE(table<Alltoall, bool>({{alltoall_pairwise, false},
                                                                          {alltoall_pairwise, true},
                                                                          {alltoall_linear, false},
                                                                          {alltoall_linear, true},
                                                                          {alltoall_bruck, false},
                                                                          {alltoall, false}}));
  const bool in_place = GENERATE(false, true);
  for (int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 40})
    for (std::uint64_t pairs : {0, 1, 9}) {
      CAPTURE(ranks, pairs, in_place, takes_varying);
      CHECK_NOTHROW(
          check_alltoall(algorithm, ranks, pairs, takes_varying, in_place, fake::Sends::rendezvous));
      CHECK_NOTHROW(check_alltoall(algorithm, ranks, pairs, takes_varying, in_place, fake::Sends::eager));
    }
}
