// Hints about the layout of a file: taken from rank 0 when the file is created, told by MPI_File_get_info,
// kept until the file is deleted.
#include <catch2/catch.hpp>
#include <map>

#include "tests/unit/pfssim/layout_support.hpp"
#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using pio::Counter;

namespace {

using Hints = std::map<std::string, std::string>;

MPI_File open_with(const std::string& path, const Hints& hints) {
  MPI_Info info;
  MPI_Info_create(&info);
  for (const auto& [key, value] : hints) MPI_Info_set(info, key.c_str(), value.c_str());
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
  MPI_Info_free(&info);
  return file;
}

/// "factor unit start" of an open file, and what MPI_File_get_info has for `more`.
std::string layout_of(MPI_File file, const char* more = nullptr) {
  MPI_Info info;
  MPI_File_get_info(file, &info);
  std::string text;
  for (const char* key : {"striping_factor", "striping_unit", "start_iodevice", more}) {
    if (key == nullptr) continue;
    char value[MPI_MAX_INFO_VAL + 1] = "";
    int flag = 0;
    MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
    text += (text.empty() ? "" : " ") + std::string(flag != 0 ? value : "none");
  }
  MPI_Info_free(&info);
  return text;
}

const Hints two_disks{{"striping_factor", "2"}, {"striping_unit", "100"}, {"start_iodevice", "2"}};

/// What the disks did for rank 0's 1000 bytes at the file's beginning.
std::uint64_t disk_writes(const pio::Config& config, const Hints& hints) {
  const Directory directory;
  const auto result = run_ranks(2, program([&](int rank) {
                                  MPI_File file = open_with(directory.file("x"), hints);
                                  const std::string text(1000, 'x');
                                  if (rank == 0)
                                    MPI_File_write(file, text.data(), 1000, MPI_CHAR, MPI_STATUS_IGNORE);
                                  return MPI_File_close(&file);
                                }),
                                with(config));
  CHECK(result.exit_code == 0);
  return counted(result, Counter::disk_writes);
}

}  // namespace

TEST_CASE("a file has the layout that its creator asks for") {
  CHECK(disk_writes(with_file_system(), {}) == 3);
  CHECK(disk_writes(with_file_system(), two_disks) == 2);
  CHECK(disk_writes(with_file_system(), {{"striping_unit", "1000"}}) == 1);
  CHECK(disk_writes(with_file_system(), {{"striping_unit", "999"}}) == 2);
}

TEST_CASE("each file has its own layout, told to every rank, the same on every number of host processes") {
  const Directory directory;
  const auto run = [&](int hosts) {
    return run_ranks(2, program([&](int rank) {
                       MPI_File one = open_with(directory.file("one"), rank == 0 ? two_disks : Hints());
                       MPI_File other = open_with(directory.file("other"), {});
                       CHECK(layout_of(one) == "2 100 2");
                       CHECK(layout_of(other) == "3 64 1");
                       const std::string text(500, 'x');
                       MPI_File_write_at_all(one, 500 * rank, text.data(), 500, MPI_CHAR, MPI_STATUS_IGNORE);
                       MPI_File_write_at_all(other, 500 * rank, text.data(), 500, MPI_CHAR,
                                             MPI_STATUS_IGNORE);
                       MPI_File_close(&one);
                       return MPI_File_close(&other);
                     }),
                     with(with_file_system(), hosts));
  };
  const auto expected = run(1);
  CHECK(expected.exit_code == 0);
  CHECK(run(2).predicted == expected.predicted);
}

TEST_CASE("a file keeps its layout until it is deleted") {
  const Directory directory;
  const auto result = run_ranks(1, program([&](int) {
                                  const std::string path = directory.file("x");
                                  MPI_File file = open_with(path, two_disks);
                                  MPI_File_close(&file);
                                  file = open_with(path, {{"striping_factor", "1"}});
                                  CHECK(layout_of(file) == "2 100 2");
                                  MPI_File_close(&file);
                                  MPI_File_delete(path.c_str(), MPI_INFO_NULL);
                                  file = open_with(path, {{"striping_factor", "1"}});
                                  CHECK(layout_of(file) == "1 64 1");
                                  return MPI_File_close(&file);
                                }),
                                with(with_file_system()));
  CHECK(result.exit_code == 0);
}

TEST_CASE("hints that cannot be had are ignored") {
  const Directory directory;
  const auto result = run_ranks(1, program([&](int) {
                                  MPI_File file =
                                      open_with(directory.file("x"), {{"striping_factor", "4"},
                                                                      {"striping_unit", "nonsense"},
                                                                      {"start_iodevice", "-1"},
                                                                      {"mpisim_vbs", "2"}});
                                  CHECK(layout_of(file, "mpisim_vbs") == "3 64 0 none");
                                  return MPI_File_close(&file);
                                }),
                                with(with_file_system()));
  CHECK(result.exit_code == 0);
  CHECK(warnings_of(result).empty());
}

TEST_CASE("a disk of each rank has no layout") {
  const Directory directory;
  const auto result = run_ranks(1, program([&](int) {
                                  MPI_File file = open_with(directory.file("x"), two_disks);
                                  CHECK(layout_of(file) == "none none none");
                                  return MPI_File_close(&file);
                                }),
                                with(pio::Config()));
  CHECK(result.exit_code == 0);
}

TEST_CASE("the partition of a Vesta file is its creator's, too") {
  const Directory directory;
  pio::Config config = with_file_system();
  config.pfs.layout = pfs::layouts().find("vesta")->build(Ones());
  const auto result = run_ranks(
      1, program([&](int) {
        MPI_File file = open_with(directory.file("x"), {{"striping_factor", "4"}, {"mpisim_hn", "4"}});
        CHECK(layout_of(file, "mpisim_hn") == "4 64 0 4");
        const std::string text(64, 'x');
        for (int block = 0; block < 4; ++block)  // of subfile 0, which is on one cell
          MPI_File_write_at(file, 256 * block, text.data(), 64, MPI_CHAR, MPI_STATUS_IGNORE);
        return MPI_File_close(&file);
      }),
      with(config));
  CHECK(result.exit_code == 0);
  CHECK(counted(result, Counter::disk_writes) == 4);
  CHECK(counted(result, Counter::disk_seeks) == 1);
}
