// Files as objects: modes, sizes, pointers, views, handlers.
#include <catch2/catch.hpp>
#include <cstring>

#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;

TEST_CASE("sizes are set for all ranks, and appending starts at the end") {
  const Directory directory;
  const std::string name = directory.file("sizes.dat");
  for (const int hosts : {1, 2}) {
    const auto result =
        run_ranks(3, program([&](int rank) {
                    MPI_File file;
                    MPI_Offset size = -1;
                    EXPECT(!MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                          MPI_INFO_NULL, &file));
                    EXPECT(!MPI_File_preallocate(file, 1000));
                    EXPECT(!MPI_File_get_size(file, &size) && size == 1000);
                    EXPECT(!MPI_File_set_size(file, 10));
                    EXPECT(!MPI_File_get_size(file, &size) && size == 10);
                    MPI_Group group, all;
                    int relation = -1, mode = 0, flag = -1;
                    MPI_File_get_group(file, &group);
                    MPI_Comm_group(MPI_COMM_WORLD, &all);
                    MPI_Group_compare(group, all, &relation);
                    EXPECT(relation == MPI_IDENT);
                    MPI_Group_free(&group);
                    MPI_Group_free(&all);
                    EXPECT(!MPI_File_get_amode(file, &mode) && mode == (MPI_MODE_CREATE | MPI_MODE_RDWR));
                    EXPECT(!MPI_File_get_atomicity(file, &flag) && flag == 0);
                    EXPECT(MPI_File_f2c(MPI_File_c2f(file)) == file);
                    EXPECT(!MPI_File_close(&file) && file == MPI_FILE_NULL);
                    EXPECT(!MPI_File_open(MPI_COMM_SELF, name.c_str(), MPI_MODE_APPEND | MPI_MODE_RDONLY,
                                          MPI_INFO_NULL, &file));
                    MPI_Offset position = -1;
                    EXPECT(!MPI_File_get_position(file, &position) && position == 10);
                    EXPECT(!MPI_File_close(&file));
                    (void)rank;
                    return 0;
                  }),
                  with({}, hosts));
    CHECK(result.exit_code == 0);
    CHECK(warnings_of(result) == "");
    CHECK(std::filesystem::file_size(name) == 10);
  }
}

TEST_CASE("ranks that open files alone at the same time have their own") {
  const Directory directory;
  for (const int hosts : {1, 2}) {
    const auto result =
        run_ranks(4, program([&](int rank) {
                    const std::string name = directory.file("own" + std::to_string(rank));
                    MPI_File file, common;
                    EXPECT(!MPI_File_open(MPI_COMM_SELF, name.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY,
                                          MPI_INFO_NULL, &file));
                    EXPECT(!MPI_File_open(MPI_COMM_WORLD, directory.file("common").c_str(),
                                          MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &common));
                    const char letter = static_cast<char>('a' + rank);
                    EXPECT(!MPI_File_write_all(file, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE));
                    EXPECT(!MPI_File_write_at_all(common, rank, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE));
                    EXPECT(!MPI_File_close(&file));
                    return MPI_File_close(&common);
                  }),
                  with({}, hosts));
    CHECK(result.exit_code == 0);
    for (int rank = 0; rank < 4; ++rank)
      CHECK(content_of(directory.file("own" + std::to_string(rank))) ==
            std::string(1, static_cast<char>('a' + rank)));
    CHECK(content_of(directory.file("common")) == "abcd");
    std::filesystem::remove(directory.file("common"));
  }
}

TEST_CASE("a file that is deleted on close is gone; one that is left open is told") {
  const Directory directory;
  const std::string name = directory.file("gone.dat");
  const auto result =
      run_ranks(2, program([&](int) {
                  MPI_File file;
                  const int mode = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY;
                  EXPECT(!MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode | MPI_MODE_DELETE_ON_CLOSE,
                                        MPI_INFO_NULL, &file));
                  EXPECT(!MPI_File_close(&file));
                  EXPECT(!std::filesystem::exists(name));
                  EXPECT(!MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, MPI_INFO_NULL, &file));
                  return 0;
                }));
  CHECK(result.exit_code == 0);
  CHECK_THAT(warnings_of(result), Catch::Contains("1 file (" + name + ")"));
}

