// Dealing LPs to host processes: rows P9 and P10 of the digest on P2G, on graphs of known shape, and against
// the optimum of small random graphs that is found by trying all partitions.
#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <numeric>
#include <random>

#include "simkernel/partition.hpp"

extern "C" bool mpisim_metis_partition(const mpisim::kernel::LoadGraph& graph, int parts,
                                       mpisim::kernel::MetisMethod method, int seed,
                                       std::span<std::uint16_t> part);

using namespace mpisim::kernel;

namespace {

using Parts = std::vector<std::uint16_t>;

std::vector<std::uint32_t> single_groups(std::size_t lps) {
  std::vector<std::uint32_t> groups(lps);
  std::iota(groups.begin(), groups.end(), 0U);
  return groups;
}

LoadGraph graph_of(const LoadProfile& profile) {
  return make_load_graph(profile, single_groups(profile.lps()), profile.lps());
}

Parts block(std::size_t lps, int hosts) {
  Parts parts(lps);
  for (std::size_t lp = 0; lp < lps; ++lp)
    parts[lp] = static_cast<std::uint16_t>(lp * static_cast<std::size_t>(hosts) / lps);
  return parts;
}

Parts round_robin(std::size_t lps, int hosts) {
  Parts parts(lps);
  for (std::size_t lp = 0; lp < lps; ++lp)
    parts[lp] = static_cast<std::uint16_t>(lp % static_cast<std::size_t>(hosts));
  return parts;
}

Parts partitioned(const LoadProfile& profile, int hosts) {
  return partition_graph(graph_of(profile), hosts, mpisim_metis_partition,
                         {block(profile.lps(), hosts), round_robin(profile.lps(), hosts)});
}

class ProfileMaker {
 public:
  explicit ProfileMaker(std::size_t lps, std::uint64_t load = 1000) {
    profile_.processes = lps;
    profile_.load_ns.assign(lps, load);
  }
  ProfileMaker& load(std::size_t lp, std::uint64_t value) {
    profile_.load_ns[lp] = value;
    return *this;
  }
  ProfileMaker& traffic(std::size_t from, std::size_t to, std::uint64_t events = 10,
                        std::uint64_t bytes = 0) {
    LoadProfile one;
    one.traffic = {{static_cast<LpId>(from), static_cast<LpId>(to), events, bytes}};
    profile_.add(one);
    return *this;
  }
  const LoadProfile& profile() const { return profile_; }

 private:
  LoadProfile profile_;
};

LoadProfile ring(std::size_t lps, std::size_t stride) {
  ProfileMaker maker(lps);
  for (std::size_t i = 0; i < lps; ++i) maker.traffic(i * stride % lps, (i + 1) * stride % lps);
  return maker.profile();
}

/// Columns are numbered first, so that equal ranges of numbers cut the long side.
LoadProfile stencil(std::size_t rows, std::size_t columns) {
  ProfileMaker maker(rows * columns);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (c + 1 < columns) maker.traffic(r + c * rows, r + (c + 1) * rows);
      if (r + 1 < rows) maker.traffic(r + c * rows, r + 1 + c * rows);
    }
  }
  return maker.profile();
}

LoadProfile master_and_workers(std::size_t workers) {
  ProfileMaker maker(workers + 1);
  maker.load(0, 3000);
  for (std::size_t worker = 1; worker <= workers; ++worker)
    maker.load(worker, 400 + 37 * (worker % 7)).traffic(0, worker, 5).traffic(worker, 0, 5);
  return maker.profile();
}

