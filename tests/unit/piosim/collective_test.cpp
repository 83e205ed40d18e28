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
                      {"striping_factor", "3"},
                      {"striping_unit", "1048576"}});
  CHECK(requests({{"cb_nodes", "2"}, {"romio_ds_read", "enable"}}, used) == 2);
  CHECK(used["cb_nodes"] == "2");
  CHECK(used.count("romio_ds_read") == 0);
  CHECK(requests({{"collective_buffering", "false"}}, used) == 4 * pieces);
  CHECK(used["mpisim_collective"] == "barrier");
  CHECK(used["collective_buffering"] == "false");
  CHECK(used.count("cb_nodes") == 0);
  CHECK(requests({{"mpisim_collective", "list"}}, used) == 8);
  CHECK(requests({{"mpisim_collective", "disk-directed"}}, used) == 4);
  CHECK(requests({{"mpisim_collective", "grouping"}}, used) == 4 * pieces);
  CHECK(requests({{"mpisim_collective", "nonsense"}, {"cb_nodes", "-3"}}, used) == 4);
  CHECK(used["mpisim_collective"] == "two-phase");
}
