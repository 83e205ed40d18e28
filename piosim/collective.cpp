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
#include "piosim/background.hpp"
#include "piosim/state.hpp"
#include "piosim/statistics.hpp"

namespace mpisim::pio {

namespace {

namespace core = mpi::core;

constexpr std::size_t most_in_list = 64;

/// Collective accesses that are over before begin() returns.
class AtOnce : public CollectiveAccess {
 public:
  explicit AtOnce(const Access& access) : access_(access) {}
  Outcome end() override { return std::move(outcome_); }

 protected:
  Access access_;
  Outcome outcome_;
};

class Barrier final : public CollectiveAccess {
 public:
  Barrier(const Access& access, bool in_background) : access_(access), in_background_(in_background) {}

  void begin() override {
    barrier(access_.file.comm());
    // Atomic accesses are over before the next call, so that their locks are.
    if (in_background_ && !access_.file.atomic)
      request_ = start_alone(access_, outcome_);
    else
      outcome_ = access_alone(access_);
  }

  Outcome end() override {
    if (request_ != nullptr) core::wait(request_);
    return std::move(outcome_);
  }

 private:
  Access access_;
  const bool in_background_;
  Outcome outcome_;
  mpi::Request* request_ = nullptr;
};

class Grouping final : public AtOnce {
 public:
  using AtOnce::AtOnce;

  void begin() override {
    barrier(comm_);
    tag_ = static_cast<int>(comm_.next_collective() & 0x7fffffffU);
    const auto size = static_cast<int>(
        std::min<std::uint64_t>(world_io().config.group_size, static_cast<std::uint64_t>(comm_.size())));
    const int me = comm_.rank(), leader = me - me % size;
    const int end = std::min(leader + size, comm_.size());
    if (me != leader) {
      receive(leader);
      outcome_ = access_alone(access_);
      send(leader);
      return;
    }
    if (leader > 0) receive(leader - size);
    for (int member = leader + 1; member < end; ++member) send(member);
    outcome_ = access_alone(access_);
    for (int member = leader + 1; member < end; ++member) receive(member);
    if (end < comm_.size()) send(end);
  }

 private:
  void send(int to) { core::send(comm_, core::Plane::collective, nullptr, 0, mpi::byte_type(), to, tag_); }
  void receive(int from) {
    core::recv(comm_, core::Plane::collective, nullptr, 0, mpi::byte_type(), from, tag_);
  }

  mpi::Communicator& comm_ = access_.file.comm();
  int tag_ = 0;
};

/// One request for all these pieces.
void count_list(File& file, const std::vector<FilePiece>& pieces, bool write) {
  std::uint64_t bytes = 0;
  for (const FilePiece& piece : pieces) bytes += piece.bytes;
  count_request(file.on_storage, {pieces.front().offset, bytes}, write);
  file.on_storage.next_offset = pieces.back().offset + pieces.back().bytes;
}

class List final : public AtOnce {
 public:
  using AtOnce::AtOnce;

  void begin() override {
    barrier(access_.file.comm());
    std::vector<FilePiece> moved;
    outcome_ = move_all_data(access_, moved);
    for (std::size_t first = 0; first < moved.size(); first += most_in_list) {
      const auto begin = moved.begin() + static_cast<std::ptrdiff_t>(first);
      const auto count = static_cast<std::ptrdiff_t>(std::min(most_in_list, moved.size() - first));
      const std::vector<FilePiece> pieces(begin, begin + count);
      count_list(access_.file, pieces, access_.write);
      count_tally(rank_io().storage->access_list(access_.file.on_storage.number, pieces, access_.write));
    }
  }
};

class DiskDirected final : public AtOnce {
 public:
  using AtOnce::AtOnce;

  void begin() override {
    File& file = access_.file;
    mpi::Communicator& comm = file.comm();
    // Who has written before must not be read before: all meet, as for any collective access.
    barrier(comm);
    std::vector<FilePiece> moved;
    outcome_ = move_all_data(access_, moved);
    if (!moved.empty()) count_list(file, moved, access_.write);
    const Meeting meeting{file.shared.file, comm.next_collective(), static_cast<std::uint32_t>(comm.size())};
    count_tally(rank_io().storage->access_directed(file.on_storage.number, moved, access_.write, meeting));
  }
};

std::unique_ptr<CollectiveAccess> make_collective(const Access& access, bool in_background) {
  enter(access.write ? CollectiveCall::write : CollectiveCall::read);
  switch (access.file.atomic ? Collective::barrier : access.file.collective) {
    case Collective::barrier:
      break;
    case Collective::grouping:
      return std::make_unique<Grouping>(access);
    case Collective::two_phase:
      return make_two_phase(access, in_background);
    case Collective::list:
      return std::make_unique<List>(access);
    case Collective::disk_directed:
      return std::make_unique<DiskDirected>(access);
  }
  return std::make_unique<Barrier>(access, in_background);
}

}  // namespace

Outcome access_together(const Access& access) {
  const std::unique_ptr<CollectiveAccess> collective = make_collective(access, false);
  collective->begin();
  return collective->end();
}

std::unique_ptr<CollectiveAccess> begin_together(const Access& access) {
  std::unique_ptr<CollectiveAccess> begun = make_collective(access, true);
  begun->begin();
  return begun;
}

}  // namespace mpisim::pio