TEST_CASE("views: byte offsets, the view that was set, positions") {
  const Directory directory;
  const std::string name = directory.file("view.dat");
  const auto result = run_ranks(
      1, program([&](int) {
        MPI_File file;
        MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
        MPI_Datatype pattern, etype, filetype;
        MPI_Type_vector(3, 2, 5, MPI_INT, &pattern);  // 0 1 . . . 5 6 . . . 10 11, extent 12
        MPI_Type_commit(&pattern);
        EXPECT(!MPI_File_set_view(file, 100, MPI_INT, pattern, "native", MPI_INFO_NULL));
        MPI_Offset offset = -1, displacement = -1;
        EXPECT(!MPI_File_get_byte_offset(file, 3, &offset) && offset == 100 + 6 * 4);
        EXPECT(!MPI_File_get_byte_offset(file, 7, &offset) && offset == 100 + 13 * 4);
        char representation[MPI_MAX_DATAREP_STRING];
        EXPECT(!MPI_File_get_view(file, &displacement, &etype, &filetype, representation));
        EXPECT(displacement == 100 && etype == MPI_INT && !std::strcmp(representation, "native"));
        int size = 0;
        EXPECT(!MPI_Type_size(filetype, &size) && size == 24);
        MPI_Type_free(&filetype);
        MPI_Type_free(&pattern);  // the view keeps what it needs
        const int data[4] = {1, 2, 3, 4};
        EXPECT(!MPI_File_write(file, data, 4, MPI_INT, MPI_STATUS_IGNORE));
        EXPECT(!MPI_File_seek(file, -1, MPI_SEEK_CUR));
        int back = 0;
        EXPECT(!MPI_File_read(file, &back, 1, MPI_INT, MPI_STATUS_IGNORE) && back == 4);
        EXPECT(!MPI_File_seek(file, -2, MPI_SEEK_END));
        EXPECT(!MPI_File_read(file, &back, 1, MPI_INT, MPI_STATUS_IGNORE) && back == 3);
        MPI_Info info;
        int flag = 0;
        char value[20];
        EXPECT(!MPI_File_get_info(file, &info));
        MPI_Info_get(info, "cb_nodes", 19, value, &flag);
        EXPECT(flag && !std::strcmp(value, "1"));
        MPI_Info_free(&info);
        return MPI_File_close(&file);
      }));
  CHECK(result.exit_code == 0);
  CHECK(warnings_of(result) == "");
  CHECK(std::filesystem::file_size(name) == 100 + 7 * 4);
}

namespace {
thread_local int handled = 0;
void count_errors(MPI_File*, int* code, ...) {
  handled = *code;
}
}  // namespace

TEST_CASE("handlers of files: the program's, and the fatal one") {
  const auto result =
      run_ranks(1, program([&](int) {
                  MPI_Errhandler mine, found;
                  MPI_File file;
                  MPI_File_create_errhandler(count_errors, &mine);
                  MPI_File_set_errhandler(MPI_FILE_NULL, mine);
                  MPI_File_get_errhandler(MPI_FILE_NULL, &found);
                  EXPECT(found == mine);
                  MPI_Errhandler_free(&found);
                  EXPECT(MPI_File_open(MPI_COMM_SELF, "/no/such/place", MPI_MODE_RDONLY, MPI_INFO_NULL,
                                       &file) == MPI_ERR_NO_SUCH_FILE);
                  EXPECT(handled == MPI_ERR_NO_SUCH_FILE);
                  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
                  MPI_File_open(MPI_COMM_SELF, "/no/such/place", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
                  return 99;
                }));
  CHECK(result.end == mpi::End::misuse);
  CHECK_THAT(result.report, Catch::Contains("MPI_File_open") && Catch::Contains("/no/such/place") &&
                                Catch::Contains("MPI_ERR_NO_SUCH_FILE"));
}
