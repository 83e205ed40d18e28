#include "simkernel/partition.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace mpisim::kernel {

namespace {

using Parts = std::vector<std::uint16_t>;

// Graphs up to this size are tried from many seeds, and exchanges of two vertices are looked at, which takes
// time in the square of their number.
constexpr std::size_t small_graph = 256;
constexpr int seeds_for_small = 8;
constexpr int seeds_for_large = 2;
constexpr int most_passes = 30;

// Partitions at random to begin with: many for the smallest graphs, none for large ones.
int starts_of(const LoadGraph& graph) {
  constexpr std::size_t most = 100;
  if (graph.vertices() > small_graph) return 0;
  return static_cast<int>(std::min(most, 2000 / std::max<std::size_t>(1, graph.vertices())));
}

/// A partition that is being improved.
class Refinement {
 public:
  Refinement(const LoadGraph& graph, int parts, std::uint64_t limit, Parts part)
      : graph_(graph),
        limit_(limit),
        part_(std::move(part)),
        loads_(static_cast<std::size_t>(parts)),
        links_(static_cast<std::size_t>(parts)) {
    for (std::size_t v = 0; v < part_.size(); ++v) loads_[part_[v]] += graph_.load[v];
  }

  void run() {
    const bool small = graph_.vertices() <= small_graph;
    for (int pass = 0; pass < most_passes; ++pass) {
      bool changed = false;
      for (std::uint32_t v = 0; v < graph_.vertices(); ++v) changed |= move(v);
      if (!changed && small) changed = exchange_any();
      if (!changed) break;
    }
  }
  Parts take() { return std::move(part_); }

 private:
  // Weight of the edges from v to each part, in links_; valid until the next call.
  void look_at(std::uint32_t v) {
    std::fill(links_.begin(), links_.end(), 0);
    for (std::size_t e = graph_.first[v]; e < graph_.first[v + 1]; ++e)
      links_[part_[graph_.neighbours[e]]] += static_cast<std::int64_t>(graph_.weights[e]);
  }
  std::uint64_t excess(std::uint64_t load) const { return load > limit_ ? load - limit_ : 0; }

  // To the part that is best for v: first less load beyond the limit, then less cut, then less load in the
  // heavier of the two parts.
  bool move(std::uint32_t v) {
    look_at(v);
    const std::uint16_t from = part_[v];
    const std::uint64_t load = graph_.load[v];
    struct Gain {
      std::int64_t excess;
      std::int64_t cut;
      std::int64_t level;
      auto operator<=>(const Gain&) const = default;
    };
    Gain best{0, 0, 0};
    std::optional<std::uint16_t> target;
    for (std::size_t to = 0; to < loads_.size(); ++to) {
      if (to == from) continue;
      const std::uint64_t before = excess(loads_[from]) + excess(loads_[to]);
      const std::uint64_t after = excess(loads_[from] - load) + excess(loads_[to] + load);
      const Gain gain{static_cast<std::int64_t>(before) - static_cast<std::int64_t>(after),
                      links_[to] - links_[from],
                      static_cast<std::int64_t>(std::max(loads_[from], loads_[to])) -
                          static_cast<std::int64_t>(std::max(loads_[from] - load, loads_[to] + load))};
      if (gain <= best) continue;
      best = gain;
      target = static_cast<std::uint16_t>(to);
    }
    if (!target) return false;
    set(v, *target);
    return true;
  }

  bool exchange_any() {
    bool changed = false;
    for (std::uint32_t a = 0; a < graph_.vertices(); ++a)
      for (std::uint32_t b = a + 1; b < graph_.vertices(); ++b)
        if (part_[a] != part_[b]) changed |= exchange(a, b);
    return changed;
  }

  bool exchange(std::uint32_t a, std::uint32_t b) {
    const std::uint16_t of_a = part_[a];
    const std::uint16_t of_b = part_[b];
    const std::uint64_t new_a = loads_[of_a] - graph_.load[a] + graph_.load[b];
    const std::uint64_t new_b = loads_[of_b] - graph_.load[b] + graph_.load[a];
    const std::uint64_t before = excess(loads_[of_a]) + excess(loads_[of_b]);
    const std::uint64_t after = excess(new_a) + excess(new_b);
    if (after > before) return false;
    look_at(a);
    std::int64_t gain = links_[of_b] - links_[of_a];
    look_at(b);
    gain += links_[of_a] - links_[of_b];
    for (std::size_t e = graph_.first[a]; e < graph_.first[a + 1]; ++e)
      if (graph_.neighbours[e] == b) gain -= 2 * static_cast<std::int64_t>(graph_.weights[e]);
    if (after == before && gain <= 0) return false;
    set(a, of_b);
    set(b, of_a);
    return true;
  }

  void set(std::uint32_t v, std::uint16_t to) {
    loads_[part_[v]] -= graph_.load[v];
    loads_[to] += graph_.load[v];
    part_[v] = to;
  }

  const LoadGraph& graph_;
  std::uint64_t limit_;
  Parts part_;
  std::vector<std::uint64_t> loads_;
  std::vector<std::int64_t> links_;
};

// Heaviest first, each to the part that has least.
Parts deal_by_load(const LoadGraph& graph, int parts) {
  std::vector<std::uint32_t> order(graph.vertices());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return graph.load[a] > graph.load[b]; });
  std::vector<std::uint64_t> loads(static_cast<std::size_t>(parts));
  Parts part(graph.vertices());
  for (const std::uint32_t v : order) {
    const auto least = std::min_element(loads.begin(), loads.end()) - loads.begin();
    part[v] = static_cast<std::uint16_t>(least);
    loads[part[v]] += graph.load[v];
  }
  return part;
}

}  // namespace

