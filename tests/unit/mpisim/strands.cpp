// Strands (mpisim/strand.hpp) at the end of a run.
#include <catch2/catch.hpp>
#include <memory>

#include "mpisim/rank.hpp"
#include "simkernel/component_lp.hpp"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using test::HarnessOptions;
using test::run_ranks;

namespace {

constexpr std::uint16_t call_kind = 900;  // of none of the library's events

struct Call : kernel::Event {
  std::uint32_t strand = 0;
};

class Calls final : public kernel::EventCodec {
 public:
  explicit Calls(int& disposed) : disposed_(disposed) {}
  void encode(const kernel::Event& event, kernel::PacketWriter& out) const override {
    out.put(static_cast<const Call&>(event).strand);
  }
  kernel::Event* decode(kernel::PacketReader& in) const override {
    auto* call = new Call;
    call->strand = in.get<std::uint32_t>();
    return call;
  }
  void dispose(kernel::Event* event) const override {
    ++disposed_;
    delete static_cast<Call*>(event);
  }

 private:
  int& disposed_;
};

/// Answers what it is asked.
class Server final : public kernel::ComponentLp {
 public:
  using ComponentLp::ComponentLp;

 private:
  void handle(kernel::Event* event) override { send(event->key.source, 1_ms, event); }
};

class Service final : public mpi::WorldExtension {
 public:
  explicit Service(int& disposed) : disposed_(disposed) {}
  std::vector<std::uint16_t> place_lps(const mpi::WorldOptions& /*options*/, kernel::LpId first,
                                       const std::vector<std::uint16_t>& /*host_of_rank*/,
                                       int /*hosts*/) override {
    server_ = first;
    return {0};
  }
  std::vector<kernel::LpId> companions(const mpi::WorldOptions& /*options*/, kernel::LpId first) override {
    return {first};
  }
  std::vector<std::unique_ptr<kernel::LogicalProcess>> make_lps(kernel::Engine& engine) override {
    engine.register_codec(call_kind, std::make_unique<Calls>(disposed_));
    std::vector<std::unique_ptr<kernel::LogicalProcess>> lps;
    lps.push_back(std::make_unique<Server>(engine, server_));
    return lps;
  }
  kernel::LpId server() const { return server_; }

 private:
  int& disposed_;
  kernel::LpId server_ = 0;
};

class Asker final : public mpi::RankExtension {
 public:
  std::string leaks() const override { return {}; }
  std::uint32_t asker(const kernel::Event& event) const override {
    return static_cast<const Call&>(event).strand;
  }
};

class Nothing final : public mpi::BackgroundWork {
 public:
  int finish(mpi::core::Status& /*status*/) override { return MPI_SUCCESS; }
  std::string describe() const override { return "asking"; }
};

/// A strand of the current rank asks the server; returns its request.
mpi::Request* ask_beside(const Service& service) {
  mpi::Rank& rank = mpi::current_rank();
  rank.extension = std::make_unique<Asker>();
  mpi::Communicator& world = *mpi::handles().communicator(MPI_COMM_WORLD);
  mpi::Request* request = rank.make_request(mpi::Request::Kind::background, world, mpi::core::Plane::user);
  rank.start(*request);
  request->work = new Nothing;
  rank.start_strand(*request, [&service] {
    auto* call = new Call;
    call->kind = call_kind;
    call->strand = mpi::current_rank().strand_number();
    delete static_cast<Call*>(mpi::current_rank().ask(service.server(), 1_ms, call));
  });
  return request;
}

}  // namespace

TEST_CASE("an answer that a strand has not taken when the run ends is disposed of") {
  for (const bool aborts : {false, true}) {
    int disposed = 0;
    Service* service = nullptr;
    HarnessOptions options;
    options.config.progress = mpi::Progress::in_calls;
    options.extension = [&] {
      auto made = std::make_shared<Service>(disposed);
      service = made.get();
      return made;
    };
    const auto result = run_ranks(
        3,
        [&](int rank) {
          MPI_Init(nullptr, nullptr);
          mpi::Request* request = rank == 0 ? ask_beside(*service) : nullptr;
          // The answer leaves at 1 ms and comes at 2 ms; the run ends between.
          if (rank != 0) mpi::core::charge(1500_us);
          int token = rank;
          if (rank == 2) MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
          // Who may be its sender is known when all that comes before has happened.
          if (rank == 1) MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          if (rank == 1 && aborts) MPI_Abort(MPI_COMM_WORLD, 3);
          MPI_Bcast(&token, 1, MPI_INT, 1, MPI_COMM_WORLD);
          if (request != nullptr) {
            mpi::current_rank().complete_all({&request, 1});
            mpi::current_rank().free_request(request);
          }
          MPI_Finalize();
          return 0;
        },
        options);
    CHECK(result.exit_code == (aborts ? 3 : 0));
    CHECK(disposed == (aborts ? 1 : 0));
  }
}
