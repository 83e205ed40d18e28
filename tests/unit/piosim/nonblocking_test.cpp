// Nonblocking accesses go on while the rank does other things; split collectives do so between their calls.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "mpisim/core.hpp"
#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using kernel::SimTime;

namespace {

MPI_File open_new(const std::string& name, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(comm, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  return file;
}

}  // namespace

TEST_CASE("computation hides a nonblocking write, and the longer of the two counts") {
  const Directory directory;
  const std::string name = directory.file("hidden.dat");
  for (const bool file_system : {false, true}) {
    for (const bool split : {false, true}) {
      const auto time_of = [&](bool overlap, SimTime work) {
        const auto result = run_ranks(
            2, program([&](int rank) {
              MPI_File file = open_new(name);
              const std::vector<char> data(1 << 16, static_cast<char>(rank));
              const int bytes = 1 << 16;
              if (!overlap) {
                if (split)
                  MPI_File_write_at_all(file, rank * bytes, data.data(), bytes, MPI_CHAR, MPI_STATUS_IGNORE);
                else
                  MPI_File_write_at(file, rank * bytes, data.data(), bytes, MPI_CHAR, MPI_STATUS_IGNORE);
                mpi::core::charge(work);
              } else if (split) {
                MPI_File_write_at_all_begin(file, rank * bytes, data.data(), bytes, MPI_CHAR);
                mpi::core::charge(work);
                MPI_File_write_at_all_end(file, data.data(), MPI_STATUS_IGNORE);
              } else {
                MPI_Request request;
                MPI_File_iwrite_at(file, rank * bytes, data.data(), bytes, MPI_CHAR, &request);
                mpi::core::charge(work);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
              }
              return MPI_File_close(&file);
            }),
            with(config_of(file_system)));
        CHECK(result.exit_code == 0);
        CHECK(counted(result, pio::Counter::disk_writes) > 0);
        return result.predicted;
      };
      INFO("file system " << file_system << ", split " << split);
      const SimTime none = SimTime::zero();
      const SimTime write = time_of(false, none);
      const SimTime little = millisecond;
      const SimTime much = millisecond * 10'000;
      const SimTime call = SimTime::picoseconds(10'000'000);  // what the additional calls may cost
      CHECK(time_of(false, little) >= write + little);
      CHECK(time_of(true, little) <= write + call);
      CHECK(time_of(true, none) >= write - call);
      CHECK(time_of(true, much) <= write + much - millisecond * 10);  // the disks' part is hidden
      CHECK(time_of(true, much) >= much);
    }
  }
}

TEST_CASE("requests complete by all the calls, with data and status, in the same time on every host count") {
  const Directory directory;
  const std::string name = directory.file("many.dat");
  for (const bool file_system : {false, true}) {
    std::vector<SimTime> times;
    for (int hosts = 1; hosts <= 3; ++hosts) {
      const auto result =
          run_ranks(3, program([&](int rank) {
                      MPI_File file = open_new(name);
                      MPI_Datatype comb;
                      MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &comb);
                      MPI_Type_commit(&comb);
                      EXPECT(!MPI_File_set_view(file, rank * static_cast<int>(sizeof(int)), MPI_INT, comb,
                                                "native", MPI_INFO_NULL));
                      MPI_Type_free(&comb);
                      int data[12], back[12] = {};
                      for (int i = 0; i < 12; ++i) data[i] = 100 * rank + i;
                      MPI_Request requests[4];
                      MPI_Status statuses[4];
                      EXPECT(!MPI_File_iwrite(file, data, 3, MPI_INT, &requests[0]));
                      EXPECT(!MPI_File_iwrite_all(file, data + 3, 3, MPI_INT, &requests[1]));
                      EXPECT(!MPI_File_iwrite_at(file, 6, data + 6, 3, MPI_INT, &requests[2]));
                      EXPECT(!MPI_File_iwrite_at_all(file, 9, data + 9, 3, MPI_INT, &requests[3]));
                      MPI_Offset position = -1;
                      EXPECT(!MPI_File_get_position(file, &position) && position == 6);
                      EXPECT(!MPI_Waitall(4, requests, statuses));
                      for (int i = 0; i < 4; ++i) {
                        int count = -1;
                        MPI_Get_count(&statuses[i], MPI_INT, &count);
                        EXPECT(count == 3 && requests[i] == MPI_REQUEST_NULL);
                      }
                      EXPECT(!MPI_File_seek(file, 0, MPI_SEEK_SET));
                      EXPECT(!MPI_File_iread(file, back, 3, MPI_INT, &requests[0]));
                      EXPECT(!MPI_File_iread_all(file, back + 3, 3, MPI_INT, &requests[1]));
                      EXPECT(!MPI_File_iread_at(file, 6, back + 6, 3, MPI_INT, &requests[2]));
                      EXPECT(!MPI_File_iread_at_all(file, 9, back + 9, 3, MPI_INT, &requests[3]));
                      int index = -1, flag = 0, done = 0, indices[4];
                      EXPECT(!MPI_Waitany(4, requests, &index, statuses) && index >= 0);
                      EXPECT(!MPI_Waitsome(4, requests, &done, indices, statuses) && done >= 1);
                      while (!flag) {
                        mpisim::mpi::current_rank().expect_wait();
                        EXPECT(!MPI_Testall(4, requests, &flag, MPI_STATUSES_IGNORE));
                      }
                      for (int i = 0; i < 12; ++i) EXPECT(back[i] == data[i]);
                      // Beyond the end of the file there is nothing.
                      EXPECT(!MPI_File_iread_at(file, 11, back, 5, MPI_INT, &requests[0]));
                      for (flag = 0; !flag;) {
                        mpisim::mpi::current_rank().expect_wait();
                        EXPECT(!MPI_Test(&requests[0], &flag, statuses));
                      }
                      int count = -1;
                      MPI_Get_count(statuses, MPI_INT, &count);
                      EXPECT(count == 1 && back[0] == data[11] && back[1] == data[1]);
                      return MPI_File_close(&file);
                    }),
                    with(config_of(file_system), hosts));
      CHECK(result.exit_code == 0);
      CHECK(warnings_of(result) == "");
      times.push_back(result.predicted);
    }
    CHECK(times[0] == times[1]);
    CHECK(times[0] == times[2]);
  }
}

