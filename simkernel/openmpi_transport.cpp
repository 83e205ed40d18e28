// Host processes over Open MPI. A plug-in of its own: with one host process Open MPI is never loaded.
#include <mpi.h>
#include <sched.h>
#include <time.h>

#include <deque>
#include <memory>

#include "simkernel/transport.hpp"

namespace mpisim::kernel {

namespace {

constexpr int packet_tag = 17;

class OpenMpiTransport final : public Transport {
 public:
  OpenMpiTransport(int* argc, char*** argv) {
    int provided = 0;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &world_);
    MPI_Comm_rank(world_, &host_);
    MPI_Comm_size(world_, &hosts_);
  }
  ~OpenMpiTransport() override {
    while (!in_flight_.empty()) {
      MPI_Wait(&in_flight_.front()->request, MPI_STATUS_IGNORE);
      in_flight_.pop_front();
    }
    MPI_Comm_free(&world_);
    MPI_Finalize();
  }

  int host() const override { return host_; }
  int hosts() const override { return hosts_; }

  void send(int host, std::vector<std::byte> data) override {
    reap();
    auto outgoing = std::make_unique<Outgoing>();
    outgoing->data = std::move(data);
    MPI_Isend(outgoing->data.data(), static_cast<int>(outgoing->data.size()), MPI_BYTE, host, packet_tag,
              world_, &outgoing->request);
    in_flight_.push_back(std::move(outgoing));
  }

  bool receive(Packet& packet) override {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(MPI_ANY_SOURCE, packet_tag, world_, &there, &message, &status);
    if (there == 0) {
      reap();
      return false;
    }
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    packet.source = status.MPI_SOURCE;
    packet.data.resize(static_cast<std::size_t>(size));
    MPI_Mrecv(packet.data.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    fruitless_ = 0;
    return true;
  }

  void wait() override {
    // Host processes often share processors: yield first, then sleep for longer and longer up to 0.1 ms.
    if (++fruitless_ < 200) {
      sched_yield();
      return;
    }
    const long nanoseconds = fruitless_ < 1000 ? 20'000 : 100'000;
    const timespec pause{0, nanoseconds};
    nanosleep(&pause, nullptr);
  }

  [[noreturn]] void abort(int status) override {
    MPI_Abort(world_, status);
    __builtin_trap();
  }

 private:
  struct Outgoing {
    std::vector<std::byte> data;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void reap() {
    while (!in_flight_.empty()) {
      int done = 0;
      MPI_Test(&in_flight_.front()->request, &done, MPI_STATUS_IGNORE);
      if (done == 0) return;
      in_flight_.pop_front();
    }
  }

  MPI_Comm world_ = MPI_COMM_NULL;
  int host_ = 0;
  int hosts_ = 1;
  int fruitless_ = 0;
  std::deque<std::unique_ptr<Outgoing>> in_flight_;
};

}  // namespace

}  // namespace mpisim::kernel

extern "C" [[gnu::visibility("default")]] mpisim::kernel::Transport* mpisim_make_openmpi_transport(
    int* argc, char*** argv) {
  return new mpisim::kernel::OpenMpiTransport(argc, argv);
}