PartitionQuality quality_of(const LoadProfile& profile, std::span<const std::uint16_t> host_of_lp,
                            int hosts) {
  PartitionQuality quality;
  for (const LpTraffic& pair : profile.traffic) {
    if (host_of_lp[pair.source] == host_of_lp[pair.destination]) continue;
    quality.cut_events += pair.events;
    quality.cut_bytes += pair.bytes;
  }
  std::vector<std::uint64_t> loads(static_cast<std::size_t>(hosts));
  for (std::size_t lp = 0; lp < profile.lps(); ++lp) loads[host_of_lp[lp]] += profile.load_ns[lp];
  const auto total = std::accumulate(loads.begin(), loads.end(), std::uint64_t{0});
  if (total > 0)
    quality.imbalance = static_cast<double>(*std::max_element(loads.begin(), loads.end())) *
                        static_cast<double>(hosts) / static_cast<double>(total);
  return quality;
}

LoadGraph make_load_graph(const LoadProfile& profile, std::span<const std::uint32_t> group_of_lp,
                          std::size_t groups) {
  LoadGraph graph;
  graph.load.assign(groups, 1);  // what costs nothing measurable costs something
  for (std::size_t lp = 0; lp < profile.lps(); ++lp) graph.load[group_of_lp[lp]] += profile.load_ns[lp];
  struct Edge {
    std::uint32_t from;
    std::uint32_t to;
    std::uint64_t weight;
  };
  std::vector<Edge> edges;
  edges.reserve(2 * profile.traffic.size());
  for (const LpTraffic& pair : profile.traffic) {
    const std::uint32_t from = group_of_lp[pair.source];
    const std::uint32_t to = group_of_lp[pair.destination];
    const std::uint64_t weight = pair.events * event_cost_in_bytes + pair.bytes;
    if (from == to || weight == 0) continue;
    edges.push_back({from, to, weight});
    edges.push_back({to, from, weight});
  }
  std::sort(edges.begin(), edges.end(),
            [](const Edge& a, const Edge& b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  graph.first.assign(groups + 1, 0);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i > 0 && edges[i].from == edges[i - 1].from && edges[i].to == edges[i - 1].to) {
      graph.weights.back() += edges[i].weight;
      continue;
    }
    graph.neighbours.push_back(edges[i].to);
    graph.weights.push_back(edges[i].weight);
    ++graph.first[edges[i].from + 1];
  }
  std::partial_sum(graph.first.begin(), graph.first.end(), graph.first.begin());
  return graph;
}

std::uint64_t cut_of(const LoadGraph& graph, std::span<const std::uint16_t> part) {
  std::uint64_t twice = 0;
  for (std::size_t v = 0; v < graph.vertices(); ++v)
    for (std::size_t e = graph.first[v]; e < graph.first[v + 1]; ++e)
      if (part[v] != part[graph.neighbours[e]]) twice += graph.weights[e];
  return twice / 2;
}

std::uint64_t heaviest_part(const LoadGraph& graph, std::span<const std::uint16_t> part, int parts) {
  std::vector<std::uint64_t> loads(static_cast<std::size_t>(parts));
  for (std::size_t v = 0; v < graph.vertices(); ++v) loads[part[v]] += graph.load[v];
  return *std::max_element(loads.begin(), loads.end());
}

std::uint64_t load_limit(const LoadGraph& graph, int parts) {
  const std::uint64_t reachable = heaviest_part(graph, deal_by_load(graph, parts), parts);
  return reachable + reachable / 20;
}

std::vector<std::uint16_t> partition_graph(const LoadGraph& graph, int parts, const MetisPartitioner& metis,
                                           const std::vector<std::vector<std::uint16_t>>& proposals) {
  const std::uint64_t limit = load_limit(graph, parts);
  struct Rating {
    std::uint64_t excess;
    std::uint64_t cut;
    std::uint64_t heaviest;
    auto operator<=>(const Rating&) const = default;
  };
  std::optional<Rating> best_rating;
  Parts best;
  const auto consider = [&](const Parts& proposal) {
    Refinement refinement(graph, parts, limit, proposal);
    refinement.run();
    Parts part = refinement.take();
    const std::uint64_t heaviest = heaviest_part(graph, part, parts);
    const Rating rating{heaviest > limit ? heaviest - limit : 0, cut_of(graph, part), heaviest};
    if (best_rating && rating >= *best_rating) return;
    best_rating = rating;
    best = std::move(part);
  };
  for (const Parts& proposal : proposals) consider(proposal);
  consider(deal_by_load(graph, parts));
  const int seeds = graph.vertices() <= small_graph ? seeds_for_small : seeds_for_large;
  Parts part(graph.vertices());
  for (const MetisMethod method : {MetisMethod::recursive_bisection, MetisMethod::k_way})
    for (int seed = 1; seed <= seeds; ++seed)
      if (metis(graph, parts, method, seed, part)) consider(part);
  // METIS coarsens small graphs too eagerly: for these, starts from anywhere find what it does not.
  std::uint64_t state = 1;
  for (int start = 0; start < starts_of(graph); ++start) {
    for (std::uint16_t& p : part) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;  // D. Knuth's MMIX generator
      p = static_cast<std::uint16_t>((state >> 33U) % static_cast<std::uint64_t>(parts));
    }
    consider(part);
  }
  return best;
}

}  // namespace mpisim::kernel
