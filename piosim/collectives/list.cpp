// All ranks meet; each sends its pieces in requests of up to 64 pieces (Ching, Choudhary, Liao, Ross, Gropp,
// "Noncontiguous I/O through PVFS", CLUSTER 2002).
#include <algorithm>

#include "piosim/agreement.hpp"
#include "piosim/collective.hpp"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"

namespace mpisim::pio {

namespace {

constexpr std::size_t most_in_list = 64;

Outcome access_in_lists(const Access& access) {
  barrier(access.members());
  std::vector<FilePiece> moved;
  Outcome outcome = move_all_data(access, moved);
  FileOnStorage& file = access.place();
  for (std::size_t first = 0; first < moved.size(); first += most_in_list) {
    const auto begin = moved.begin() + static_cast<std::ptrdiff_t>(first);
    const auto count = static_cast<std::ptrdiff_t>(std::min(most_in_list, moved.size() - first));
    const std::vector<FilePiece> pieces(begin, begin + count);
    count_list(file, pieces, access.write);
    count_tally(file, storage_of(file).access_list(file.number, pieces, access.write));
  }
  return outcome;
}

}  // namespace

CollectiveAlgorithm list_collective() {
  return {"list", "each rank sends its pieces in lists", access_in_lists};
}

}  // namespace mpisim::pio
