// Names of files: prefixes of file systems, descriptors, and who creates or deletes a file first.
#include <sys/resource.h>
#include <sys/wait.h>

#include <atomic>
#include <catch2/catch.hpp>

#include "mpisim/rank.hpp"
#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;

namespace {

constexpr int to_create = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY;

void sleep_ms(int milliseconds) {
  mpi::current_rank().sleep(millisecond * milliseconds);
}

// On the host, ranks of later host processes come later by far; in simulated time the last rank is the first.
void come_in_reverse(int rank, int ranks) {
  sleep_ms(ranks - rank);
}

}  // namespace

TEST_CASE("The file system's prefix of a name is left out, as by ROMIO") {
  const Directory directory;
  const std::string name = directory.file("x.dat");
  write_content(name, "abc");
  for (const std::string prefix : {"ufs:", "nfs:", "testfs:", "NFS:", "lustre:", ""}) {
    CAPTURE(prefix);
    const auto result =
        run_ranks(2, program([&](int) {
                    MPI_File file;
                    MPI_Offset size = 0;
                    EXPECT(MPI_File_open(MPI_COMM_WORLD, (prefix + name).c_str(), MPI_MODE_RDONLY,
                                         MPI_INFO_NULL, &file) == MPI_SUCCESS);
                    EXPECT(MPI_File_get_size(file, &size) == MPI_SUCCESS && size == 3);
                    EXPECT(MPI_File_close(&file) == MPI_SUCCESS);
                    return 0;
                  }),
                  with({}));
    CHECK(result.exit_code == 0);
  }
  // A colon alone does not make a prefix.
  const std::string odd = directory.file("a:b");
  write_content(odd, "");
  const auto result =
      run_ranks(1, program([&](int) {
                  EXPECT(MPI_File_delete((std::string("nfs:") + odd).c_str(), MPI_INFO_NULL) == MPI_SUCCESS);
                  return 0;
                }),
                with({}));
  CHECK(result.exit_code == 0);
  CHECK_FALSE(std::filesystem::exists(odd));
}

TEST_CASE("Files may be as many as the system allows, whatever the soft limit is") {
  const Directory directory;
  constexpr int ranks = 8;
  constexpr int files = 10;
  const pid_t child = fork();  // the limit is the process's
  if (child == 0) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_max < 200) _exit(0);
    limit.rlim_cur = 40;
    setrlimit(RLIMIT_NOFILE, &limit);
    const auto result =
        run_ranks(ranks, program([&](int rank) {
                    MPI_File file[files];
                    for (int i = 0; i < files; ++i) {
                      const std::string name = directory.file(std::to_string(rank) + "." + std::to_string(i));
                      EXPECT(MPI_File_open(MPI_COMM_SELF, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                           MPI_INFO_NULL, file + i) == MPI_SUCCESS);
                    }
                    MPI_Barrier(MPI_COMM_WORLD);
                    for (MPI_File& each : file) EXPECT(MPI_File_close(&each) == MPI_SUCCESS);
                    return 0;
                  }),
                  with({}));
    _exit(result.exit_code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("Who creates a file exclusively, and who deletes it, is decided in simulated time") {
  constexpr int ranks = 6;
  for (const bool deletes : {false, true}) {
    kernel::SimTime expected;
    for (const int hosts : {1, 2, 3}) {
      for (const char* protocol : {"conditional", "combined", "null", "quantum"}) {
        CAPTURE(deletes, hosts, protocol);
        const Directory directory;
        const std::string name = directory.file("one.dat");
        if (deletes) write_content(name, "");
        std::atomic<int> winners = 0;
        std::atomic<int> winner = -1;
        HarnessOptions options = with({}, hosts);
        if (hosts > 1) options.protocol = protocol;
        const auto result =
            run_ranks(ranks, program([&](int rank) {
                        come_in_reverse(rank, ranks);
                        MPI_File file = MPI_FILE_NULL;
                        const int error = deletes ? MPI_File_delete(name.c_str(), MPI_INFO_NULL)
                                                  : MPI_File_open(MPI_COMM_SELF, name.c_str(), to_create,
                                                                  MPI_INFO_NULL, &file);
                        if (error == MPI_SUCCESS) {
                          ++winners;
                          winner = rank;
                        } else {
                          EXPECT(error == (deletes ? MPI_ERR_NO_SUCH_FILE : MPI_ERR_FILE_EXISTS));
                        }
                        if (file != MPI_FILE_NULL) EXPECT(MPI_File_close(&file) == MPI_SUCCESS);
                        return 0;
                      }),
                      options);
        CHECK(result.exit_code == 0);
        CHECK(winners == 1);
        CHECK(winner == ranks - 1);
        if (expected == kernel::SimTime::zero()) expected = result.predicted;
        CHECK(result.predicted == expected);
      }
    }
  }
}
