#pragma once
// How collective reads and writes are carried out: what every implementation is.
//
// All ranks of the file call `access` with what each of them reads or writes, which may be nothing; each gets
// its own outcome. An implementation moves real data (access_alone(), move_all_data()) and charges time
// (Storage), and exchanges messages by mpi::core over access.members(), where they count as those of a
// collective call. It has no state beyond the call, and must not depend on anything but its arguments.
// Accesses in atomic mode are those of `barrier`, whatever has been chosen: others would write parts of the
// file for several ranks at once.
//
// To add one: a file in collectives/ with the function and one that returns its CollectiveAlgorithm, and its
// line in collectives.def. Machine files (io.collective) and the hint mpisim_collective know it from then on.
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "piosim/access.hpp"
#include "simkernel/modules.hpp"

namespace mpisim::pio {

struct CollectiveAlgorithm {
  std::string name;
  std::string summary;  ///< one line, without the full stop
  std::function<Outcome(const Access&)> access;
};

/// All of them, at most 16, in the order in which they are documented; a value of Collective is a number
/// among them.
kernel::ModuleTable<CollectiveAlgorithm>& collective_algorithms();

/// One that is there.
const CollectiveAlgorithm& algorithm_of(Collective collective);

/// By name; none if there is no such.
std::optional<Collective> find_collective(std::string_view name);

/// Counts one request for all these pieces, of which there is at least one.
void count_list(FileOnStorage& file, const std::vector<FilePiece>& pieces, bool write);

#define MODULE(name) CollectiveAlgorithm name##_collective();
#include "piosim/collectives.def"
#undef MODULE

}  // namespace mpisim::pio
