// Random views × ranks × implementations × host processes against an oracle that knows nothing of datatypes:
// a table of which rank owns which slot of the file.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;

namespace {

/// The file: a displacement, then tiles of slots; each slot belongs to a rank or to nobody.
struct Plan {
  Plan(std::uint64_t seed, int rank_count) : ranks(rank_count) {
    std::mt19937_64 random(seed);
    const auto below = [&random](std::uint64_t limit) { return static_cast<int>(random() % limit); };
    displacement = below(50);
    slot = 1 + below(12);
    owner.resize(static_cast<std::size_t>(4 + below(40)));
    for (int& one : owner) one = below(static_cast<std::uint64_t>(ranks) + 1) - 1;
    for (int rank = 0; rank < ranks; ++rank) {
      owner.push_back(rank);  // everybody has one at least
      tiles.push_back(1 + below(5));
    }
    memory_gap = below(3);
  }

  int slots_of(int rank) const { return static_cast<int>(std::count(owner.begin(), owner.end(), rank)); }
  /// Slots that the rank writes: whole tiles and one slot more.
  int written(int rank) const { return tiles[static_cast<std::size_t>(rank)] * slots_of(rank) + 1; }
  char value(int rank, int index, int byte) const {
    return static_cast<char>(1 + rank * 31 + index * 7 + byte);
  }

  std::string oracle() const {
    std::string file;
    for (int rank = 0; rank < ranks; ++rank) {
      int left = written(rank);
      for (int index = 0, place = 0; left > 0; ++place) {
        if (owner[static_cast<std::size_t>(place) % owner.size()] != rank) continue;
        const std::size_t at = static_cast<std::size_t>(displacement + place * slot);
        if (file.size() < at + static_cast<std::size_t>(slot))
          file.resize(at + static_cast<std::size_t>(slot));
        for (int byte = 0; byte < slot; ++byte)
          file[at + static_cast<std::size_t>(byte)] = value(rank, index, byte);
        ++index;
        --left;
      }
    }
    return file;
  }

