// Derived datatypes against a naive oracle that writes out the whole type map (MPI-3.1 section 4.1).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "mpisim/include/mpi.h"
#include "mpisim/predefined_types.hpp"
#include "mpisim/type_layouts.hpp"

using namespace mpisim::mpi;

namespace {

struct Basic {
  std::int64_t at;
  std::int64_t size;
};

/// A type and its type map, element by element.
struct Model {
  TypePointer type;
  std::vector<Basic> map;
  std::int64_t lower = 0, upper = 0;
  bool explicit_lower = false, explicit_upper = false;
  std::int64_t alignment = 1;
};

Model predefined(MPI_Datatype handle, std::int64_t size) {
  Model model;
  model.type = TypePointer::share(*predefined_datatype(handle));
  model.map = {{0, size}};
  model.upper = size;
  model.alignment = size;
  return model;
}

struct Placed {
  std::int64_t at;
  const Model* model;
};

/// The type map of elements at given places, bounds by definition.
Model compose(const std::vector<Placed>& elements, bool pad) {
  Model result;
  bool any_lower = false, any_upper = false, first = true;
  for (const Placed& e : elements) {
    any_lower |= e.model->explicit_lower;
    any_upper |= e.model->explicit_upper;
  }
  bool lower_set = false, upper_set = false;
  for (const Placed& e : elements) {
    for (const Basic& basic : e.model->map) result.map.push_back({e.at + basic.at, basic.size});
    if (e.model->map.empty() && !e.model->explicit_lower && !e.model->explicit_upper) continue;
    result.alignment = std::max(result.alignment, e.model->alignment);
    if (!any_lower || e.model->explicit_lower) {
      const std::int64_t low = e.at + e.model->lower;
      result.lower = lower_set ? std::min(result.lower, low) : low;
      lower_set = true;
    }
    if (!any_upper || e.model->explicit_upper) {
      const std::int64_t high = e.at + e.model->upper;
      result.upper = upper_set ? std::max(result.upper, high) : high;
      upper_set = true;
    }
    first = false;
  }
  if (first) return result;
  result.explicit_lower = any_lower;
  result.explicit_upper = any_upper;
  if (pad && !any_upper)
    while ((result.upper - result.lower) % result.alignment) ++result.upper;
  return result;
}

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}
  int number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  Model tree(int depth) {
    if (depth == 0 || number(0, 5) == 0) {
      switch (number(0, 4)) {
        case 0:
          return predefined(MPI_CHAR, 1);
        case 1:
          return predefined(MPI_SHORT, 2);
        case 2:
          return predefined(MPI_INT, 4);
        case 3:
          return predefined(MPI_DOUBLE, 8);
        default:
          return predefined(MPI_LONG_LONG, 8);
      }
    }
    const Model child = tree(depth - 1);
    const std::int64_t extent = child.upper - child.lower;
    std::vector<Placed> elements;
    Model result;
    switch (number(0, 7)) {
      case 0: {
        const int count = number(0, 4);
        add_block(elements, 0, count, extent, child);
        result = compose(elements, false);
        result.type = make_contiguous(static_cast<std::uint64_t>(count), *child.type);
        return result;
      }
      case 1: {
        const int count = number(0, 4), length = number(0, 3);
        const std::int64_t stride = number(-2, 5) * extent + (number(0, 2) == 0 ? number(-8, 8) : 0);
        for (int i = 0; i < count; ++i) add_block(elements, i * stride, length, extent, child);
        result = compose(elements, false);
        result.type = make_vector(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(length),
                                  stride, *child.type);
        return result;
      }
      case 2: {
        std::vector<int> lengths;
        std::vector<std::int64_t> places;
        for (int i = number(0, 5); i > 0; --i) {
          lengths.push_back(number(0, 3));
          places.push_back(number(-40, 80));
          add_block(elements, places.back(), lengths.back(), extent, child);
        }
        result = compose(elements, false);
        result.type = make_indexed(lengths, places, *child.type);
        return result;
      }
      case 3: {
        std::vector<std::int64_t> places;
        const int length = number(0, 3);
        for (int i = number(0, 5); i > 0; --i) {
          places.push_back(number(-3, 9) * extent);
          add_block(elements, places.back(), length, extent, child);
        }
        result = compose(elements, false);
        result.type = make_indexed_block(static_cast<std::uint64_t>(length), places, *child.type);
        return result;
      }
      case 4: {
        const Model second = tree(depth - 1);
        const Model third = predefined(MPI_INT, 4);
        const Model* const models[] = {&child, &second, &third};
        std::vector<int> lengths;
        std::vector<std::int64_t> places;
        std::vector<const Datatype*> types;
        for (const Model* model : models) {
          lengths.push_back(number(0, 2));
          places.push_back(number(-20, 100));
          types.push_back(model->type.get());
          add_block(elements, places.back(), lengths.back(), model->upper - model->lower, *model);
        }
        result = compose(elements, true);
        result.type = make_struct(lengths, places, types);
        return result;
      }
      case 5: {
        result = child;
        result.lower = number(-16, 16);
        result.upper = result.lower + number(-8, 64);
        result.explicit_lower = result.explicit_upper = true;
        result.type = make_resized(*child.type, result.lower, result.upper - result.lower);
        return result;
      }
      case 6: {
        result = child;
        result.type = make_dup(*child.type);
        return result;
      }
      default:
        return subarray(child, extent);
    }
  }

 private:
  static void add_block(std::vector<Placed>& elements, std::int64_t at, int length, std::int64_t extent,
                        const Model& child) {
    for (int j = 0; j < length; ++j) elements.push_back({at + j * extent, &child});
  }

  Model subarray(const Model& child, std::int64_t extent) {
    const int dimensions = number(1, 3);
    std::vector<int> sizes, parts, starts;
    for (int d = 0; d < dimensions; ++d) {
      sizes.push_back(number(1, 4));
      parts.push_back(number(1, sizes.back()));
      starts.push_back(number(0, sizes.back() - parts.back()));
    }
    const int order = number(0, 1) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    std::vector<Placed> elements;
    std::vector<int> at(sizes.size(), 0);
    const auto fastest = [&](int i) {
      return static_cast<std::size_t>(order == MPI_ORDER_C ? dimensions - 1 - i : i);
    };
    for (bool more = true; more;) {
      std::int64_t index = 0;
      for (int i = dimensions - 1; i >= 0; --i)
        index = index * sizes[fastest(i)] + starts[fastest(i)] + at[fastest(i)];
      elements.push_back({index * extent, &child});
      more = false;
      for (int i = 0; i < dimensions && !more; ++i) {
        more = ++at[fastest(i)] < parts[fastest(i)];
        if (!more) at[fastest(i)] = 0;
      }
    }
    Model result = compose(elements, false);
    result.lower = 0;
    result.upper = extent;
    for (const int size : sizes) result.upper *= size;
    result.explicit_lower = result.explicit_upper = true;
    result.type = make_subarray(sizes, parts, starts, order, *child.type);
    return result;
  }

  std::mt19937 random_;
};

