// Implementations of collective accesses, and the hints that choose among them.
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using kernel::SimTime;

namespace {

constexpr int pieces = 100;  // of each rank

/// 4 ranks write a comb of 8 bytes each together.
HarnessResult comb(const pio::Config& config, const std::map<std::string, std::string>& hints = {},
                   std::map<std::string, std::string>* used = nullptr) {
  const Directory directory;
  const std::string name = directory.file("comb.dat");
  const auto result = run_ranks(
      4, program([&](int rank) {
        MPI_Info info;
        MPI_Info_create(&info);
        for (const auto& [key, value] : hints) MPI_Info_set(info, key.c_str(), value.c_str());
        MPI_File file;
        if (MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file))
          return 1;
        MPI_Info_free(&info);
        MPI_Datatype tooth;
        MPI_Type_create_resized(MPI_DOUBLE, 0, 4 * sizeof(double), &tooth);
        MPI_Type_commit(&tooth);
        MPI_File_set_view(file, rank * static_cast<int>(sizeof(double)), MPI_DOUBLE, tooth, "native",
                          MPI_INFO_NULL);
        MPI_Type_free(&tooth);
        std::vector<double> data(pieces, rank);
        MPI_File_write_all(file, data.data(), pieces, MPI_DOUBLE, MPI_STATUS_IGNORE);
        if (used != nullptr && rank == 3) {
          MPI_File_get_info(file, &info);
          int keys = 0;
          MPI_Info_get_nkeys(info, &keys);
          for (int i = 0; i < keys; ++i) {
            char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
            int flag = 0;
            MPI_Info_get_nthkey(info, i, key);
            MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &flag);
            (*used)[key] = value;
          }
          MPI_Info_free(&info);
        }
        return MPI_File_close(&file);
      }),
      with(config));
  CHECK(result.exit_code == 0);
  CHECK(counted(result, pio::Counter::bytes_written) == 4 * pieces * sizeof(double));
  return result;
}

pio::Config file_system_with(pio::Collective collective) {
  pio::Config config = with_file_system();
  config.collective = collective;
  config.pfs.stripe_unit = 1 << 20;  // all on one disk
  return config;
}

}  // namespace

TEST_CASE("requests and accesses of the disks, by implementation") {
  using pio::Collective;
  using pio::Counter;
  const auto barrier = comb(file_system_with(Collective::barrier));
  CHECK(counted(barrier, Counter::requests) == 4 * pieces);
  CHECK(counted(barrier, Counter::disk_writes) == 4 * pieces);
  const auto grouping = comb(file_system_with(Collective::grouping));
  CHECK(counted(grouping, Counter::requests) == 4 * pieces);
  const auto list = comb(file_system_with(Collective::list));
  CHECK(counted(list, Counter::requests) == 4 * 2);  // at most 64 pieces each
  CHECK(counted(list, Counter::disk_writes) == 4 * pieces);
  const auto directed = comb(file_system_with(Collective::disk_directed));
  CHECK(counted(directed, Counter::requests) == 4);
  CHECK(counted(directed, Counter::disk_writes) == 1);
  CHECK(counted(directed, Counter::disk_seeks) == 1);
  const auto two_phase = comb(file_system_with(Collective::two_phase));
  CHECK(counted(two_phase, Counter::requests) == 4);
  CHECK(directed.predicted < list.predicted);
  CHECK(list.statistics.events < barrier.statistics.events / 10);  // messages; the disks do the same work
}

