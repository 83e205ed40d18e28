// io.data: none: the same predictions, statistics, sizes and ends of files as with data.
#include <catch2/catch.hpp>

#include <array>

#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using pio::Collective;

namespace {

constexpr int ranks = 4;
constexpr int block = 300;

/// Writes, reads at and beyond the end of the file, changes its size, and accesses it with a view, together
/// and alone; returns the line of the first call that did not tell what it should. `partial`: bytes of the
/// program's that the last read of converted data has brought.
int use_file(const std::string& name, int rank, bool data, int& partial) {
  MPI_File file;
  MPI_Status status;
  MPI_Offset size = -1;
  int count = -1;
  EXPECT(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) ==
         MPI_SUCCESS);
  std::array<char, 2 * block> buffer;
  buffer.fill(static_cast<char>('a' + rank));
  EXPECT(MPI_File_write_at(file, MPI_Offset{rank} * block, buffer.data(), block, MPI_CHAR, &status) ==
         MPI_SUCCESS);
  EXPECT(MPI_Get_count(&status, MPI_CHAR, &count) == MPI_SUCCESS && count == block);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(MPI_File_get_size(file, &size) == MPI_SUCCESS && size == ranks * block);

  // The last rank's meets the end of the file.
  buffer.fill('?');
  MPI_File_read_at(file, MPI_Offset{rank} * block, buffer.data(), 2 * block, MPI_CHAR, &status);
  MPI_Get_count(&status, MPI_CHAR, &count);
  EXPECT(count == (rank == ranks - 1 ? block : 2 * block));
  EXPECT(buffer[0] == (data ? static_cast<char>('a' + rank) : '?'));
  MPI_File_seek(file, 0, MPI_SEEK_END);
  MPI_File_read(file, buffer.data(), 1, MPI_CHAR, &status);
  MPI_Get_count(&status, MPI_CHAR, &count);
  EXPECT(count == 0);

  // Every fourth byte, in memory and in the file.
  MPI_Datatype turn, spread;
  MPI_Type_create_resized(MPI_CHAR, 0, ranks, &turn);
  MPI_Type_vector(block / 2, 1, 2, MPI_CHAR, &spread);
  MPI_Type_commit(&turn);
  MPI_Type_commit(&spread);
  MPI_File_set_view(file, rank, MPI_CHAR, turn, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, buffer.data(), 1, spread, &status);
  MPI_Get_elements(&status, MPI_CHAR, &count);
  EXPECT(count == block / 2);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  buffer.fill('?');
  MPI_File_read_all(file, buffer.data(), 1, spread, &status);
  MPI_Get_elements(&status, MPI_CHAR, &count);
  EXPECT(count == block / 2);
  EXPECT(buffer[1] == '?');
  MPI_Request request;
  MPI_File_iread(file, buffer.data(), block, MPI_CHAR, &request);
  MPI_Wait(&request, &status);
  MPI_Get_count(&status, MPI_CHAR, &count);
  EXPECT(count == block - block / 2);

  // A representation that converts: part of the last element is beyond the end of the file.
  MPI_File_set_size(file, 8 * ranks + 6);
  EXPECT(MPI_File_get_size(file, &size) == MPI_SUCCESS && size == 8 * ranks + 6);
  MPI_File_set_view(file, 8 * ranks, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
  std::array<int, 4> numbers{};
  MPI_File_read_at(file, 0, numbers.data(), 4, MPI_INT, &status);
  MPI_Get_elements(&status, MPI_BYTE, &partial);
  EXPECT(partial >= 4);
  MPI_File_preallocate(file, 5000);
  EXPECT(MPI_File_get_size(file, &size) == MPI_SUCCESS && size == 5000);
  MPI_Type_free(&turn);
  MPI_Type_free(&spread);
  MPI_File_close(&file);
  EXPECT(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_APPEND | MPI_MODE_WRONLY, MPI_INFO_NULL,
                       &file) == MPI_SUCCESS);
  EXPECT(MPI_File_get_position(file, &size) == MPI_SUCCESS && size == 5000);
  MPI_File_close(&file);
  return 0;
}

struct Used {
  HarnessResult result;
  std::array<int, ranks> partial{};
};

