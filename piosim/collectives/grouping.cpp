// All ranks meet; groups of `io.group_size` ranks with neighbouring numbers access the file one group after
// the other (Nitzberg, "Performance of the iPSC/860 concurrent file system", NASA Ames RND-92-020, 1992), so
// that fewer ranks contend for the disks. The first rank of a group gets a message when the group before is
// done, tells its members, and is told by them when they are done.
#include <algorithm>

#include "mpisim/core.hpp"
#include "piosim/agreement.hpp"
#include "piosim/collective.hpp"
#include "piosim/state.hpp"

namespace mpisim::pio {

namespace {

namespace core = mpi::core;

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

}  // namespace

CollectiveAlgorithm grouping_collective() {
  return {"grouping", "groups of `group_size` ranks access the file one after the other",
          [](const Access& access) { return Grouping(access).run(); }};
}

}  // namespace mpisim::pio