std::vector<std::int64_t> bytes_of(const Model& model, int count) {
  std::vector<std::int64_t> addresses;
  for (int i = 0; i < count; ++i)
    for (const Basic& basic : model.map)
      for (std::int64_t b = 0; b < basic.size; ++b)
        addresses.push_back(i * (model.upper - model.lower) + basic.at + b);
  return addresses;
}

struct CountBasics final : BasicSink {
  std::vector<std::int64_t> places;
  void basic(std::int64_t at, int) override { places.push_back(at); }
};

void check(const Model& model, Generator& random) {
  const Datatype& type = *model.type;
  const std::vector<std::int64_t> one = bytes_of(model, 1);
  REQUIRE(type.size() == one.size());
  REQUIRE(type.lower_bound() == model.lower);
  REQUIRE(type.extent() == model.upper - model.lower);
  REQUIRE(type.basic_elements() == model.map.size());
  if (!one.empty()) {
    const auto [low, high] = std::minmax_element(one.begin(), one.end());
    REQUIRE(type.true_lower_bound() == *low);
    REQUIRE(type.true_extent() == *high + 1 - *low);
  }
  CountBasics basics;
  type.visit_basics(5, basics);
  REQUIRE(basics.places.size() == model.map.size());
  for (std::size_t i = 0; i < model.map.size(); ++i) REQUIRE(basics.places[i] == model.map[i].at + 5);

  const int count = random.number(1, 3);
  const std::vector<std::int64_t> all = bytes_of(model, count);
  if (all.empty()) return;
  bool run = true;
  for (std::size_t i = 0; i < all.size(); ++i) run = run && all[i] == static_cast<std::int64_t>(i);
  if (type.contiguous()) REQUIRE(run);
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  const std::int64_t base = -*low;
  std::vector<unsigned char> memory(static_cast<std::size_t>(*high + 1 - *low));
  for (unsigned char& byte : memory) byte = static_cast<unsigned char>(random.number(0, 255));

  for (int trial = 0; trial < 4; ++trial) {
    const auto end = static_cast<int>(all.size());
    const int from = trial == 0 ? 0 : random.number(0, end);
    const int to = trial == 0 ? end : random.number(from, end);
    const auto bytes = static_cast<std::size_t>(to - from);
    std::vector<unsigned char> packed(bytes + 1, 0xee), expected(bytes + 1, 0xee);
    for (std::size_t i = 0; i < bytes; ++i)
      expected[i] = memory[static_cast<std::size_t>(all[static_cast<std::size_t>(from) + i] + base)];
    type.pack(memory.data() + base, static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(from),
              bytes, packed.data());
    REQUIRE(packed == expected);

    // Where places overlap, the last one in packed order wins.
    std::vector<unsigned char> target(memory.size(), 0x11), wanted(memory.size(), 0x11);
    for (std::size_t i = 0; i < bytes; ++i)
      wanted[static_cast<std::size_t>(all[static_cast<std::size_t>(from) + i] + base)] = packed[i];
    type.unpack(target.data() + base, static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(from),
                bytes, packed.data());
    REQUIRE(target == wanted);
  }

  for (std::uint64_t bytes = 0; bytes < type.size(); ++bytes) {
    std::uint64_t whole = 0, used = 0;
    for (const Basic& basic : model.map) {
      used += static_cast<std::uint64_t>(basic.size);
      if (used > bytes) break;
      ++whole;
    }
    REQUIRE(type.basic_elements_in(bytes) == whole);
  }
}

}  // namespace