TEST_CASE("groups take turns") {
  pio::Config config;  // a disk for each rank, so that taking turns only costs time
  config.collective = pio::Collective::barrier;
  const SimTime together = comb(config).predicted;
  config.collective = pio::Collective::grouping;
  const auto with_groups_of = [&config](std::uint64_t size) {
    config.group_size = size;
    return comb(config).predicted;
  };
  const SimTime access = SimTime::picoseconds(22'000'000'000) * pieces;
  const SimTime one = with_groups_of(1), two = with_groups_of(2), three = with_groups_of(3);
  CHECK(one > together + access * 3);
  CHECK(one < together + access * 4);
  CHECK(two > together + access);
  CHECK(two < together + access * 2);
  CHECK(three > together + access);  // three ranks and one
  CHECK(with_groups_of(4) < together + access);
  CHECK(with_groups_of(100) == with_groups_of(4));
}

TEST_CASE("hints choose the implementation, and only those in use are told") {
  using Hints = std::map<std::string, std::string>;
  const auto requests = [](const Hints& hints, Hints& used) {
    used.clear();
    return counted(comb(file_system_with(pio::Collective::two_phase), hints, &used), pio::Counter::requests);
  };
  Hints used;
  CHECK(requests({}, used) == 4);
  CHECK(used == Hints{{"mpisim_collective", "two-phase"},
                      {"collective_buffering", "true"},
                      {"cb_nodes", "4"},
                      {"cb_buffer_size", "16777216"},
                      {"cb_config_list", "*:*"},
                      {"romio_cb_read", "automatic"},
                      {"romio_cb_write", "automatic"},
                      {"romio_no_indep_rw", "false"},
                      {"romio_ds_read", "automatic"},
                      {"romio_ds_write", "automatic"},
                      {"ind_rd_buffer_size", "4194304"},
                      {"ind_wr_buffer_size", "524288"},
                      {"start_iodevice", "0"},
                      {"striping_factor", "3"},
                      {"striping_unit", "1048576"}});
  CHECK(requests({{"cb_nodes", "2"}, {"romio_hint_of_tomorrow", "enable"}}, used) == 2);
  CHECK(used["cb_nodes"] == "2");
  CHECK(requests({{"cb_nodes", "1"}, {"cb_buffer_size", "1000"}}, used) == 4);  // of 3200 bytes
  CHECK(used["cb_buffer_size"] == "1000");
  CHECK(used.count("romio_hint_of_tomorrow") == 0);
  CHECK(requests({{"collective_buffering", "false"}}, used) == 4 * pieces);
  CHECK(used["mpisim_collective"] == "barrier");
  CHECK(used["collective_buffering"] == "false");
  CHECK(used.count("cb_nodes") == 0);
  CHECK(used.count("cb_buffer_size") == 0);
  CHECK(requests({{"mpisim_collective", "list"}}, used) == 8);
  CHECK(requests({{"mpisim_collective", "disk-directed"}}, used) == 4);
  CHECK(requests({{"mpisim_collective", "grouping"}}, used) == 4 * pieces);
  CHECK(requests({{"mpisim_collective", "nonsense"}, {"cb_nodes", "-3"}}, used) == 4);
  CHECK(used["mpisim_collective"] == "two-phase");
}

TEST_CASE("ROMIO's hints turn two-phase off and on, by direction") {
  using Hints = std::map<std::string, std::string>;
  using pio::Collective;
  Hints used;
  const auto requests = [&used](Collective machine, const Hints& hints) {
    used.clear();
    return counted(comb(file_system_with(machine), hints, &used), pio::Counter::requests);
  };
  CHECK(requests(Collective::two_phase, {{"romio_cb_write", "disable"}}) == 4 * pieces);
  CHECK(used["romio_cb_write"] == "disable");
  CHECK(used["romio_cb_read"] == "automatic");
  CHECK(used["collective_buffering"] == "true");
  CHECK(used.count("mpisim_collective") == 0);
  // What is told asks for the same again.
  const Hints told = used;
  CHECK(requests(Collective::two_phase, told) == 4 * pieces);
  CHECK(used == told);
  CHECK(requests(Collective::two_phase, {{"romio_cb_read", "disable"}}) == 4);
  CHECK(used["romio_cb_read"] == "disable");
  CHECK(requests(Collective::barrier, {{"romio_cb_write", "enable"}}) == 4);
  CHECK(used["romio_cb_write"] == "enable");
  CHECK(used["romio_cb_read"] == "disable");
  CHECK(requests(Collective::barrier, {{"romio_cb_read", "enable"}}) == 4 * pieces);
  CHECK(requests(Collective::barrier, {{"romio_no_indep_rw", "true"}}) == 4);
  CHECK(used["romio_no_indep_rw"] == "true");
  CHECK(used["romio_cb_read"] == "enable");
  CHECK(requests(Collective::two_phase, {{"mpisim_collective", "barrier"}, {"romio_cb_write", "enable"}}) ==
        4 * pieces);
  CHECK(requests(Collective::list, {{"romio_cb_write", "enable"}}) == 4);
  CHECK(used["romio_cb_write"] == "enable");
  CHECK(used["romio_cb_read"] == "disable");
  CHECK(requests(Collective::list, {{"romio_cb_read", "enable"}}) == 8);
  CHECK(used.count("mpisim_collective") == 0);
  CHECK(requests(Collective::list, {}) == 8);
  CHECK(used["mpisim_collective"] == "list");
  CHECK(requests(Collective::two_phase, {{"romio_cb_write", "perhaps"}, {"ind_rd_buffer_size", "2097152"}}) ==
        4);
  CHECK(used["romio_cb_write"] == "automatic");
  CHECK(used["ind_rd_buffer_size"] == "2097152");
}

namespace {

/// One of two ranks writes `count` records of 10 bytes with 30 bytes between them, collectively, and both
/// read them back with what is in between; a file of `size` bytes 'x' is there before.
HarnessResult records(const pio::Config& config, int count, int size, const char* sieving = nullptr) {
  const Directory directory;
  const std::string name = directory.file("records.dat");
  write_content(name, std::string(static_cast<std::size_t>(size), 'x'));
  const auto result = run_ranks(
      2, program([&](int rank) {
        MPI_File file;
        MPI_Info info = MPI_INFO_NULL;
        if (sieving != nullptr) {
          MPI_Info_create(&info);
          MPI_Info_set(info, sieving, std::string(sieving) == "romio_ds_write" ? "enable" : "disable");
        }
        MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_RDWR, info, &file);
        if (sieving != nullptr) MPI_Info_free(&info);
        MPI_Datatype bytes, record;
        MPI_Type_contiguous(10, MPI_CHAR, &bytes);
        MPI_Type_create_resized(bytes, 0, 40, &record);
        MPI_Type_commit(&record);
        MPI_File_set_view(file, 5, MPI_CHAR, record, "native", MPI_INFO_NULL);
        MPI_Type_free(&record);
        MPI_Type_free(&bytes);
        const std::string mine(static_cast<std::size_t>(count) * 10, static_cast<char>('a' + rank));
        MPI_Status status;
        EXPECT(!MPI_File_write_all(file, mine.data(), rank == 0 ? count * 10 : 0, MPI_CHAR, &status));
        std::string back(static_cast<std::size_t>(count) * 10 + 7, '?');
        EXPECT(!MPI_File_read_at_all(file, 0, back.data(), count * 10 + 7, MPI_CHAR, &status));
        int got = 0;
        MPI_Get_count(&status, MPI_CHAR, &got);
        // The record behind the last one is there if the file is.
        const int behind = std::min(7, std::max(0, size - 5 - count * 40));
        EXPECT(got == count * 10 + behind);
        EXPECT(back.substr(0, static_cast<std::size_t>(count) * 10) ==
               std::string(static_cast<std::size_t>(count) * 10, 'a'));
        EXPECT(back.substr(static_cast<std::size_t>(count) * 10) ==
               std::string(static_cast<std::size_t>(behind), 'x') +
                   std::string(static_cast<std::size_t>(7 - behind), '?'));
        return MPI_File_close(&file);
      }),
      with(config));
  INFO(warnings_of(result) << result.report);
  CHECK(result.exit_code == 0);
  std::string content = content_of(name);
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(5 + i * 40);
    CHECK(content.substr(at, 10) == std::string(10, 'a'));
    content.replace(at, 10, 10, 'x');
  }
  // What lies between was not touched; beyond the old end it is zero.
  for (std::size_t i = 0; i < content.size(); ++i)
    CHECK(content[i] == (i < static_cast<std::size_t>(size) || (i >= 5 && (i - 5) % 40 < 10) ? 'x' : '\0'));
  return result;
}

}  // namespace

