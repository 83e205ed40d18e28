// Shared file pointers: served in the order of simulated time, for every number of host processes.
#include <catch2/catch.hpp>
#include <vector>

#include "mpisim/core.hpp"
#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using kernel::SimTime;

namespace {

MPI_File open_shared(const std::string& name, int mode = MPI_MODE_CREATE | MPI_MODE_RDWR) {
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, MPI_INFO_NULL, &file);
  return file;
}

}  // namespace

TEST_CASE("writes by the shared pointer stand in the order of simulated time") {
  const Directory directory;
  const std::string name = directory.file("log.dat");
  for (const bool file_system : {false, true}) {
    std::vector<SimTime> times;
    for (int hosts = 1; hosts <= 3; ++hosts) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        HarnessOptions options = with(file_system ? with_file_system() : pio::Config(), hosts);
        options.seed = seed;
        const auto result = run_ranks(
            3, program([&](int rank) {
              MPI_File file = open_shared(name);
              EXPECT(!MPI_File_set_size(file, 0));
              for (int round = 0; round < 3; ++round) {
                // Rank 2 first, then 0, then 1; each writes more than the one before.
                mpi::core::charge(millisecond * (1000 * ((rank + 1) % 3) + 100));
                const std::string line(static_cast<std::size_t>(rank + 1 + round),
                                       static_cast<char>('0' + rank));
                MPI_Status status;
                int count = -1;
                EXPECT(!MPI_File_write_shared(file, line.data(), rank + 1 + round, MPI_CHAR, &status));
                MPI_Get_count(&status, MPI_CHAR, &count);
                EXPECT(count == rank + 1 + round);
                MPI_Barrier(MPI_COMM_WORLD);
              }
              MPI_Offset position = -1;
              EXPECT(!MPI_File_get_position_shared(file, &position) && position == 6 + 9 + 12);
              return MPI_File_close(&file);
            }),
            options);
        CHECK(result.exit_code == 0);
        CHECK(warnings_of(result) == "");
        CHECK(content_of(name) ==
              "222"
              "0"
              "11"
              "2222"
              "00"
              "111"
              "22222"
              "000"
              "1111");
        times.push_back(result.predicted);
      }
    }
    for (const SimTime time : times) CHECK(time == times.front());
  }
}

TEST_CASE("ordered accesses stand in the order of ranks, whoever comes first") {
  const Directory directory;
  const std::string name = directory.file("ordered.dat");
  for (const auto collective : {pio::Collective::barrier, pio::Collective::two_phase}) {
    for (const int hosts : {1, 2}) {
      const auto result =
          run_ranks(4, program([&](int rank) {
                      MPI_File file = open_shared(name);
                      EXPECT(!MPI_File_set_size(file, 0));
                      for (int round = 0; round < 2; ++round) {
                        mpi::core::charge(millisecond * (4 - rank));
                        const std::string mine(static_cast<std::size_t>(rank), static_cast<char>('a' + rank));
                        EXPECT(!MPI_File_write_ordered(file, mine.data(), rank, MPI_CHAR, MPI_STATUS_IGNORE));
                      }
                      EXPECT(!MPI_File_seek_shared(file, 6, MPI_SEEK_SET));
                      std::string seen(3, '?');
                      MPI_Status status;
                      int count = -1;
                      EXPECT(!MPI_File_read_ordered(file, seen.data(), 3, MPI_CHAR, &status));
                      MPI_Get_count(&status, MPI_CHAR, &count);
                      const std::string second = "bccddd";
                      const std::string expected =
                          rank < 2 ? second.substr(3 * static_cast<std::size_t>(rank), 3) : "???";
                      EXPECT(seen == expected && count == (rank < 2 ? 3 : 0));
                      // In two calls.
                      EXPECT(!MPI_File_seek_shared(file, -12, MPI_SEEK_CUR));
                      EXPECT(!MPI_File_read_ordered_begin(file, seen.data(), 1, MPI_CHAR));
                      EXPECT(!MPI_File_read_ordered_end(file, seen.data(), &status));
                      EXPECT(seen[0] == second[static_cast<std::size_t>(rank)]);
                      EXPECT(!MPI_File_seek_shared(file, 0, MPI_SEEK_END));
                      EXPECT(!MPI_File_write_ordered_begin(file, "z", rank % 2, MPI_CHAR));
                      EXPECT(!MPI_File_write_ordered_end(file, "z", &status));
                      return MPI_File_close(&file);
                    }),
                    with(with_collective(collective), hosts));
      CHECK(result.exit_code == 0);
      CHECK(warnings_of(result) == "");
      CHECK(content_of(name) == "bccdddbccdddzz");
    }
  }
}

