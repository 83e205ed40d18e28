#include "piosim/hints.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace mpisim::pio {

namespace {

constexpr std::array words{"barrier", "grouping", "two-phase", "list", "disk-directed"};

/// 0 where the hint is not given, or is no number.
std::uint64_t number_in(const mpi::Info& info, const char* hint) {
  std::uint64_t number = 0;
  if (const std::string* text = info.get(hint))
    std::from_chars(text->data(), text->data() + text->size(), number);
  return number;
}

}  // namespace

const char* word_of(Collective collective) {
  return words[static_cast<std::size_t>(collective)];
}

Hints Hints::of(const mpi::Info* info, const Config& machine) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  Hints hints{machine.collective, static_cast<std::uint32_t>(std::min(machine.aggregators, most)),
              machine.collective_buffer};
  if (info == nullptr) return hints;
  if (const std::string* word = info->get("mpisim_collective")) {
    const auto* const place = std::find(words.begin(), words.end(), *word);
    if (place != words.end()) hints.collective = static_cast<Collective>(place - words.begin());
  }
  const std::string* buffering = info->get("collective_buffering");
  if (buffering && *buffering == "false" && hints.collective == Collective::two_phase)
    hints.collective = Collective::barrier;
  if (const std::uint64_t nodes = number_in(*info, "cb_nodes"); nodes != 0)
    hints.aggregators = static_cast<std::uint32_t>(std::min(nodes, most));
  if (const std::uint64_t bytes = number_in(*info, "cb_buffer_size"); bytes != 0)
    hints.collective_buffer = bytes;
  return hints;
}

}  // namespace mpisim::pio