Used used(pio::Config config, bool data, int hosts, const std::string& name) {
  config.moves_data = data;
  Used used;
  used.result = run_ranks(ranks, program([&](int rank) {
                            return use_file(name, rank, data, used.partial[static_cast<std::size_t>(rank)]);
                          }),
                          with(config, hosts));
  return used;
}

}  // namespace

TEST_CASE("without data a run predicts what it does with data, digit for digit") {
  const Directory directory;
  for (const bool file_system : {false, true}) {
    for (const Collective collective : {Collective::barrier, Collective::grouping, Collective::two_phase,
                                        Collective::list, Collective::disk_directed}) {
      pio::Config config = config_of(file_system);
      config.collective = collective;
      config.sieve_hole = 3;
      if (file_system) {
        config.pfs.caching.block = 64;
        config.pfs.caching.cnode = {.blocks = 10, .write_back = collective == Collective::two_phase};
        config.pfs.caching.ionode = {.blocks = 20, .allocate = true};
      }
      CAPTURE(file_system, static_cast<int>(collective));
      const Used with_data = used(config, true, 1, directory.file("real"));
      std::filesystem::remove(directory.file("real"));
      INFO(with_data.result.report);
      REQUIRE(with_data.result.exit_code == 0);
      for (const auto& rank : with_data.result.ranks) REQUIRE(rank.exit_status == 0);
      for (const int hosts : {1, 2}) {
        CAPTURE(hosts);
        const Used without = used(config, false, hosts, directory.file("none"));
        CHECK(without.result.predicted == with_data.result.predicted);
        CHECK(without.result.totals.counters == with_data.result.totals.counters);
        CHECK(without.partial == with_data.partial);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          CHECK(without.result.ranks[rank].exit_status == 0);
          CHECK(without.result.ranks[rank].finish == with_data.result.ranks[rank].finish);
        }
        // The file has its length, and holes for data.
        CHECK(content_of(directory.file("none")) == std::string(5000, '\0'));
        std::filesystem::remove(directory.file("none"));
      }
    }
  }
}

TEST_CASE("without data a file's length lasts from run to run, and what was in it stays") {
  const Directory directory;
  const std::string name = directory.file("input");
  write_content(name, "0123456789");
  pio::Config config;
  config.moves_data = false;
  for (const int hosts : {1, 2}) {
    const auto result =
        run_ranks(2, program([&](int rank) {
                    MPI_File file;
                    MPI_Status status;
                    int count = -1;
                    char buffer[20] = "unread";
                    MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file);
                    MPI_File_read_at(file, 4, buffer, 20, MPI_CHAR, &status);
                    MPI_Get_count(&status, MPI_CHAR, &count);
                    EXPECT(count == 6 && std::string(buffer) == "unread");
                    if (rank == 0) MPI_File_write_at(file, 2, "xyz", 3, MPI_CHAR, &status);
                    return MPI_File_close(&file);
                  }),
                  with(config, hosts));
    CHECK(result.ranks[0].exit_status == 0);
    CHECK(result.ranks[1].exit_status == 0);
    CHECK(content_of(name) == "0123456789");
  }
}

TEST_CASE("without data communicators that have a file open at the same time know its length") {
  const Directory directory;
  pio::Config config;
  config.moves_data = false;
  for (const int hosts : {1, 2}) {
    const auto result = run_ranks(2, program([&](int rank) {
                                    MPI_File file;
                                    MPI_Status status;
                                    MPI_Offset size = -1;
                                    MPI_File_open(MPI_COMM_SELF, directory.file("common").c_str(),
                                                  MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
                                    MPI_Barrier(MPI_COMM_WORLD);
                                    char buffer[100] = {};
                                    if (rank == 1)
                                      MPI_File_write_at(file, 900, buffer, 100, MPI_CHAR, &status);
                                    MPI_Barrier(MPI_COMM_WORLD);
                                    EXPECT(MPI_File_get_size(file, &size) == MPI_SUCCESS && size == 1000);
                                    MPI_File_close(&file);
                                    return 0;
                                  }),
                                  with(config, hosts));
    CHECK(result.ranks[0].exit_status == 0);
    CHECK(result.ranks[1].exit_status == 0);
    std::filesystem::remove(directory.file("common"));
  }
}