TEST_CASE("random trees of datatypes agree with their type maps") {
  for (unsigned seed = 1; seed <= 1500; ++seed) {
    INFO("seed " << seed);
    Generator random(seed);
    const Model model = random.tree(random.number(1, 4));
    if (model.map.size() > 5000) continue;
    check(model, random);
  }
}

TEST_CASE("the processes of a darray cover the array once, block by block") {
  struct Case {
    std::vector<int> sizes, distributions, arguments, processes;
  };
  const int block = MPI_DISTRIBUTE_BLOCK, cyclic = MPI_DISTRIBUTE_CYCLIC, none = MPI_DISTRIBUTE_NONE;
  const int dflt = MPI_DISTRIBUTE_DFLT_DARG;
  const Case cases[] = {
      {{10}, {block}, {dflt}, {4}},
      {{10}, {cyclic}, {3}, {3}},
      {{7, 9}, {block, cyclic}, {4, 2}, {2, 3}},
      {{4, 5, 6}, {cyclic, none, block}, {dflt, dflt, dflt}, {2, 1, 4}},
      {{3}, {block}, {dflt}, {5}},
      {{8, 8}, {cyclic, cyclic}, {1, 3}, {3, 2}},
  };
  for (const Case& c : cases) {
    for (const int order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
      int processes = 1, total = 1;
      for (const int p : c.processes) processes *= p;
      for (const int s : c.sizes) total *= s;
      std::vector<int> owner(static_cast<std::size_t>(total), -1);
      for (int rank = 0; rank < processes; ++rank) {
        const TypePointer type = make_darray(rank, c.sizes, c.distributions, c.arguments, c.processes, order,
                                             *predefined_datatype(MPI_INT));
        CHECK(type->lower_bound() == 0);
        CHECK(type->extent() == total * 4);
        CountBasics basics;
        type->visit_basics(0, basics);
        CHECK(std::is_sorted(basics.places.begin(), basics.places.end()));
        for (const std::int64_t at : basics.places) {
          REQUIRE(at % 4 == 0);
          int& who = owner.at(static_cast<std::size_t>(at / 4));
          CHECK(who == -1);
          who = rank;
        }
      }
      // The owner by definition: each dimension on its own, processes in row-major order.
      for (int index = 0; index < total; ++index) {
        const int n = static_cast<int>(c.sizes.size());
        std::vector<int> at(c.sizes.size());
        int rest = index;
        for (int i = 0; i < n; ++i) {
          const auto d = static_cast<std::size_t>(order == MPI_ORDER_C ? n - 1 - i : i);
          at[d] = rest % c.sizes[d];
          rest /= c.sizes[d];
        }
        int rank = 0;
        for (std::size_t d = 0; d < at.size(); ++d) {
          int length = c.arguments[d];
          if (length == dflt)
            length = c.distributions[d] == cyclic ? 1 : (c.sizes[d] + c.processes[d] - 1) / c.processes[d];
          const int coordinate = c.distributions[d] == none ? 0 : at[d] / length % c.processes[d];
          rank = rank * c.processes[d] + coordinate;
        }
        CHECK(owner[static_cast<std::size_t>(index)] == rank);
      }
    }
  }
}

