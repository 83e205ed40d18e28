// What cannot be done: MPI's error class on all ranks, and a message.
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;

namespace {

/// All of 3 ranks open `name` and must get `expected`; the run's warnings.
std::string open_fails(const std::string& name, int amode, int expected, int hosts = 1) {
  const auto result =
      run_ranks(3, program([&](int) {
                  MPI_File file = 1;
                  const int error = MPI_File_open(MPI_COMM_WORLD, name.c_str(), amode, MPI_INFO_NULL, &file);
                  return error == expected && file == MPI_FILE_NULL ? 0 : 1 + error;
                }),
                with({}, hosts));
  CHECK(result.exit_code == 0);
  return warnings_of(result);
}

}  // namespace

TEST_CASE("files that cannot be opened") {
  const Directory directory;
  const std::string name = directory.file("x.dat");
  for (const int hosts : {1, 2}) {
    CHECK_THAT(open_fails(directory.file("none/x.dat"), MPI_MODE_CREATE | MPI_MODE_WRONLY,
                          MPI_ERR_NO_SUCH_FILE, hosts),
               Catch::Contains("none/x.dat") && Catch::Contains("No such file"));
    CHECK(open_fails(name, MPI_MODE_RDONLY, MPI_ERR_NO_SUCH_FILE, hosts) == "");  // an answer, no fault
    CHECK_THAT(open_fails(name, MPI_MODE_RDONLY | MPI_MODE_RDWR, MPI_ERR_AMODE, hosts),
               Catch::Contains("must have one of"));
    CHECK_THAT(open_fails(name, MPI_MODE_RDONLY | MPI_MODE_CREATE, MPI_ERR_AMODE, hosts),
               Catch::Contains("cannot go with MPI_MODE_CREATE"));
    CHECK_THAT(open_fails(name, 1 << 20 | MPI_MODE_RDWR, MPI_ERR_AMODE, hosts), Catch::Contains("bits"));
    CHECK_FALSE(std::filesystem::exists(name));
  }
  write_content(name, "abc");
  CHECK(open_fails(name, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, MPI_ERR_FILE_EXISTS) == "");
  open_fails(directory.file(""), MPI_MODE_WRONLY, MPI_ERR_BAD_FILE);
  if (geteuid() != 0) {  // root may do everything
    std::filesystem::permissions(name, std::filesystem::perms::owner_read);
    CHECK(open_fails(name, MPI_MODE_RDWR, MPI_ERR_ACCESS) == "");
    CHECK_THAT(open_fails(name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_ERR_ACCESS),
               Catch::Contains("Permission denied"));
  }
}

TEST_CASE("what fails again and again is told once, with the number of ranks") {
  const Directory directory;
  const std::string name = directory.file("none/x.dat");
  constexpr int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
  for (const int hosts : {1, 2}) {
    const auto result = run_ranks(3, program([&](int rank) {
                                    MPI_File file;
                                    for (int i = 0; i < 5 && rank != 1; ++i)
                                      MPI_File_open(MPI_COMM_SELF, name.c_str(), mode, MPI_INFO_NULL, &file);
                                    return 0;
                                  }),
                                  with({}, hosts));
    CHECK(result.exit_code == 0);
    REQUIRE(result.warnings.size() == 1);
    CHECK_THAT(result.warnings[0], Catch::StartsWith("2 ranks (rank 0 and others) in MPI_File_open"));
  }
}

