// Each rank sends each disk the list of its pieces there; a disk waits for all lists and serves them in the
// order of its addresses (Kotz, "Disk-directed I/O for MIMD multiprocessors", ACM TOCS 15(1), 1997).
#include "piosim/agreement.hpp"
#include "piosim/collective.hpp"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"

namespace mpisim::pio {

namespace {

Outcome access_directed_by_disks(const Access& access) {
  mpi::Communicator& comm = access.members();
  // Who has written before must not be read before: all meet, as for any collective access.
  barrier(comm);
  std::vector<FilePiece> moved;
  Outcome outcome = move_all_data(access, moved);
  FileOnStorage& file = access.place();
  if (!moved.empty()) count_list(file, moved, access.write);
  const Meeting meeting{access.file.shared.file, access.turn, static_cast<std::uint32_t>(comm.size())};
  count_tally(file, storage_of(file).access_directed(file.number, moved, access.write, meeting));
  return outcome;
}

}  // namespace

CollectiveAlgorithm disk_directed_collective() {
  return {"disk-directed", "the disks wait for all lists and serve them in the order of their addresses",
          access_directed_by_disks};
}

}  // namespace mpisim::pio