TEST_CASE("predefined types have C's sizes, pairs those of C structs") {
  struct DoubleInt {
    double value;
    int index;
  };
  struct ShortInt {
    short value;
    int index;
  };
  const auto type = [](MPI_Datatype handle) -> const Datatype& { return *predefined_datatype(handle); };
  CHECK(type(MPI_LONG_DOUBLE).extent() == sizeof(long double));
  CHECK(type(MPI_C_DOUBLE_COMPLEX).size() == 16);
  CHECK(type(MPI_DOUBLE_INT).size() == 12);
  CHECK(type(MPI_DOUBLE_INT).extent() == sizeof(DoubleInt));
  CHECK(type(MPI_SHORT_INT).size() == 6);
  CHECK(type(MPI_SHORT_INT).extent() == sizeof(ShortInt));
  CHECK(!type(MPI_SHORT_INT).single_run());
  CHECK(type(MPI_LONG_DOUBLE_INT).size() == 20);
  CHECK(type(MPI_2INT).contiguous());
  CHECK(predefined_datatype(MPI_DATATYPE_NULL) == nullptr);
  CHECK(&byte_type() == predefined_datatype(MPI_BYTE));

  const ShortInt values[] = {{1, 2}, {3, 4}};
  char packed[12];
  type(MPI_SHORT_INT).pack(values, 2, 0, 12, packed);
  short first;
  int second;
  std::memcpy(&first, packed + 6, 2);
  std::memcpy(&second, packed + 8, 4);
  CHECK(first == 3);
  CHECK(second == 4);
}

TEST_CASE("a column of a matrix is one series of runs") {
  struct Count final : RunSink {
    int calls = 0;
    std::uint64_t pieces = 0;
    void runs(std::int64_t, std::uint64_t, std::int64_t, std::uint64_t count) override {
      ++calls;
      pieces += count;
    }
  } sink;
  const TypePointer column = make_vector(1000, 1, 8000, *predefined_datatype(MPI_DOUBLE));
  column->visit(0, 0, column->size(), sink);
  CHECK(sink.calls == 1);
  CHECK(sink.pieces == 1000);
  // A range in the middle touches only its own pieces.
  sink.calls = 0;
  sink.pieces = 0;
  column->visit(0, 4004, 16, sink);
  CHECK(sink.calls == 3);
  CHECK(sink.pieces == 3);
}