/// Ranks that write to I/O nodes: those of the far end of the numbers most.
LoadProfile writers(std::size_t ranks, std::size_t io_nodes) {
  ProfileMaker maker(ranks + io_nodes);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    maker.traffic(rank, ranks + rank % io_nodes, 20, 100'000 * (rank + 1));
  return maker.profile();
}

/// The least cut with at most `limit` per part; tries all partitions.
std::uint64_t optimal_cut(const LoadGraph& graph, int parts, std::uint64_t limit) {
  std::uint64_t best = UINT64_MAX;
  Parts part(graph.vertices());
  const std::function<void(std::size_t, int)> place = [&](std::size_t v, int used) {
    if (v == graph.vertices()) {
      if (heaviest_part(graph, part, parts) <= limit) best = std::min(best, cut_of(graph, part));
      return;
    }
    for (int p = 0; p < std::min(parts, used + 1); ++p) {  // names of parts do not matter
      part[v] = static_cast<std::uint16_t>(p);
      place(v + 1, std::max(used, p + 1));
    }
  };
  place(0, 0);
  return best;
}

LoadProfile random_profile(std::mt19937_64& random, std::size_t lps) {
  ProfileMaker maker(lps);
  for (std::size_t lp = 0; lp < lps; ++lp) maker.load(lp, 100 + random() % 1000);
  for (std::size_t from = 0; from < lps; ++from)
    for (std::size_t to = 0; to < lps; ++to)
      if (from != to && random() % 3 == 0) maker.traffic(from, to, 1 + random() % 50, random() % 20'000);
  return maker.profile();
}

}  // namespace

TEST_CASE("the quality of a partition") {
  const LoadProfile profile = ProfileMaker(4, 100)
                                  .load(3, 500)
                                  .traffic(0, 1, 7, 70)
                                  .traffic(1, 2, 2, 9)
                                  .traffic(2, 1, 1, 1)
                                  .profile();
  const PartitionQuality halves = quality_of(profile, Parts{0, 0, 1, 1}, 2);
  CHECK(halves.cut_events == 3);
  CHECK(halves.cut_bytes == 10);
  CHECK(halves.cut() == 3 * event_cost_in_bytes + 10);
  CHECK(halves.imbalance == Approx(600.0 / 400.0));
  CHECK(quality_of(profile, Parts{0, 0, 0, 0}, 1).imbalance == Approx(1));
}

TEST_CASE("a graph of groups") {
  const LoadProfile profile =
      ProfileMaker(4, 100).traffic(0, 1, 1).traffic(1, 2, 2).traffic(2, 1, 3).traffic(3, 0, 4).profile();
  const LoadGraph graph = make_load_graph(profile, std::vector<std::uint32_t>{0, 0, 1, 2}, 3);
  CHECK(graph.load == std::vector<std::uint64_t>{201, 101, 101});
  CHECK(graph.first == std::vector<std::size_t>{0, 2, 3, 4});
  CHECK(graph.neighbours == std::vector<std::uint32_t>{1, 2, 0, 0});
  CHECK(graph.weights == std::vector<std::uint64_t>{5 * event_cost_in_bytes, 4 * event_cost_in_bytes,
                                                    5 * event_cost_in_bytes, 4 * event_cost_in_bytes});
  CHECK(cut_of(graph, Parts{0, 1, 0}) == 5 * event_cost_in_bytes);
  CHECK(heaviest_part(graph, Parts{0, 1, 0}, 2) == 302);
}

TEST_CASE("small graphs get the optimum, or nearly") {
  std::mt19937_64 random(1966);
  int optimal = 0;
  constexpr int graphs = 60;
  for (int i = 0; i < graphs; ++i) {
    const std::size_t lps = 6 + random() % 7;
    const int parts = 2 + static_cast<int>(random() % 2);
    const LoadGraph graph = graph_of(random_profile(random, lps));
    CAPTURE(i, lps, parts);
    const Parts part = partition_graph(graph, parts, mpisim_metis_partition, {});
    const std::uint64_t limit = load_limit(graph, parts);
    REQUIRE(heaviest_part(graph, part, parts) <= limit);
    const std::uint64_t best = optimal_cut(graph, parts, limit);
    const std::uint64_t found = cut_of(graph, part);
    REQUIRE(found >= best);
    CHECK(found <= best + best / 20);
    optimal += found == best ? 1 : 0;
  }
  CHECK(optimal >= graphs * 9 / 10);
}

TEST_CASE("no more is cut than by block and round-robin, with as good a balance") {
  const std::pair<const char*, LoadProfile> cases[] = {
      {"ring", ring(24, 1)},
      {"shuffled ring", ring(25, 7)},
      {"stencil", stencil(4, 16)},
      {"large stencil", stencil(20, 30)},
      {"master and workers", master_and_workers(20)},
      {"writers", writers(18, 6)},
  };
  for (const auto& [name, profile] : cases) {
    for (const int hosts : {2, 3, 4}) {
      CAPTURE(name, hosts);
      const PartitionQuality chosen = quality_of(profile, partitioned(profile, hosts), hosts);
      const LoadGraph graph = graph_of(profile);
      const double limit = static_cast<double>(load_limit(graph, hosts)) * hosts /
                           static_cast<double>(std::accumulate(graph.load.begin(), graph.load.end(), 0ULL));
      for (const Parts& other : {block(profile.lps(), hosts), round_robin(profile.lps(), hosts)}) {
        const PartitionQuality quality = quality_of(profile, other, hosts);
        CHECK(chosen.imbalance <= std::max(quality.imbalance, limit * 1.001));
        // A partition that is out of balance may cut less.
        if (quality.imbalance <= limit) CHECK(chosen.cut() <= quality.cut());
      }
    }
  }
}

TEST_CASE("what belongs together by traffic stays together") {
  // Known optima: a ring is cut twice per part whatever its numbering, a 4 x 16 stencil in its narrow
  // direction.
  CHECK(quality_of(ring(25, 7), partitioned(ring(25, 7), 5), 5).cut_events == 5 * 10);
  CHECK(quality_of(ring(25, 7), block(25, 5), 5).cut_events > 5 * 10);
  CHECK(quality_of(stencil(16, 4), partitioned(stencil(16, 4), 2), 2).cut_events == 4 * 10);
  CHECK(quality_of(stencil(16, 4), block(64, 2), 2).cut_events == 16 * 10);
}

TEST_CASE("one round mends a skewed load") {
  // The first quarter of the numbers does nearly all the work: block gives it to one host process.
  ProfileMaker maker(64, 10);
  for (std::size_t lp = 0; lp < 16; ++lp) maker.load(lp, 1000);
  for (std::size_t lp = 0; lp < 64; ++lp) maker.traffic(lp, (lp + 1) % 64);
  const LoadProfile& profile = maker.profile();
  const double before = quality_of(profile, block(64, 4), 4).imbalance;
  const double after = quality_of(profile, partitioned(profile, 4), 4).imbalance;
  CHECK(before > 3.5);
  CHECK(after < 1.1);
}

TEST_CASE("the same input gives the same partition") {
  std::mt19937_64 random(7);
  for (const std::size_t lps : {9, 40, 600}) {
    const LoadProfile profile = lps < 100 ? random_profile(random, lps) : stencil(20, 30);
    std::srand(1);
    const Parts first = partitioned(profile, 3);
    std::srand(2);
    CHECK(partitioned(profile, 3) == first);
  }
}

TEST_CASE("graphs that METIS cannot take") {
  const MetisPartitioner none = [](const LoadGraph&, int, MetisMethod, int, std::span<std::uint16_t>) {
    return false;
  };
  SECTION("no edges: only the load counts") {
    const LoadProfile profile = ProfileMaker(8, 100).load(0, 700).profile();
    CHECK(quality_of(profile, partitioned(profile, 2), 2).imbalance == Approx(1).margin(0.001));
  }
  SECTION("fewer groups than host processes") {
    const LoadProfile profile = ProfileMaker(2).traffic(0, 1).profile();
    const Parts part = partitioned(profile, 4);
    CHECK(part[0] != part[1]);
  }
  SECTION("one host process") {
    CHECK(partitioned(ring(5, 1), 1) == Parts(5));
  }
  SECTION("METIS fails") {
    const LoadGraph graph = graph_of(ring(12, 1));
    const Parts part = partition_graph(graph, 3, none, {});
    CHECK(heaviest_part(graph, part, 3) <= load_limit(graph, 3));
  }
  SECTION("loads and traffic beyond what METIS counts") {
    ProfileMaker maker(40, std::uint64_t{1} << 45);
    for (std::size_t lp = 0; lp < 40; ++lp) maker.traffic(lp, (lp + 1) % 40, std::uint64_t{1} << 35);
    CHECK(quality_of(maker.profile(), partitioned(maker.profile(), 4), 4).cut_events ==
          4 * (std::uint64_t{1} << 35));
  }
}
