// Atomic mode: conflicting accesses of several ranks come one after the other, in the order of simulated
// time.
#include <catch2/catch.hpp>
#include <vector>

#include "mpisim/core.hpp"
#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using kernel::SimTime;

namespace {

MPI_File open_atomic(const std::string& name) {
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  if (MPI_File_set_atomicity(file, 1) != MPI_SUCCESS) return MPI_FILE_NULL;
  int on = 0;
  MPI_File_get_atomicity(file, &on);
  return on ? file : MPI_FILE_NULL;
}

/// Every second byte, so that each access has many pieces.
void set_comb(MPI_File file) {
  MPI_Datatype tooth;
  MPI_Type_create_resized(MPI_CHAR, 0, 2, &tooth);
  MPI_Type_commit(&tooth);
  MPI_File_set_view(file, 0, MPI_CHAR, tooth, "native", MPI_INFO_NULL);
  MPI_Type_free(&tooth);
}

bool all_equal(const std::string& data) {
  return data.find_first_not_of(data.front()) == std::string::npos;
}

constexpr int teeth = 12;

/// All ranks write the same bytes and read them, several times; whatever a rank reads is one rank's.
int storm(const std::string& name, int rank, bool together) {
  MPI_File file = open_atomic(name);
  if (file == MPI_FILE_NULL) return 1;
  set_comb(file);
  int status = 0;
  for (int round = 0; round < 4; ++round) {
    const std::string mine(teeth, static_cast<char>('a' + rank + 8 * round));
    std::string seen(teeth, '?');
    if (together) {
      MPI_File_write_at_all(file, 0, mine.data(), teeth, MPI_CHAR, MPI_STATUS_IGNORE);
    } else {
      mpi::core::charge(SimTime::picoseconds((rank * 7 + round * 3) % 5 * 40'000'000));
      MPI_File_write_at(file, 0, mine.data(), teeth, MPI_CHAR, MPI_STATUS_IGNORE);
    }
    MPI_File_read_at(file, 0, seen.data(), teeth, MPI_CHAR, MPI_STATUS_IGNORE);
    if (!all_equal(seen)) status = 2;
  }
  MPI_File_close(&file);
  return status;
}

}  // namespace

TEST_CASE("atomic accesses of several pieces are never seen in parts") {
  const Directory directory;
  const std::string name = directory.file("storm.dat");
  for (const bool shared : {false, true}) {
    for (const bool together : {false, true}) {
      std::vector<SimTime> times;
      std::vector<std::string> contents;
      for (int hosts = 1; hosts <= 3; ++hosts) {
        INFO("file system " << shared << ", together " << together << ", " << hosts << " hosts");
        const auto result =
            run_ranks(4, program([&](int rank) { return storm(name, rank, together); }),
                      with(shared ? with_file_system() : pio::Config(), hosts, hosts == 1 ? 1 : 2));
        CHECK(result.exit_code == 0);
        CHECK(warnings_of(result) == "");
        const std::string content = content_of(name);
        std::string shown;
        for (int i = 0; i < teeth; ++i) shown += content[static_cast<std::size_t>(2 * i)];
        CHECK(all_equal(shown));
        if (hosts == 1) continue;  // placed on other nodes
        times.push_back(result.predicted);
        contents.push_back(content);
      }
      CHECK(times[0] == times[1]);
      CHECK((contents[0] == contents[1]));
    }
  }
}

TEST_CASE("the last of conflicting atomic writes is the last in simulated time") {
  const Directory directory;
  const std::string name = directory.file("order.dat");
  for (const int last : {0, 1, 2}) {
    for (int hosts = 1; hosts <= 3; ++hosts) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        HarnessOptions options = with({}, hosts);
        options.seed = seed;
        const auto result = run_ranks(3, program([&](int rank) {
                                        MPI_File file = open_atomic(name);
                                        const char mine = static_cast<char>('0' + rank);
                                        mpi::core::charge(millisecond * ((rank + 5 - last) % 3 + 1));
                                        MPI_File_write_at(file, 0, &mine, 1, MPI_CHAR, MPI_STATUS_IGNORE);
                                        return MPI_File_close(&file);
                                      }),
                                      options);
        CHECK(result.exit_code == 0);
        CHECK(content_of(name) == std::string(1, static_cast<char>('0' + last)));
      }
    }
  }
}

TEST_CASE("who conflicts with nobody does not wait") {
  const Directory directory;
  const std::string name = directory.file("apart.dat");
  const auto time_of = [&](int distance, bool read) {
    return run_ranks(4, program([&](int rank) {
                       MPI_File file = open_atomic(name);
                       char data[100] = {};
                       if (read)
                         MPI_File_read_at(file, rank * distance, data, 100, MPI_CHAR, MPI_STATUS_IGNORE);
                       else
                         MPI_File_write_at(file, rank * distance, data, 100, MPI_CHAR, MPI_STATUS_IGNORE);
                       return MPI_File_close(&file);
                     }),
                     with({}))
        .predicted;
  };
  const SimTime apart = time_of(100, false);
  const SimTime overlapping = time_of(99, false);
  // Each waits until the one before has written: about 22 ms each on the default disk.
  CHECK(overlapping > apart + millisecond * 60);
  const SimTime readers = time_of(0, true);
  CHECK(readers < apart + millisecond * 10);
}

TEST_CASE("ranks that disagree on atomic mode are told") {
  const Directory directory;
  const std::string name = directory.file("x.dat");
  const auto result = run_ranks(3, program([&](int rank) {
                                  MPI_File file;
                                  MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                                MPI_INFO_NULL, &file);
                                  int on = 1;
                                  const int error = MPI_File_set_atomicity(file, rank == 1 ? 0 : 2);
                                  MPI_File_get_atomicity(file, &on);
                                  MPI_File_close(&file);
                                  return error == MPI_ERR_NOT_SAME && on == 0 ? 0 : 1;
                                }),
                                with({}));
  CHECK(result.exit_code == 0);
  CHECK_THAT(warnings_of(result), Catch::Contains("flag differs between ranks"));
}
