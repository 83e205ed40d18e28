// Host processes over Open MPI, those of one machine through shared memory of our own (node_rings.hpp). A
// plug-in of its own: with one host process Open MPI is never loaded.
#include <mpi.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <memory>

#include "simkernel/node_memory.hpp"
#include "simkernel/node_rings.hpp"
#include "simkernel/transport.hpp"

namespace mpisim::kernel {

namespace {

constexpr int packet_tag = 17;
constexpr int large_packet_tag = 18;  // carries a size; the contents follow in pieces
constexpr int piece_tag = 19;
constexpr std::size_t piece_bytes = std::size_t{1} << 30;  // MPI counts are ints

// Whether so many host processes of this machine can run at the same time.
bool processors_for(int members) {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) >= members;
}

class OpenMpiTransport final : public Transport {
 public:
  OpenMpiTransport(int* argc, char*** argv) {
    int provided = 0;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &world_);
    MPI_Comm_rank(world_, &host_);
    MPI_Comm_size(world_, &hosts_);
    member_of_.assign(static_cast<std::size_t>(hosts_), -1);
    share_memory();
  }
  ~OpenMpiTransport() override {
    // The others know nothing of what went wrong here and would never come to the barrier: whoever started
    // the host processes ends them when this one ends.
    if (std::uncaught_exceptions() > 0) return;
    // After a stop, packets may be under way to hosts that have ended already: everyone takes in and drops
    // what comes until all have got rid of theirs, or large sends would never complete.
    Packet dropped;
    while (!in_flight_.empty() || !incoming_.empty() || (rings_ && rings_->sending())) {
      if (!receive(dropped)) wait_for_mpi();
    }
    MPI_Request all_sent = MPI_REQUEST_NULL;
    MPI_Ibarrier(world_, &all_sent);
    for (int done = 0; done == 0 || !incoming_.empty();) {
      if (!receive(dropped)) wait_for_mpi();
      if (done == 0) MPI_Test(&all_sent, &done, MPI_STATUS_IGNORE);
    }
    MPI_Comm_free(&world_);
    MPI_Finalize();
  }

  int host() const override { return host_; }
  int hosts() const override { return hosts_; }

  void send(int host, std::vector<std::byte> data) override {
    if (const int member = member_of(host); member >= 0) {
      rings_->send(member, std::move(data));
      return;
    }
    reap();
    auto outgoing = std::make_unique<Outgoing>();
    outgoing->data = std::move(data);
    const std::size_t size = outgoing->data.size();
    if (size <= piece_bytes) {
      post(*outgoing, outgoing->data.data(), size, host, packet_tag);
    } else {
      outgoing->size = size;
      post(*outgoing, &outgoing->size, sizeof outgoing->size, host, large_packet_tag);
      for (std::size_t at = 0; at < size; at += piece_bytes)
        post(*outgoing, outgoing->data.data() + at, std::min(piece_bytes, size - at), host, piece_tag);
    }
    in_flight_.push_back(std::move(outgoing));
  }

  bool receive(Packet& packet) override {
    if (rings_ && rings_->receive(packet)) {
      packet.source = members_[static_cast<std::size_t>(packet.source)];
      fruitless_ = 0;
      return true;
    }
    return mpi_has_news_ && receive_by_mpi(packet);
  }

  void wait() override {
    if (mpi_has_news_) {
      wait_for_mpi();
    } else {
      rings_->wait(longest_sleep);
    }
  }

  bool rests_next() const override {
    return mpi_has_news_ ? fruitless_ >= yields_before_rest : rings_->rests_next();
  }

  // Of processes of one machine, if all are there. Over Open MPI nobody knows; packets cost more there, and
  // are worth filling.
  bool starves(int host) const override {
    const int member = member_of(host);
    return member >= 0 && rings_->starves(member);
  }

  [[noreturn]] void abort(int status) override {
    MPI_Abort(world_, status);
    __builtin_trap();
  }

 private:
  struct Outgoing {
    std::vector<std::byte> data;
    std::size_t size = 0;  // of a large packet
    std::vector<MPI_Request> requests;
  };
  struct Incoming {
    Packet packet;
    MPI_Request request = MPI_REQUEST_NULL;  // null: it is here
  };
  static constexpr std::size_t most_incoming = 16;
  static constexpr int yields_before_rest = 50;
  // Others look at the clock while they wait (Engine::on_poll).
  static constexpr std::chrono::milliseconds longest_sleep{50};

  int member_of(int host) const { return member_of_[static_cast<std::size_t>(host)]; }

