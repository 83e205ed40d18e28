// Nonblocking and split collective accesses: as their blocking forms, with the same algorithms, beside the
// program.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "mpisim/core.hpp"
#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using kernel::SimTime;

namespace {

constexpr int ranks = 5;
constexpr int in_a_round = 7;  // integers of each rank
constexpr int rounds = 3;

MPI_File open_comb(const std::string& name, int rank) {
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_Datatype comb;
  MPI_Type_create_resized(MPI_INT, 0, ranks * sizeof(int), &comb);
  MPI_Type_commit(&comb);
  MPI_File_set_view(file, rank * static_cast<int>(sizeof(int)), MPI_INT, comb, "native", MPI_INFO_NULL);
  MPI_Type_free(&comb);
  return file;
}

/// Several accesses at once, with messages of the program and computation between them.
int write_and_read_back(const std::string& name, int rank) {
  MPI_File file = open_comb(name, rank);
  std::vector<int> data(in_a_round * rounds), back(in_a_round * rounds, -1);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = 1000 * rank + static_cast<int>(i);
  MPI_Request requests[rounds];
  MPI_Status statuses[rounds];
  EXPECT(!MPI_File_iwrite_all(file, data.data(), in_a_round, MPI_INT, &requests[0]));
  mpi::core::charge(millisecond * rank);
  int token = rank;
  MPI_Sendrecv_replace(&token, 1, MPI_INT, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks, 0,
                       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(token == (rank + ranks - 1) % ranks);
  EXPECT(!MPI_File_iwrite_at_all(file, 2 * in_a_round, &data[2 * in_a_round], in_a_round, MPI_INT,
                                 &requests[2]));
  EXPECT(!MPI_File_iwrite_all(file, &data[in_a_round], in_a_round, MPI_INT, &requests[1]));
  EXPECT(!MPI_Waitall(rounds, requests, statuses));
  for (const MPI_Status& status : statuses) {
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(count == in_a_round);
  }
  MPI_Offset position = -1;
  EXPECT(!MPI_File_get_position(file, &position) && position == 2 * in_a_round);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(!MPI_File_iread_at_all(file, 0, back.data(), in_a_round, MPI_INT, &requests[0]));
  EXPECT(!MPI_File_read_at_all(file, in_a_round, &back[in_a_round], in_a_round, MPI_INT, statuses));
  EXPECT(
      !MPI_File_iread_at_all(file, 2 * in_a_round, &back[2 * in_a_round], in_a_round, MPI_INT, &requests[2]));
  int flag = 0;
  while (!flag) {
    mpisim::mpi::current_rank().expect_wait();
    EXPECT(!MPI_Test(&requests[2], &flag, &statuses[2]));
  }
  EXPECT(!MPI_Wait(&requests[0], statuses));
  EXPECT(back == data);
  // Beyond the end there is nothing; a rank may ask for nothing.
  int few[3] = {-1, -1, -1}, count = -1;
  EXPECT(!MPI_File_iread_at_all(file, rounds * in_a_round - 1, few, rank == 0 ? 0 : 3, MPI_INT, requests));
  EXPECT(!MPI_Wait(requests, statuses));
  MPI_Get_count(statuses, MPI_INT, &count);
  EXPECT(count == (rank == 0 ? 0 : 1) && few[1] == -1);
  EXPECT(rank == 0 || few[0] == data.back());
  return MPI_File_close(&file);
}

}  // namespace

TEST_CASE("nonblocking collectives move the right data with every algorithm, in the same time everywhere") {
  const Directory directory;
  const std::string name = directory.file("all.dat");
  for (const auto collective :
       {pio::Collective::barrier, pio::Collective::grouping, pio::Collective::two_phase,
        pio::Collective::list, pio::Collective::disk_directed}) {
    for (const bool file_system : {false, true}) {
      for (const auto progress : {mpi::Progress::asynchronous, mpi::Progress::in_calls}) {
        SimTime first;
        mpi::Counters counters{};
        for (int variant = 0; variant < 6; ++variant) {
          pio::Config config = config_of(file_system);
          config.collective = collective;
          config.aggregators = 2;
          config.collective_buffer = 100;
          config.group_size = 2;
          HarnessOptions options = with(config, variant % 3 + 1);
          options.config.progress = progress;
          options.deterministic = variant != 3;
          options.cancels = variant % 2 == 0;
          options.seed = static_cast<std::uint64_t>(variant) + 1;
          const auto result =
              run_ranks(ranks, program([&](int rank) { return write_and_read_back(name, rank); }), options);
          INFO("algorithm " << static_cast<int>(collective) << ", file system " << file_system
                            << ", progress " << static_cast<int>(progress) << ", variant " << variant);
          CHECK(result.exit_code == 0);
          if (variant == 0) {
            first = result.predicted;
            counters = result.totals.counters;
          }
          CHECK(result.predicted == first);
          CHECK(result.totals.counters == counters);
          std::filesystem::remove(name);
        }
      }
    }
  }
}

TEST_CASE("two-phase saves requests in nonblocking and split forms as it does in the blocking one") {
  const Directory directory;
  const std::string name = directory.file("requests.dat");
  enum class Form { blocking, nonblocking, split };
  const auto writes_of = [&](pio::Collective collective, Form form) {
    pio::Config config = with_file_system();
    config.collective = collective;
    config.pfs.stripe_unit = 1 << 20;
    const auto result =
        run_ranks(ranks, program([&](int rank) {
                    MPI_File file = open_comb(name, rank);
                    const std::vector<int> data(100, rank);
                    MPI_Request request;
                    if (form == Form::blocking) {
                      EXPECT(!MPI_File_write_all(file, data.data(), 100, MPI_INT, MPI_STATUS_IGNORE));
                    } else if (form == Form::nonblocking) {
                      EXPECT(!MPI_File_iwrite_all(file, data.data(), 100, MPI_INT, &request));
                      EXPECT(!MPI_Wait(&request, MPI_STATUS_IGNORE));
                    } else {
                      EXPECT(!MPI_File_write_all_begin(file, data.data(), 100, MPI_INT));
                      EXPECT(!MPI_File_write_all_end(file, data.data(), MPI_STATUS_IGNORE));
                    }
                    return MPI_File_close(&file);
                  }),
                  with(config));
    CHECK(result.exit_code == 0);
    CHECK(counted(result, pio::Counter::bytes_written) == ranks * 100 * sizeof(int));
    return counted(result, pio::Counter::disk_writes);
  };
  for (const Form form : {Form::blocking, Form::nonblocking, Form::split}) {
    CHECK(writes_of(pio::Collective::two_phase, form) == ranks);      // one domain for each rank
    CHECK(writes_of(pio::Collective::barrier, form) == ranks * 100);  // one for each integer
  }
}

TEST_CASE("computation hides a nonblocking collective, messages and all, unless progress needs calls") {
  const Directory directory;
  const std::string name = directory.file("overlap.dat");
  const auto time_of = [&](bool overlap, SimTime work, mpi::Progress progress) {
    pio::Config config = with_file_system();
    config.pfs.stripe_unit = 1 << 16;
    HarnessOptions options = with(config);
    options.config.progress = progress;
    const auto result =
        run_ranks(ranks, program([&](int rank) {
                    MPI_File file = open_comb(name, rank);
                    const std::vector<int> data(10'000, rank);
                    MPI_Request request;
                    if (overlap) {
                      EXPECT(!MPI_File_iwrite_all(file, data.data(), 10'000, MPI_INT, &request));
                      mpi::core::charge(work);
                      EXPECT(!MPI_Wait(&request, MPI_STATUS_IGNORE));
                    } else {
                      EXPECT(!MPI_File_write_all(file, data.data(), 10'000, MPI_INT, MPI_STATUS_IGNORE));
                      mpi::core::charge(work);
                    }
                    return MPI_File_close(&file);
                  }),
                  options);
    CHECK(result.exit_code == 0);
    return result.predicted;
  };
  const SimTime none = SimTime::zero();
  const SimTime much = millisecond * 1000;
  const auto by_itself = mpi::Progress::asynchronous;
  const auto in_calls = mpi::Progress::in_calls;
  const SimTime nothing = time_of(false, none, by_itself);
  const SimTime close_to = millisecond;  // what additional calls may cost
  CHECK(time_of(true, none, by_itself) <= nothing + close_to);
  CHECK(time_of(true, none, by_itself) + close_to >= nothing);
  const SimTime serial = time_of(false, much, by_itself);
  CHECK(serial >= nothing + much);
  const SimTime hidden = time_of(true, much, by_itself);
  CHECK(hidden >= much);
  CHECK(hidden + millisecond * 10 <= serial);
  // Only what was sent in the call itself is under way while the program computes outside of calls.
  CHECK(time_of(true, much, in_calls) > hidden);
}

TEST_CASE("who calls late makes the others' requests late, and nobody waits in the call") {
  const Directory directory;
  const std::string name = directory.file("late.dat");
  const auto result = run_ranks(
      2, program([&](int rank) {
        MPI_File file = MPI_FILE_NULL;
        MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
        MPI_Request request;
        const double begun = MPI_Wtime();
        // In a blocking collective this would be a deadlock.
        if (rank == 1) MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) mpi::core::charge(millisecond * 500);
        EXPECT(!MPI_File_iwrite_at_all(file, 4 * rank, &rank, 1, MPI_INT, &request));
        if (rank == 0) {
          EXPECT(MPI_Wtime() - begun < 0.01);
          MPI_Send(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
        }
        EXPECT(!MPI_Wait(&request, MPI_STATUS_IGNORE));
        EXPECT(MPI_Wtime() - begun >= 0.5);
        return MPI_File_close(&file);
      }),
      with(config_of(true)));
  CHECK(result.exit_code == 0);
}

TEST_CASE("a file is not closed while accesses of it are under way") {
  const Directory directory;
  const std::string name = directory.file("pending.dat");
  const auto result = run_ranks(2, program([&](int rank) {
                                  MPI_File file = open_comb(name, rank);
                                  MPI_Request request;
                                  EXPECT(!MPI_File_iwrite_all(file, &rank, 1, MPI_INT, &request));
                                  EXPECT(MPI_File_close(&file) == MPI_ERR_IO && file != MPI_FILE_NULL);
                                  EXPECT(!MPI_Wait(&request, MPI_STATUS_IGNORE));
                                  EXPECT(!MPI_File_write_all_begin(file, &rank, 1, MPI_INT));
                                  EXPECT(MPI_File_close(&file) == MPI_ERR_IO);
                                  EXPECT(!MPI_File_write_all_end(file, &rank, MPI_STATUS_IGNORE));
                                  EXPECT(!MPI_File_iwrite(file, &rank, 1, MPI_INT, &request));
                                  EXPECT(MPI_File_close(&file) == MPI_ERR_IO);
                                  EXPECT(!MPI_Wait(&request, MPI_STATUS_IGNORE));
                                  return MPI_File_close(&file);
                                }),
                                with({}));
  CHECK(result.exit_code == 0);
  CHECK_THAT(warnings_of(result), Catch::Contains("MPI_File_close") && Catch::Contains("not completed"));
}

TEST_CASE("a nonblocking collective that fails is told to all ranks by the calls that complete it") {
  for (const auto collective : {pio::Collective::two_phase, pio::Collective::barrier}) {
    pio::Config config;
    config.collective = collective;
    const auto result = run_ranks(
        2, program([&](int rank) {
          MPI_File file;
          EXPECT(!MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
          MPI_Request request;
          EXPECT(!MPI_File_iwrite_at_all(file, rank, &rank, 1, MPI_INT, &request));
          EXPECT(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_ERR_NO_SPACE && request == MPI_REQUEST_NULL);
          return MPI_File_close(&file);
        }),
        with(config));
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("atomic mode: nonblocking collectives take locks beside the program") {
  const Directory directory;
  const std::string name = directory.file("atomic.dat");
  SimTime first;
  for (int hosts = 1; hosts <= 3; ++hosts) {
    const auto result = run_ranks(
        3, program([&](int rank) {
          MPI_File file = MPI_FILE_NULL;
          MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
          EXPECT(!MPI_File_set_atomicity(file, 1));
          const std::vector<char> mine(1000, static_cast<char>('a' + rank));
          std::vector<char> seen(1000);
          MPI_Request request;
          EXPECT(!MPI_File_iwrite_at_all(file, 0, mine.data(), 1000, MPI_CHAR, &request));
          EXPECT(!MPI_Wait(&request, MPI_STATUS_IGNORE));
          EXPECT(!MPI_File_read_at(file, 0, seen.data(), 1000, MPI_CHAR, MPI_STATUS_IGNORE));
          EXPECT(seen == std::vector<char>(1000, seen[0]));
          return MPI_File_close(&file);
        }),
        with(config_of(true), hosts));
    CHECK(result.exit_code == 0);
    if (hosts == 1) first = result.predicted;
    CHECK(result.predicted == first);
  }
}
