// Collective accesses: global barrier, node grouping, list I/O and disk-directed I/O. Two-phase:
// two_phase.cpp.
//
//   barrier        all ranks meet, then each makes its own accesses
//   grouping       all ranks meet; groups of `io.group_size` ranks with neighbouring numbers access the file
//   one
//                  group after the other (Nitzberg, "Performance of the iPSC/860 concurrent file system",
//                  NASA Ames RND-92-020, 1992), so that fewer ranks contend for the disks. The first rank of
//                  a group gets a message when the group before is done, tells its members, and is told by
//                  them when they are done.
//   list           all ranks meet; each sends its pieces in requests of up to 64 pieces (Ching et al. 2002)
//   disk-directed  each rank sends each disk the list of its pieces there; a disk waits for all lists and
//   serves them
//                  in the order of its addresses (Kotz 1997)
//
// Accesses in atomic mode are those of `barrier`: the others would write parts of the file for several ranks
// at once.
#include <algorithm>
#include <array>

#include "mpisim/core.hpp"
#include "mpisim/rank.hpp"
#include "piosim/access.hpp"
#include "piosim/agreement.hpp"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"

namespace mpisim::pio {

namespace {

namespace core = mpi::core;

constexpr std::size_t most_in_list = 64;

Outcome access_after_barrier(const Access& access) {
  barrier(access.members());
  return access_alone(access);
}

class Grouping {
 public:
  explicit Grouping(const Access& access) : access_(access), comm_(access.members()) {}

  Outcome run() {
    barrier(comm_);
    tag_ = static_cast<int>(comm_.next_collective() & 0x7fffffffU);
    const auto size = static_cast<int>(
        std::min<std::uint64_t>(world_io().config.group_size, static_cast<std::uint64_t>(comm_.size())));
    const int me = comm_.rank(), leader = me - me % size;
    const int end = std::min(leader + size, comm_.size());
    if (me != leader) {
      receive(leader);
      Outcome outcome = access_alone(access_);
      send(leader);
      return outcome;
    }
    if (leader > 0) receive(leader - size);
    for (int member = leader + 1; member < end; ++member) send(member);
    Outcome outcome = access_alone(access_);
    for (int member = leader + 1; member < end; ++member) receive(member);
    if (end < comm_.size()) send(end);
    return outcome;
  }

 private:
  void send(int to) { core::send(comm_, core::Plane::collective, nullptr, 0, mpi::byte_type(), to, tag_); }
  void receive(int from) {
    core::recv(comm_, core::Plane::collective, nullptr, 0, mpi::byte_type(), from, tag_);
  }

  const Access& access_;
  mpi::Communicator& comm_;
  int tag_ = 0;
};

/// One request for all these pieces.
void count_list(FileOnStorage& file, const std::vector<FilePiece>& pieces, bool write) {
  std::uint64_t bytes = 0;
  for (const FilePiece& piece : pieces) bytes += piece.bytes;
  count_request(file, {pieces.front().offset, bytes}, write);
  file.next_offset = pieces.back().offset + pieces.back().bytes;
}

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

Outcome access_together(const Access& access) {
  switch (access.file.atomic ? Collective::barrier : access.file.collective) {
    case Collective::barrier:
      break;
    case Collective::grouping:
      return Grouping(access).run();
    case Collective::two_phase:
      return access_two_phase(access);
    case Collective::list:
      return access_in_lists(access);
    case Collective::disk_directed:
      return access_directed_by_disks(access);
  }
  return access_after_barrier(access);
}

}  // namespace mpisim::pio