  /// Host processes of this machine get rings, or, where the system does not let them share memory, go on
  /// over Open MPI.
  void share_memory() {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, host_, MPI_INFO_NULL, &machine);
    int me = 0;
    int members = 1;
    MPI_Comm_rank(machine, &me);
    MPI_Comm_size(machine, &members);
    members_.resize(static_cast<std::size_t>(members));
    MPI_Allgather(&host_, 1, MPI_INT, members_.data(), 1, MPI_INT, machine);
    if (members > 1) {
      const std::size_t size = NodeRings::memory_size(members);
      int shared = me == 0 && memory_.make(size) ? 1 : 0;
      NodeMemory::Key key = memory_.key();
      MPI_Bcast(&key, sizeof key, MPI_BYTE, 0, machine);
      if (me != 0) shared = memory_.open(key, size) ? 1 : 0;
      MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_INT, MPI_MIN, machine);
      memory_.seal();
      if (shared != 0) {
        rings_ = std::make_unique<NodeRings>(memory_.data(), members, me, processors_for(members));
        for (int member = 0; member < members; ++member)
          if (member != me)
            member_of_[static_cast<std::size_t>(members_[static_cast<std::size_t>(member)])] = member;
        mpi_has_news_ = members < hosts_;
      }
    }
    MPI_Comm_free(&machine);
  }

  bool receive_by_mpi(Packet& packet) {
    while (incoming_.size() < most_incoming && accept()) {
    }
    int done = 0;
    if (!incoming_.empty()) MPI_Test(&incoming_.front().request, &done, MPI_STATUS_IGNORE);
    if (done == 0) {
      reap();
      return false;
    }
    fruitless_ = 0;
    packet = std::move(incoming_.front().packet);
    incoming_.pop_front();
    return true;
  }

  void wait_for_mpi() {
    // Host processes often share processors: yield first, then sleep for longer and longer up to 0.1 ms.
    if (++fruitless_ < 200) {
      sched_yield();
      return;
    }
    const long nanoseconds = fruitless_ < 1000 ? 20'000 : 100'000;
    const timespec pause{0, nanoseconds};
    nanosleep(&pause, nullptr);
  }

  /// Begins to receive the next packet, if there is one. Not to wait for it: what does not come with its
  /// envelope comes piece by piece as often as its sender, who has work of his own, looks at his requests.
  bool accept() {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    // Any tag, so that large and small packets of a source keep their order; pieces are taken with their
    // packet.
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, world_, &there, &message, &status);
    if (there == 0) return false;
    Incoming& coming = incoming_.emplace_back();
    Packet& packet = coming.packet;
    packet.source = status.MPI_SOURCE;
    if (status.MPI_TAG == large_packet_tag) {
      std::size_t total = 0;
      MPI_Mrecv(&total, sizeof total, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      packet.data.resize(total);
      for (std::size_t at = 0; at < total; at += piece_bytes)
        MPI_Recv(packet.data.data() + at, static_cast<int>(std::min(piece_bytes, total - at)), MPI_BYTE,
                 packet.source, piece_tag, world_, MPI_STATUS_IGNORE);
      return true;
    }
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    packet.data.resize(static_cast<std::size_t>(size));
    MPI_Imrecv(packet.data.data(), size, MPI_BYTE, &message, &coming.request);
    return true;
  }

  void post(Outgoing& outgoing, const void* data, std::size_t size, int host, int tag) const {
    MPI_Isend(data, static_cast<int>(size), MPI_BYTE, host, tag, world_, &outgoing.requests.emplace_back());
  }

  void reap() {
    while (!in_flight_.empty()) {
      int done = 0;
      auto& requests = in_flight_.front()->requests;
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
      if (done == 0) return;
      in_flight_.pop_front();
    }
  }

  MPI_Comm world_ = MPI_COMM_NULL;
  int host_ = 0;
  int hosts_ = 1;
  int fruitless_ = 0;
  NodeMemory memory_;
  std::unique_ptr<NodeRings> rings_;
  std::vector<int> members_;    // host processes of this machine
  std::vector<int> member_of_;  // by host process; -1: packets travel over Open MPI
  bool mpi_has_news_ = true;    // packets may come over Open MPI
  std::deque<std::unique_ptr<Outgoing>> in_flight_;
  std::deque<Incoming> incoming_;  // in the order of their envelopes
};

}  // namespace

}  // namespace mpisim::kernel

extern "C" [[gnu::visibility("default")]] mpisim::kernel::Transport* mpisim_make_openmpi_transport(
    int* argc, char*** argv) {
  return new mpisim::kernel::OpenMpiTransport(argc, argv);
}