TEST_CASE("every collective open and every view has a shared pointer of its own") {
  const Directory directory;
  const std::string name = directory.file("two.dat");
  write_content(name, "0123456789");
  const auto result =
      run_ranks(2, program([&](int) {
                  MPI_File one = open_shared(name, MPI_MODE_RDWR), two = open_shared(name, MPI_MODE_RDWR);
                  MPI_File end = open_shared(name, MPI_MODE_RDWR | MPI_MODE_APPEND);
                  MPI_Offset position = -1;
                  EXPECT(!MPI_File_seek_shared(one, 4, MPI_SEEK_SET));
                  EXPECT(!MPI_File_get_position_shared(two, &position) && position == 0);
                  EXPECT(!MPI_File_get_position_shared(end, &position) && position == 10);
                  EXPECT(!MPI_File_get_position_shared(one, &position) && position == 4);
                  EXPECT(!MPI_File_get_position(one, &position) && position == 0);
                  EXPECT(!MPI_File_set_view(one, 2, MPI_SHORT, MPI_SHORT, "native", MPI_INFO_NULL));
                  EXPECT(!MPI_File_get_position_shared(one, &position) && position == 0);
                  EXPECT(!MPI_File_seek_shared(one, -1, MPI_SEEK_END));
                  EXPECT(!MPI_File_get_position_shared(one, &position) && position == 3);
                  MPI_Barrier(MPI_COMM_WORLD);
                  MPI_File_close(&one);
                  MPI_File_close(&two);
                  MPI_File_close(&end);
                  one = open_shared(name, MPI_MODE_RDWR);
                  EXPECT(!MPI_File_get_position_shared(one, &position) && position == 0);
                  return MPI_File_close(&one);
                }),
                with({}));
  CHECK(result.exit_code == 0);
  CHECK(warnings_of(result) == "");
}

TEST_CASE("a sequential file has a shared pointer only, and its view goes on where that stands") {
  const Directory directory;
  const std::string name = directory.file("tape.dat");
  const auto result = run_ranks(
      3, program([&](int rank) {
        MPI_File file = open_shared(name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
        const char mine = static_cast<char>('a' + rank);
        MPI_Offset offset;
        EXPECT(!MPI_File_write_ordered(file, &mine, 1, MPI_CHAR, MPI_STATUS_IGNORE));
        const int refused = MPI_ERR_UNSUPPORTED_OPERATION;
        EXPECT(MPI_File_write(file, &mine, 1, MPI_CHAR, MPI_STATUS_IGNORE) == refused);
        EXPECT(MPI_File_write_at(file, 0, &mine, 1, MPI_CHAR, MPI_STATUS_IGNORE) == refused);
        EXPECT(MPI_File_seek(file, 0, MPI_SEEK_SET) == refused);
        EXPECT(MPI_File_seek_shared(file, 0, MPI_SEEK_SET) == refused);
        EXPECT(MPI_File_get_position(file, &offset) == refused);
        EXPECT(MPI_File_get_position_shared(file, &offset) == refused);
        EXPECT(MPI_File_get_byte_offset(file, 0, &offset) == refused);
        EXPECT(MPI_File_set_view(file, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL) == MPI_ERR_ARG);
        EXPECT(!MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
        MPI_Datatype etype, filetype;
        char representation[MPI_MAX_DATAREP_STRING];
        EXPECT(!MPI_File_get_view(file, &offset, &etype, &filetype, representation) && offset == 3);
        const int number = 0x41414141 + rank;
        EXPECT(!MPI_File_write_ordered(file, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
        return MPI_File_close(&file);
      }),
      with({}, 2));
  CHECK(result.exit_code == 0);
  CHECK(content_of(name) == "abcAAAABAAACAAA");
}

TEST_CASE("seeks that ranks do not agree on, or that lead before the beginning") {
  const Directory directory;
  const std::string name = directory.file("x.dat");
  const auto result = run_ranks(2, program([&](int rank) {
                                  MPI_File file = open_shared(name);
                                  MPI_Offset position = -1;
                                  EXPECT(!MPI_File_seek_shared(file, 7, MPI_SEEK_SET));
                                  EXPECT(MPI_File_seek_shared(file, rank, MPI_SEEK_SET) == MPI_ERR_NOT_SAME);
                                  EXPECT(MPI_File_seek_shared(file, -8, MPI_SEEK_CUR) == MPI_ERR_ARG);
                                  EXPECT(MPI_File_seek_shared(file, 0, 1) == MPI_ERR_ARG);
                                  EXPECT(!MPI_File_get_position_shared(file, &position) && position == 7);
                                  return MPI_File_close(&file);
                                }),
                                with({}));
  CHECK(result.exit_code == 0);
}
