// METIS behind the interface of partition.hpp. A plug-in of its own: only --partition graph loads METIS.
#include <fcntl.h>
#include <metis.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <vector>

#include "simkernel/partition.hpp"

namespace mpisim::kernel {

namespace {

// METIS counts in 32 bits: weights are scaled so that none of its sums can overflow.
constexpr std::uint64_t largest_sum = std::uint64_t{1} << 30;

std::vector<idx_t> scaled(const std::vector<std::uint64_t>& weights) {
  const std::uint64_t room = largest_sum - std::min<std::uint64_t>(weights.size(), largest_sum / 2);
  const auto total = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  const double factor = total <= room ? 1.0 : static_cast<double>(room) / static_cast<double>(total);
  std::vector<idx_t> result;
  result.reserve(weights.size());
  for (const std::uint64_t weight : weights)
    result.push_back(std::max<idx_t>(1, static_cast<idx_t>(static_cast<double>(weight) * factor)));
  return result;
}

/// METIS prints remarks (of parts that stay empty) on standard output, which belongs to the target program.
class SilentOutput {
 public:
  SilentOutput() : saved_(dup(STDOUT_FILENO)), nowhere_(open("/dev/null", O_WRONLY | O_CLOEXEC)) {
    std::fflush(stdout);
    if (nowhere_ >= 0) dup2(nowhere_, STDOUT_FILENO);
  }
  ~SilentOutput() {
    std::fflush(stdout);
    if (saved_ >= 0) dup2(saved_, STDOUT_FILENO);
    close(saved_);
    close(nowhere_);
  }
  SilentOutput(const SilentOutput&) = delete;
  SilentOutput& operator=(const SilentOutput&) = delete;

 private:
  int saved_;
  int nowhere_;
};

bool run_metis(const LoadGraph& graph, int parts, MetisMethod method, int seed,
               std::span<std::uint16_t> part) {
  // METIS knows neither graphs without edges nor more parts than vertices.
  if (parts < 2 || graph.vertices() < static_cast<std::size_t>(parts) || graph.neighbours.empty() ||
      graph.neighbours.size() > largest_sum)
    return false;
  const SilentOutput silent;
  std::vector<idx_t> first(graph.first.begin(), graph.first.end());
  std::vector<idx_t> neighbours(graph.neighbours.begin(), graph.neighbours.end());
  std::vector<idx_t> loads = scaled(graph.load);
  std::vector<idx_t> weights = scaled(graph.weights);
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_UFACTOR] = 50;  // parts up to 1.05 times their share, as load_limit()
  auto count = static_cast<idx_t>(graph.vertices());
  idx_t constraints = 1;
  idx_t wanted = parts;
  idx_t cut = 0;
  std::vector<idx_t> result(graph.vertices());
  const auto partition = method == MetisMethod::k_way ? METIS_PartGraphKway : METIS_PartGraphRecursive;
  const int status =
      partition(&count, &constraints, first.data(), neighbours.data(), loads.data(), nullptr, weights.data(),
                &wanted, nullptr, nullptr, options.data(), &cut, result.data());
  if (status != METIS_OK) return false;
  std::transform(result.begin(), result.end(), part.begin(),
                 [](idx_t value) { return static_cast<std::uint16_t>(value); });
  return true;
}

}  // namespace

}  // namespace mpisim::kernel

extern "C" [[gnu::visibility("default")]] bool mpisim_metis_partition(const mpisim::kernel::LoadGraph& graph,
                                                                      int parts,
                                                                      mpisim::kernel::MetisMethod method,
                                                                      int seed,
                                                                      std::span<std::uint16_t> part) {
  return mpisim::kernel::run_metis(graph, parts, method, seed, part);
}
