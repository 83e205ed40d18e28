// Calls while nonblocking accesses or a split collective of the file are under way: what the standard allows
// works, what it does not is told and leaves the accesses alone.
#include <catch2/catch.hpp>
#include <vector>

#include "mpisim/core.hpp"
#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using kernel::SimTime;

namespace {

constexpr int bytes = 1000;

enum class Form { alone, together, split };

MPI_File open_new(const std::string& name, int mode = MPI_MODE_CREATE | MPI_MODE_RDWR) {
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, MPI_INFO_NULL, &file);
  return file;
}

/// Every call that must wait for the end of an access is made before it and after it.
int misuse(const std::string& name, int rank, Form form) {
  MPI_File file = open_new(name);
  std::vector<char> data(bytes, static_cast<char>('a' + rank));
  MPI_Request request = MPI_REQUEST_NULL;
  const MPI_Offset at = MPI_Offset{rank} * bytes;
  EXPECT(!(form == Form::alone      ? MPI_File_iwrite_at(file, at, data.data(), bytes, MPI_CHAR, &request)
           : form == Form::together ? MPI_File_iwrite_at_all(file, at, data.data(), bytes, MPI_CHAR, &request)
                                    : MPI_File_write_at_all_begin(file, at, data.data(), bytes, MPI_CHAR)));

  EXPECT(MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) == MPI_ERR_IO);
  EXPECT(MPI_File_set_size(file, 10) == MPI_ERR_IO);
  EXPECT(MPI_File_preallocate(file, 100'000) == MPI_ERR_IO);
  EXPECT(MPI_File_sync(file) == MPI_ERR_IO);
  EXPECT(MPI_File_close(&file) == MPI_ERR_IO && file != MPI_FILE_NULL);
  char seen = 0;
  if (form == Form::split) {
    EXPECT(MPI_File_read_at_all(file, 0, &seen, 1, MPI_CHAR, MPI_STATUS_IGNORE) == MPI_ERR_IO);
    EXPECT(MPI_File_iread_at_all(file, 0, &seen, 1, MPI_CHAR, &request) == MPI_ERR_IO);
  }
  // Accesses of this rank alone, pointers and the mode are free (sections 13.4.5 and 13.6.1).
  MPI_Offset disp = -1, size = -1;
  EXPECT(!MPI_File_seek(file, 3, MPI_SEEK_SET));
  EXPECT(!MPI_File_set_atomicity(file, 1) && !MPI_File_set_atomicity(file, 0));
  EXPECT(!MPI_File_write_at(file, 2 * bytes + rank, "z", 1, MPI_CHAR, MPI_STATUS_IGNORE));

  MPI_Status status;
  int count = -1;
  EXPECT(!(form == Form::split ? MPI_File_write_at_all_end(file, data.data(), &status)
                               : MPI_Wait(&request, &status)));
  MPI_Get_count(&status, MPI_CHAR, &count);
  EXPECT(count == bytes);
  EXPECT(!MPI_File_sync(file));
  MPI_Datatype etype, filetype;
  char representation[MPI_MAX_DATAREP_STRING];
  EXPECT(!MPI_File_get_view(file, &disp, &etype, &filetype, representation) && disp == 0);
  EXPECT(!MPI_File_get_size(file, &size) && size == 2 * bytes + 2);
  EXPECT(!MPI_File_set_view(file, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  EXPECT(!MPI_File_preallocate(file, 3 * bytes) && !MPI_File_set_size(file, 2 * bytes));
  return MPI_File_close(&file);
}

}  // namespace

TEST_CASE("a view, a size, a sync or a close before an access is complete is an error that changes nothing") {
  const Directory directory;
  const std::string name = directory.file("pending.dat");
  for (const Form form : {Form::alone, Form::together, Form::split}) {
    for (const bool file_system : {false, true}) {
      for (const int hosts : {1, 2}) {
        CAPTURE(static_cast<int>(form), file_system, hosts);
        const auto result = run_ranks(2, program([&](int rank) { return misuse(name, rank, form); }),
                                      with(config_of(file_system), hosts));
        INFO(result.report);
        CHECK(result.exit_code == 0);
        for (const auto& rank : result.ranks) CHECK(rank.exit_status == 0);
        for (const char* call : {"set_view", "set_size", "preallocate", "sync", "close"})
          CHECK_THAT(warnings_of(result),
                     Catch::Contains(std::string("MPI_File_") + call) && Catch::Contains("not completed"));
        CHECK(content_of(name) == std::string(bytes, 'a') + std::string(bytes, 'b'));
        std::filesystem::remove(name);
      }
    }
  }
}

TEST_CASE("sizes are not changed unless all ranks may") {
  const Directory directory;
  const std::string name = directory.file("one.dat");
  for (const int hosts : {1, 2}) {
    const auto result = run_ranks(3, program([&](int rank) {
                                    MPI_File file = open_new(name);
                                    MPI_Request request = MPI_REQUEST_NULL;
                                    MPI_Offset size = -1;
                                    if (rank == 1)
                                      EXPECT(!MPI_File_iwrite_at(file, 0, "abcd", 4, MPI_CHAR, &request));
                                    EXPECT(MPI_File_set_size(file, 2) == MPI_ERR_IO);
                                    EXPECT(!MPI_Wait(&request, MPI_STATUS_IGNORE));
                                    EXPECT(MPI_File_set_size(file, rank == 2 ? -1 : 2) == MPI_ERR_ARG);
                                    MPI_Barrier(MPI_COMM_WORLD);
                                    EXPECT(!MPI_File_get_size(file, &size) && size == 4);
                                    MPI_Barrier(MPI_COMM_WORLD);
                                    EXPECT(!MPI_File_set_size(file, 2));
                                    EXPECT(!MPI_File_close(&file));
                                    file = open_new(name, MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
                                    EXPECT(MPI_File_set_size(file, 7) == MPI_ERR_UNSUPPORTED_OPERATION);
                                    EXPECT(MPI_File_preallocate(file, 7) == MPI_ERR_UNSUPPORTED_OPERATION);
                                    return MPI_File_close(&file);
                                  }),
                                  with({}, hosts));
    INFO(result.report);
    CHECK(result.exit_code == 0);
    for (const auto& rank : result.ranks) CHECK(rank.exit_status == 0);
    CHECK(content_of(name) == "ab");
    std::filesystem::remove(name);
  }
}

TEST_CASE("an access keeps the mode in which it began") {
  const Directory directory;
  const std::string name = directory.file("mode.dat");
  const auto time_of = [&](bool before, bool after) {
    pio::Config config = with_collective(pio::Collective::barrier);
    config.pfs.server_overhead = millisecond * 1000;  // what a lock takes
    const auto result = run_ranks(2, program([&](int rank) {
                                    MPI_File file = open_new(name);
                                    if (before) EXPECT(!MPI_File_set_atomicity(file, 1));
                                    MPI_Request request;
                                    // The other rank is late: the access goes on when the mode has changed.
                                    if (rank == 1) mpi::core::charge(millisecond);
                                    EXPECT(!MPI_File_iwrite_at_all(file, rank, "x", 1, MPI_CHAR, &request));
                                    if (after != before) EXPECT(!MPI_File_set_atomicity(file, after));
                                    EXPECT(!MPI_Wait(&request, MPI_STATUS_IGNORE));
                                    return MPI_File_close(&file);
                                  }),
                                  with(config));
    CHECK(result.exit_code == 0);
    for (const auto& rank : result.ranks) CHECK(rank.exit_status == 0);
    return result.predicted;
  };
  const SimTime lock = millisecond * 1000;
  CHECK(time_of(false, false) < lock);
  CHECK(time_of(false, true) < lock);
  CHECK(time_of(true, true) >= lock);
  CHECK(time_of(true, false) >= lock);
}