TEST_CASE("an open that failed is told when its file is used all the same") {
  const Directory directory;
  const std::string name = directory.file("none.dat");
  const auto result = run_ranks(
      2, program([&](int) {
        MPI_File file;
        if (MPI_File_open(MPI_COMM_SELF, name.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS)
          return 1;
        char data[4];
        return MPI_File_read(file, data, 4, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_ERR_FILE ? 0 : 2;
      }));
  CHECK(result.exit_code == 0);
  CHECK_THAT(warnings_of(result), Catch::Contains("MPI_File_read") && Catch::Contains("none.dat") &&
                                      Catch::Contains("No such file"));
}

TEST_CASE("ranks that disagree on the mode are told") {
  const Directory directory;
  const std::string name = directory.file("x.dat");
  write_content(name, "abc");
  const auto result = run_ranks(2, program([&](int rank) {
                                  MPI_File file;
                                  return MPI_File_open(MPI_COMM_WORLD, name.c_str(),
                                                       rank == 0 ? MPI_MODE_RDONLY : MPI_MODE_RDWR,
                                                       MPI_INFO_NULL, &file) == MPI_ERR_NOT_SAME
                                             ? 0
                                             : 1;
                                }));
  CHECK(result.exit_code == 0);
  CHECK_THAT(warnings_of(result), Catch::Contains("amode differs"));
}

TEST_CASE("an open that another rank spoils leaves no file, and takes none away") {
  const Directory directory;
  const std::string name = directory.file("x.dat");
  const auto spoil = [&](int mode_of_others, int expected) {
    for (const int hosts : {1, 3}) {
      const auto result = run_ranks(
          3, program([&](int rank) {
            MPI_File file = 1;
            const int mode = rank == 0 ? MPI_MODE_CREATE | MPI_MODE_WRONLY : mode_of_others;
            const int error = MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, MPI_INFO_NULL, &file);
            return error == expected && file == MPI_FILE_NULL ? 0 : 1;
          }),
          with({}, hosts));
      CHECK(result.exit_code == 0);
    }
  };
  spoil(MPI_MODE_CREATE, MPI_ERR_NOT_SAME);
  CHECK_FALSE(std::filesystem::exists(name));
  spoil(MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_ERR_NOT_SAME);
  CHECK_FALSE(std::filesystem::exists(name));
  write_content(name, "abc");
  spoil(MPI_MODE_CREATE, MPI_ERR_NOT_SAME);
  spoil(MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_ERR_NOT_SAME);
  CHECK(content_of(name) == "abc");
}

TEST_CASE("accesses that the mode or the view forbids") {
  const Directory directory;
  const std::string name = directory.file("x.dat");
  write_content(name, "abcdefgh");
  const auto result = run_ranks(
      2, program([&](int) {
        const auto fails = [](int error, int expected) { return error == expected; };
        MPI_File file;
        char data[8] = {};
        MPI_Datatype down, raw, twice;
        const int places[2] = {4, 0};
        MPI_Type_create_indexed_block(2, 1, places, MPI_CHAR, &down);
        MPI_Type_commit(&down);
        MPI_Type_contiguous(2, MPI_CHAR, &raw);
        const int overlapping[2] = {0, 1};
        MPI_Type_create_indexed_block(2, 2, overlapping, MPI_CHAR, &twice);
        MPI_Type_commit(&twice);
        MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
        bool good =
            fails(MPI_File_write(file, data, 1, MPI_CHAR, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY) &&
            fails(MPI_File_write_all(file, data, 1, MPI_CHAR, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY) &&
            fails(MPI_File_set_size(file, 0), MPI_ERR_READ_ONLY) &&
            fails(MPI_File_read(file, data, -1, MPI_CHAR, MPI_STATUS_IGNORE), MPI_ERR_COUNT) &&
            fails(MPI_File_read_at(file, -1, data, 1, MPI_CHAR, MPI_STATUS_IGNORE), MPI_ERR_ARG) &&
            fails(MPI_File_read(file, data, 1, raw, MPI_STATUS_IGNORE), MPI_ERR_TYPE) &&
            fails(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG) &&
            fails(MPI_File_seek(file, 0, 12345), MPI_ERR_ARG) &&
            fails(MPI_File_set_view(file, 0, MPI_CHAR, MPI_CHAR, "nonsense", MPI_INFO_NULL),
                  MPI_ERR_UNSUPPORTED_DATAREP) &&
            fails(MPI_File_set_view(file, -1, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL), MPI_ERR_ARG) &&
            fails(MPI_File_set_view(file, 0, MPI_CHAR, down, "native", MPI_INFO_NULL), MPI_ERR_IO) &&
            fails(MPI_File_set_view(file, 0, MPI_INT, MPI_CHAR, "native", MPI_INFO_NULL), MPI_ERR_IO) &&
            fails(MPI_File_set_view(file, 0, MPI_CHAR, twice, "native", MPI_INFO_NULL), MPI_SUCCESS);
        MPI_File_close(&file);
        good = good && fails(MPI_File_close(&file), MPI_ERR_FILE);
        MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
        good = good && fails(MPI_File_read(file, data, 1, MPI_CHAR, MPI_STATUS_IGNORE), MPI_ERR_ACCESS) &&
               fails(MPI_File_set_view(file, 0, MPI_CHAR, twice, "native", MPI_INFO_NULL), MPI_ERR_IO);
        MPI_File_close(&file);
        MPI_Type_free(&down);
        MPI_Type_free(&raw);
        MPI_Type_free(&twice);
        good = good && fails(MPI_File_delete((name + ".none").c_str(), MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
        return good ? 0 : 1;
      }));
  CHECK(result.exit_code == 0);
  CHECK(content_of(name) == "abcdefgh");
}

TEST_CASE("a full disk is told to every rank of a two-phase write") {
  for (const auto collective : {pio::Collective::barrier, pio::Collective::two_phase}) {
    for (const int hosts : {1, 2}) {
      const auto result =
          run_ranks(3, program([](int rank) {
                      MPI_File file;
                      if (MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &file))
                        return 1;
                      char data[100] = {};
                      MPI_Status status;
                      const int error = MPI_File_write_at_all(file, rank * 100, data, 100, MPI_CHAR, &status);
                      MPI_File_close(&file);
                      return error == MPI_ERR_NO_SPACE ? 0 : 2;
                    }),
                    with(with_collective(collective), hosts));
      CHECK(result.exit_code == 0);
      CHECK_THAT(warnings_of(result), Catch::Contains("No space left") && Catch::Contains("/dev/full"));
    }
  }
}

TEST_CASE("a file that is shorter than the view gives what there is") {
  const Directory directory;
  const std::string name = directory.file("short.dat");
  write_content(name, "0123456789");
  for (const auto collective : {pio::Collective::barrier, pio::Collective::two_phase}) {
    const auto result =
        run_ranks(3, program([&](int rank) {
                    MPI_File file;
                    MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
                    std::string data(4, '?');
                    MPI_Status status;
                    int count = -1;
                    const int error = MPI_File_read_at_all(file, rank * 7, data.data(), 4, MPI_CHAR, &status);
                    MPI_Get_count(&status, MPI_CHAR, &count);
                    MPI_File_close(&file);
                    const std::string expected[3] = {"0123", "789?", "????"};
                    return error == MPI_SUCCESS && data == expected[rank] &&
                                   count == (rank == 0   ? 4
                                             : rank == 1 ? 3
                                                         : 0)
                               ? 0
                               : 1;
                  }),
                  with(with_collective(collective)));
    CHECK(result.exit_code == 0);
  }
}