TEST_CASE("nonblocking accesses with the shared pointer each have their place") {
  const Directory directory;
  const std::string name = directory.file("shared.dat");
  for (const int hosts : {1, 3}) {
    const auto result =
        run_ranks(3, program([&](int rank) {
                    MPI_File file = open_new(name);
                    MPI_Request requests[3];
                    const std::string mine(3, static_cast<char>('a' + rank));
                    for (MPI_Request& request : requests)
                      EXPECT(!MPI_File_iwrite_shared(file, mine.data(), 1, MPI_CHAR, &request));
                    EXPECT(!MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
                    EXPECT(!MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
                    char seen[3];
                    for (int i = 0; i < 3; ++i)
                      EXPECT(!MPI_File_iread_shared(file, seen + i, 1, MPI_CHAR, &requests[i]));
                    EXPECT(!MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
                    MPI_Offset position = -1;
                    MPI_Barrier(MPI_COMM_WORLD);
                    EXPECT(!MPI_File_get_position_shared(file, &position) && position == 9);
                    return MPI_File_close(&file);
                  }),
                  with({}, hosts));
    CHECK(result.exit_code == 0);
    std::string content = content_of(name);
    std::sort(content.begin(), content.end());
    CHECK(content == "aaabbbccc");
    std::filesystem::remove(name);
  }
}

TEST_CASE("a nonblocking write that fails is told by the call that completes it") {
  const auto result =
      run_ranks(2, program([&](int rank) {
                  MPI_File file;
                  EXPECT(!MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file));
                  MPI_Request requests[2];
                  MPI_Status statuses[2];
                  EXPECT(!MPI_File_iwrite_at(file, 0, &rank, 1, MPI_INT, &requests[0]));
                  EXPECT(MPI_Wait(&requests[0], statuses) == MPI_ERR_NO_SPACE);
                  EXPECT(!MPI_File_iwrite_at(file, 0, &rank, 1, MPI_INT, &requests[0]));
                  EXPECT(!MPI_File_iwrite_at(file, 0, &rank, 0, MPI_INT, &requests[1]));
                  EXPECT(MPI_Waitall(2, requests, statuses) == MPI_ERR_IN_STATUS);
                  EXPECT(statuses[0].MPI_ERROR == MPI_ERR_NO_SPACE && statuses[1].MPI_ERROR == MPI_SUCCESS);
                  return MPI_File_close(&file);
                }),
                with({}));
  CHECK(result.exit_code == 0);
  CHECK_THAT(warnings_of(result), Catch::Contains("MPI_Wait") && Catch::Contains("No space left"));
}

TEST_CASE("split collectives: data, one at a time, and only with their own end") {
  const Directory directory;
  const std::string name = directory.file("split.dat");
  for (const auto collective : {pio::Collective::barrier, pio::Collective::two_phase}) {
    for (const bool file_system : {false, true}) {
      for (const int hosts : {1, 2}) {
        pio::Config config = config_of(file_system);
        config.collective = collective;
        config.aggregators = 2;
        const auto result =
            run_ranks(3, program([&](int rank) {
                        MPI_File file = open_new(name);
                        MPI_Datatype comb;
                        MPI_Type_create_resized(MPI_INT, 0, 3 * sizeof(int), &comb);
                        MPI_Type_commit(&comb);
                        MPI_File_set_view(file, rank * static_cast<int>(sizeof(int)), MPI_INT, comb, "native",
                                          MPI_INFO_NULL);
                        MPI_Type_free(&comb);
                        int data[8], back[8] = {}, count = -1;
                        MPI_Status status;
                        for (int i = 0; i < 8; ++i) data[i] = 1000 * rank + i;
                        EXPECT(!MPI_File_write_all_begin(file, data, 4, MPI_INT));
                        EXPECT(MPI_File_write_all_begin(file, data, 4, MPI_INT) == MPI_ERR_IO);
                        EXPECT(MPI_File_write_at_all_end(file, data, &status) == MPI_ERR_IO);
                        EXPECT(!MPI_File_write_all_end(file, data, &status));
                        EXPECT(MPI_File_write_all_end(file, data, &status) == MPI_ERR_IO);
                        MPI_Get_count(&status, MPI_INT, &count);
                        EXPECT(count == 4);
                        EXPECT(!MPI_File_write_at_all_begin(file, 4, data + 4, 4, MPI_INT));
                        EXPECT(!MPI_File_write_at_all_end(file, data + 4, &status));
                        EXPECT(!MPI_File_seek(file, 0, MPI_SEEK_SET));
                        EXPECT(!MPI_File_read_all_begin(file, back, 3, MPI_INT));
                        EXPECT(!MPI_File_read_all_end(file, back, &status));
                        EXPECT(!MPI_File_read_at_all_begin(file, 3, back + 3, 10, MPI_INT));
                        EXPECT(!MPI_File_read_at_all_end(file, back + 3, &status));
                        MPI_Get_count(&status, MPI_INT, &count);
                        EXPECT(count == 5);
                        for (int i = 0; i < 8; ++i) EXPECT(back[i] == data[i]);
                        return MPI_File_close(&file);
                      }),
                      with(config, hosts));
        CHECK(result.exit_code == 0);
        std::filesystem::remove(name);
      }
    }
  }
}