  int ranks;
  int displacement = 0;
  int slot = 1;            ///< bytes
  std::vector<int> owner;  ///< of each slot of a tile, -1: nobody
  std::vector<int> tiles;  ///< written by each rank
  int memory_gap = 0;      ///< bytes behind each slot in memory
};

struct Types {
  Types(const Plan& plan, int rank) {
    MPI_Type_contiguous(plan.slot, MPI_BYTE, &etype);
    MPI_Type_commit(&etype);
    std::vector<int> places;
    for (std::size_t i = 0; i < plan.owner.size(); ++i)
      if (plan.owner[i] == rank) places.push_back(static_cast<int>(i));
    MPI_Datatype pieces;
    MPI_Type_create_indexed_block(static_cast<int>(places.size()), 1, places.data(), etype, &pieces);
    MPI_Type_create_resized(pieces, 0, static_cast<MPI_Aint>(plan.owner.size()) * plan.slot, &filetype);
    MPI_Type_commit(&filetype);
    MPI_Type_free(&pieces);
    MPI_Type_create_resized(etype, 0, plan.slot + plan.memory_gap, &memory);
    MPI_Type_commit(&memory);
  }
  ~Types() {
    MPI_Type_free(&etype);
    MPI_Type_free(&filetype);
    MPI_Type_free(&memory);
  }
  MPI_Datatype etype, filetype, memory;
};

int body(const Plan& plan, const std::string& name, int rank) {
  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file))
    return 1;
  MPI_Status status;
  int count = 0;
  {
    const Types types(plan, rank);
    MPI_File_set_view(file, plan.displacement, types.etype, types.filetype, "native", MPI_INFO_NULL);
    const int stride = plan.slot + plan.memory_gap;
    std::vector<char> data(static_cast<std::size_t>(plan.written(rank) * stride));
    for (int i = 0; i < plan.written(rank); ++i)
      for (int byte = 0; byte < plan.slot; ++byte)
        data[static_cast<std::size_t>(i * stride + byte)] = plan.value(rank, i, byte);
    MPI_File_write_all(file, data.data(), plan.written(rank), types.memory, &status);
    MPI_Get_count(&status, types.etype, &count);
    if (count != plan.written(rank)) return 2;
    MPI_Offset position = 0;
    MPI_File_get_position(file, &position);
    if (position != plan.written(rank)) return 3;
  }
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  // Everybody reads what the next rank wrote, from its second slot, and asks for more than there can be.
  const int other = (rank + 1) % plan.ranks;
  const Types types(plan, other);
  MPI_File_set_view(file, plan.displacement, types.etype, types.filetype, "native", MPI_INFO_NULL);
  const int asked = plan.written(other) + 200 * plan.slots_of(other);
  std::vector<char> alone(static_cast<std::size_t>(asked * plan.slot), 'x');
  std::vector<char> together = alone;
  MPI_File_read_at(file, 1, alone.data(), asked, types.etype, &status);
  int got_alone = 0;
  MPI_Get_count(&status, MPI_BYTE, &got_alone);
  MPI_File_seek(file, 1, MPI_SEEK_SET);
  MPI_File_read_all(file, together.data(), asked, types.etype, &status);
  MPI_Get_count(&status, MPI_BYTE, &count);
  if (count != got_alone || alone != together) return 4;
  if (count < (plan.written(other) - 1) * plan.slot) return 5;
  for (int i = 0; i < (plan.written(other) - 1) * plan.slot; ++i)
    if (alone[static_cast<std::size_t>(i)] != plan.value(other, 1 + i / plan.slot, i % plan.slot)) return 6;
  if (alone.back() != 'x') return 7;  // what the file does not have is left alone
  MPI_File_seek(file, 0, MPI_SEEK_END);
  MPI_Offset end = 0;
  MPI_File_get_position(file, &end);
  if (end != 1 + (count + plan.slot - 1) / plan.slot) return 8;
  return MPI_File_close(&file);
}

}  // namespace

TEST_CASE("random views: the oracle's file, and the same time on every host count") {
  const Directory directory;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    for (const int ranks : {1, 2, 5}) {
      const Plan plan(seed, ranks);
      const std::string oracle = plan.oracle();
      for (const bool shared : {false, true}) {
        for (const auto collective :
             {pio::Collective::barrier, pio::Collective::grouping, pio::Collective::two_phase,
              pio::Collective::list, pio::Collective::disk_directed}) {
          pio::Config config = shared ? with_file_system() : pio::Config();
          config.collective = collective;
          config.coalesce = static_cast<pio::Coalesce>(seed / 2 % 3);
          config.aggregators = seed % 3;
          if (seed % 4 > 1) config.collective_buffer = 7 * seed;  // cuts pieces
          if (seed % 3 == 0) config.sieve_hole = 4 * seed;
          config.group_size = 1 + seed % 4;
          kernel::SimTime predicted;
          mpi::Counters counters{};
          for (int hosts = 1; hosts <= std::min(ranks, 3); ++hosts) {
            INFO("seed " << seed << ", " << ranks << " ranks, collective " << static_cast<int>(collective)
                         << ", file system " << shared << ", " << hosts << " hosts");
            const std::string name = directory.file("views.dat");
            std::filesystem::remove(name);
            const auto result = run_ranks(ranks, program([&](int rank) { return body(plan, name, rank); }),
                                          with(config, hosts, static_cast<int>(1 + seed % 2)));
            CHECK(result.exit_code == 0);
            CHECK(warnings_of(result) == "");
            CHECK((content_of(name) == oracle));
            if (hosts == 1) {
              predicted = result.predicted;
              counters = result.totals.counters;
            }
            CHECK(result.predicted == predicted);
            CHECK(result.totals.counters == counters);
          }
        }
      }
    }
  }
}