TEST_CASE("rounds of a limited buffer make the same file with more requests") {
  using pio::Counter;
  pio::Config config;
  config.aggregators = 1;
  for (const int size : {0, 500, 5 + 40 * 25 + 3, 3000}) {
    config.collective_buffer = 0;
    const auto whole = records(config, 25, size);
    config.collective_buffer = 95;  // cuts records in two
    const auto rounds = records(config, 25, size);
    CHECK(counted(rounds, Counter::bytes_written) == 250);
    CHECK(counted(whole, Counter::bytes_written) == 250);
    CHECK(counted(rounds, Counter::requests) > counted(whole, Counter::requests));
    CHECK(rounds.predicted > whole.predicted);
  }
}

TEST_CASE("holes are sieved up to the size that the machine file gives") {
  using pio::Counter;
  pio::Config config;
  config.aggregators = 1;
  const auto apart = records(config, 25, 3000);
  config.sieve_hole = 29;
  const auto still = records(config, 25, 3000);
  CHECK(counted(still, Counter::requests) == counted(apart, Counter::requests));
  config.sieve_hole = 30;
  const auto sieved = records(config, 25, 3000);
  const std::uint64_t extent = 24 * 40 + 10;
  CHECK(counted(apart, Counter::bytes_written) == 250);
  CHECK(counted(sieved, Counter::bytes_written) == extent);
  // The write reads first; then both ranks' read of 25 records and seven bytes.
  CHECK(counted(sieved, Counter::bytes_read) == extent + 25 * 40 + 7);
  CHECK(counted(sieved, Counter::requests) == 3);
  CHECK(sieved.predicted < apart.predicted);
  // The hint for one direction goes before it: reads make a request for each record and for what is behind.
  const auto writes_only = records(config, 25, 3000, "romio_ds_read");
  CHECK(counted(writes_only, Counter::bytes_written) == extent);
  CHECK(counted(writes_only, Counter::bytes_read) == extent + 250 + 7);
  config.sieve_hole = 0;
  const auto enabled = records(config, 25, 3000, "romio_ds_write");
  CHECK(counted(enabled, Counter::bytes_written) == extent);
  CHECK(counted(enabled, Counter::bytes_read) == extent + 250 + 7);
}

TEST_CASE("rounds in which nobody asks for anything are left out") {
  const Directory directory;
  const std::string name = directory.file("far.dat");
  pio::Config config;
  config.collective_buffer = 1 << 10;
  const auto result = run_ranks(
      2, program([&](int rank) {
        MPI_File file;
        MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
        // A thousand million rounds apart.
        const MPI_Offset at = rank * ((MPI_Offset{1} << 40) + 512);
        EXPECT(!MPI_File_write_at_all(file, at, "ab", 2, MPI_CHAR, MPI_STATUS_IGNORE));
        char back[2] = {};
        EXPECT(!MPI_File_read_at_all(file, at, back, 2, MPI_CHAR, MPI_STATUS_IGNORE));
        EXPECT(back[0] == 'a' && back[1] == 'b');
        return MPI_File_close(&file);
      }),
      with(config));
  CHECK(result.exit_code == 0);
  CHECK(counted(result, pio::Counter::requests) == 4);
}
