#include "piosim/collective.hpp"

#include <iterator>

#include "piosim/statistics.hpp"

namespace mpisim::pio {

kernel::ModuleTable<CollectiveAlgorithm>& collective_algorithms() {
  static kernel::ModuleTable<CollectiveAlgorithm> all({
#define MODULE(name) name##_collective(),
#include "piosim/collectives.def"
#undef MODULE
  });
  return all;
}

const CollectiveAlgorithm& algorithm_of(Collective collective) {
  return *std::next(collective_algorithms().begin(), static_cast<std::ptrdiff_t>(collective));
}

std::optional<Collective> find_collective(std::string_view name) {
  std::uint8_t number = 0;
  for (const CollectiveAlgorithm& algorithm : collective_algorithms()) {
    if (algorithm.name == name) return static_cast<Collective>(number);
    ++number;
  }
  return std::nullopt;
}

/// One request for all these pieces.
void count_list(FileOnStorage& file, const std::vector<FilePiece>& pieces, bool write) {
  std::uint64_t bytes = 0;
  for (const FilePiece& piece : pieces) bytes += piece.bytes;
  count_request(file, {pieces.front().offset, bytes}, write);
  file.next_offset = pieces.back().offset + pieces.back().bytes;
}

Outcome access_together(const Access& access) {
  return algorithm_of(access.atomic ? Collective::barrier : access.file.hints.collective_of(access.write))
      .access(access);
}

}  // namespace mpisim::pio
