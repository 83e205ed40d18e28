// Every reduction algorithm against a fold in rank order, with an operation that does not commute wherever
// the algorithm allows it.
#include <catch2/catch.hpp>

#include "buffers.hpp"
#include "fake_core.hpp"

using namespace mpisim::mpi;
using namespace mpisim::mpi::collectives;
using namespace testing;

namespace {

/// Pairs (a, b) stand for x -> a x + b modulo a prime; the operation is composition: associative, not
/// commutative. With `sums` it adds members instead and commutes.
constexpr std::int64_t prime = 998244353;
struct Affine {
  int a, b;
};
Affine composed(const Affine& lower, const Affine& upper, bool sums) {
  if (sums) return {(lower.a + upper.a) % int{prime}, (lower.b + upper.b) % int{prime}};
  return {static_cast<int>(std::int64_t{lower.a} * upper.a % prime),
          static_cast<int>((std::int64_t{lower.a} * upper.b + lower.b) % prime)};
}

class TestReduction final : public Reduction {
 public:
  explicit TestReduction(bool sums) : Reduction(gapped_pair(), sums), sums_(sums) {}

 private:
  void apply(const void* lower, void* upper, std::uint64_t count) const override {
    for (std::uint64_t index = 0; index < count; ++index) {
      Affine in[2];
      type().pack(element(lower, static_cast<std::int64_t>(index), type()), 1, 0, 8, &in[0]);
      type().pack(element(upper, static_cast<std::int64_t>(index), type()), 1, 0, 8, &in[1]);
      const Affine result = composed(in[0], in[1], sums_);
      type().unpack(element(upper, static_cast<std::int64_t>(index), type()), 1, 0, 8, &result);
    }
  }
  bool sums_;
};

Affine contribution(int rank, std::uint64_t index) {
  return {7 + 31 * rank + static_cast<int>(index) * 3, 5 + 17 * rank + static_cast<int>(index)};
}

/// What ranks [0, ranks) give for elements [first, first + count), as ints.
std::vector<int> folded(int ranks, std::uint64_t first, std::uint64_t count, bool sums) {
  std::vector<int> result;
  for (std::uint64_t index = first; index < first + count; ++index) {
    Affine value = contribution(0, index);
    for (int rank = 1; rank < ranks; ++rank) value = composed(value, contribution(rank, index), sums);
    result.insert(result.end(), {value.a, value.b});
  }
  return result;
}

std::vector<int> own(int rank, std::uint64_t count) {
  std::vector<int> result;
  for (std::uint64_t index = 0; index < count; ++index) {
    const Affine value = contribution(rank, index);
    result.insert(result.end(), {value.a, value.b});
  }
  return result;
}

void must(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

/// Input and output of one rank; in place they are one.
struct Buffers {
  Buffers(int rank, std::uint64_t count, std::uint64_t output_count, bool in_place)
      : input(count, gapped_pair()), output(in_place ? count : output_count, gapped_pair()) {
    (in_place ? output : input).put(piece(in_place ? output : input, count), own(rank, count));
    input_address = in_place ? output.address() : input.address();
    before = input;
  }
  static Piece piece(Image& image, std::uint64_t count) { return {image.address(), count, &gapped_pair()}; }
  Image input, output, before{0, gapped_pair()};
  void* input_address;
};

using Reduce = void (*)(const Call&, const Reduction&, const void*, void*, std::uint64_t, int);
void check_reduce(Reduce algorithm, int ranks, int root, std::uint64_t count, bool sums, bool in_place,
                  fake::Sends sends) {
  fake::run(
      ranks,
      [&](Communicator& comm) {
        const bool here = comm.rank() == root;
        Buffers buffers(comm.rank(), count, here ? count : 0, in_place && here);
        const TestReduction reduction(sums);
        algorithm(call_on(comm), reduction, buffers.input_address, here ? buffers.output.address() : nullptr,
                  count, root);
        must(buffers.input == buffers.before, "input of reduce unchanged");
        if (!here) return;
        Image expected(count, gapped_pair());
        expected.put(Buffers::piece(expected, count), folded(ranks, 0, count, sums));
        must(buffers.output == expected, "reduce result");
      },
      sends);
}

using Allreduce = void (*)(const Call&, const Reduction&, const void*, void*, std::uint64_t);
/// `covered`: how many ranks contribute to the result of a rank (all, or those below it).
void check_all(Allreduce algorithm, int ranks, std::uint64_t count, bool sums, bool in_place,
               const std::function<int(int)>& covered, fake::Sends sends) {
  fake::run(
      ranks,
      [&](Communicator& comm) {
        const int me = comm.rank();
        Buffers buffers(me, count, count, in_place);
        const TestReduction reduction(sums);
        Image expected = buffers.output;
        algorithm(call_on(comm), reduction, buffers.input_address, buffers.output.address(), count);
        must(buffers.input == buffers.before, "input unchanged");
        if (covered(me) > 0) {
          expected = Image(count, gapped_pair());
          expected.put(Buffers::piece(expected, count), folded(covered(me), 0, count, sums));
        }
        must(buffers.output == expected, "result of rank " + std::to_string(me));
      },
      sends);
}

using ReduceScatter = void (*)(const Call&, const Reduction&, const void*, void*, const Partition&);
void check_reduce_scatter(ReduceScatter algorithm, int ranks, std::uint64_t count, bool varying, bool sums,
                          bool in_place) {
  std::vector<int> counts;
  for (int rank = 0; rank < ranks; ++rank)
    counts.push_back(
        static_cast<int>(varying ? count * static_cast<std::uint64_t>((2 * rank + 1) % 4) : count));
  fake::run(ranks, [&](Communicator& comm) {
    const Partition partition =
        varying ? Partition::varying(counts.data(), ranks) : Partition::uniform(count);
    const std::uint64_t total = partition.start(ranks);
    const std::uint64_t mine = partition.length(comm.rank());
    Buffers buffers(comm.rank(), total, mine, in_place);
    const TestReduction reduction(sums);
    Image expected = buffers.output;
    algorithm(call_on(comm), reduction, buffers.input_address, buffers.output.address(), partition);
    must(buffers.input == buffers.before, "input of reduce-scatter unchanged");
    expected.put(Buffers::piece(expected, mine), folded(ranks, partition.start(comm.rank()), mine, sums));
    must(buffers.output == expected, "reduce-scatter result of rank " + std::to_string(comm.rank()));
  });
}

const std::vector<std::uint64_t> element_counts{0, 1, 2, 5, 16, 37};

}  // namespace

TEST_CASE("reductions to one rank") {
  const auto [algorithm, keeps_order] = GENERATE(table<Reduce, bool>(
      {{reduce_binomial, true}, {reduce_linear, true}, {reduce_rabenseifner, false}, {reduce, true}}));
  for (int ranks : rank_counts)
    for (int root = 0; root < ranks; ++root)
      for (std::uint64_t count : element_counts)
        for (bool in_place : {false, true})
          for (bool sums : {true, false}) {
            if (!sums && !keeps_order) continue;
            CAPTURE(ranks, root, count, in_place, sums);
            CHECK_NOTHROW(
                check_reduce(algorithm, ranks, root, count, sums, in_place, fake::Sends::rendezvous));
            CHECK_NOTHROW(check_reduce(algorithm, ranks, root, count, sums, in_place, fake::Sends::eager));
          }
}

TEST_CASE("reductions to all ranks") {
  const auto [algorithm, keeps_order] = GENERATE(table<Allreduce, bool>({{allreduce_recursive_doubling, true},
                                                                         {allreduce_rabenseifner, false},
                                                                         {allreduce_ring, false},
                                                                         {allreduce_reduce_bcast, true},
                                                                         {allreduce, true}}));
  for (int ranks : rank_counts)
    for (std::uint64_t count : {0, 1, 2, 5, 16, 37, 600})
      for (bool in_place : {false, true})
        for (bool sums : {true, false}) {
          if (!sums && !keeps_order) continue;
          CAPTURE(ranks, count, in_place, sums);
          const auto everyone = [&](int) { return ranks; };
          CHECK_NOTHROW(
              check_all(algorithm, ranks, count, sums, in_place, everyone, fake::Sends::rendezvous));
          CHECK_NOTHROW(check_all(algorithm, ranks, count, sums, in_place, everyone, fake::Sends::eager));
        }
}

TEST_CASE("prefix reductions") {
  const auto [algorithm, inclusive] = GENERATE(table<Allreduce, int>({{scan_recursive_doubling, 1},
                                                                      {scan_linear, 1},
                                                                      {scan, 1},
                                                                      {exscan_recursive_doubling, 0},
                                                                      {exscan_linear, 0},
                                                                      {exscan, 0}}));
  const int extra = inclusive;
  for (int ranks : rank_counts)
    for (std::uint64_t count : element_counts)
      for (bool in_place : {false, true})
        for (bool sums : {true, false}) {
          CAPTURE(ranks, count, in_place, sums, inclusive);
          CHECK_NOTHROW(check_all(
              algorithm, ranks, count, sums, in_place, [&](int rank) { return rank + extra; },
              fake::Sends::rendezvous));
        }
}

TEST_CASE("reductions that scatter their result") {
  const auto [algorithm, keeps_order] =
      GENERATE(table<ReduceScatter, bool>({{reduce_scatter_pairwise, false},
                                           {reduce_scatter_recursive_halving, false},
                                           {reduce_scatter_reduce_scatterv, true}}));
  for (int ranks : rank_counts)
    for (std::uint64_t count : {0, 1, 5})
      for (bool varying : {false, true})
        for (bool in_place : {false, true})
          for (bool sums : {true, false}) {
            if (!sums && !keeps_order) continue;
            CAPTURE(ranks, count, varying, in_place, sums);
            CHECK_NOTHROW(check_reduce_scatter(algorithm, ranks, count, varying, sums, in_place));
          }
}

TEST_CASE("chosen reduce-scatter keeps the order of operations that do not commute") {
  for (int ranks : rank_counts) {
    const auto chosen = [](const Call& call, const Reduction& reduction, const void* input, void* output,
                           const Partition& partition) {
      reduce_scatter(call, reduction, input, output, partition, CollectiveOperation::reduce_scatter);
    };
    CHECK_NOTHROW(check_reduce_scatter(chosen, ranks, 3, true, false, false));
    CHECK_NOTHROW(check_reduce_scatter(chosen, ranks, 3, true, true, true));
  }
}
