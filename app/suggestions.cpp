#include "app/suggestions.hpp"

#include <algorithm>

#include "machine/schema.hpp"

namespace mpisim::app {

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  std::string best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t d = machine::edit_distance(word, candidate);
    // A beginning counts as near: --det for --deterministic.
    const bool begins = word.size() >= 3 && candidate.starts_with(word);
    if (!begins && d * 3 > std::max(word.size(), candidate.size())) continue;
    if (best.empty() || d < best_distance) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates,
                         std::string_view prefix) {
  const std::string found = nearest(word, candidates);
  return found.empty() ? "" : "; did you mean '" + std::string(prefix) + found + "'?";
}

}  // namespace mpisim::app
