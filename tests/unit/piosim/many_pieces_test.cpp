// The work for views of many pieces is counted: no part of an access looks at pieces of another.
#include <catch2/catch.hpp>
#include <vector>

#include "mpisim/predefined_types.hpp"
#include "mpisim/type_layouts.hpp"
#include "piosim/hints.hpp"
#include "piosim/view.hpp"
#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;

TEST_CASE("an access through a view of a million pieces costs its own pieces") {
  constexpr std::size_t many = 1'000'000;
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < many; ++i) places.push_back(static_cast<std::int64_t>(3 * i + i % 2));
  const mpi::TypePointer type = mpi::make_indexed_block(1, places, *mpi::predefined_datatype(MPI_CHAR));
  const pio::View view(5, *mpi::predefined_datatype(MPI_CHAR), *type, pio::native_representation());
  std::uint64_t visits = 0, wrong = 0;
  constexpr std::uint64_t chunk = 1000;
  for (std::uint64_t position = 0; position < many; position += chunk) {
    std::uint64_t at = position;
    view.for_each_piece(position, chunk, [&](const pio::FilePiece& piece) {
      ++visits;
      wrong += piece.offset != 5 + static_cast<std::uint64_t>(places[at++]) || piece.bytes != 1 ? 1 : 0;
    });
    const pio::FilePiece range = view.range(position, chunk);
    wrong += range.offset != 5 + static_cast<std::uint64_t>(places[position]) ? 1 : 0;
  }
  CHECK(wrong == 0);
  CHECK(visits == many);
}

TEST_CASE("requests and events grow with the pieces, not with their square") {
  const Directory directory;
  const std::string name = directory.file("many.dat");
  const auto cost_of = [&](int pieces, pio::Collective collective, bool nonblocking) {
    pio::Config config = with_file_system();
    config.collective = collective;
    const auto result = run_ranks(
        2, program([&](int rank) {
          MPI_File file;
          MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
          MPI_Datatype tooth;
          MPI_Type_create_resized(MPI_CHAR, 0, 4, &tooth);
          MPI_Type_commit(&tooth);
          MPI_File_set_view(file, rank, MPI_CHAR, tooth, "native", MPI_INFO_NULL);
          MPI_Type_free(&tooth);
          const std::vector<char> data(static_cast<std::size_t>(pieces), 'x');
          if (nonblocking) {
            MPI_Request request;
            MPI_File_iwrite(file, data.data(), pieces, MPI_CHAR, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
          } else {
            MPI_File_write_all(file, data.data(), pieces, MPI_CHAR, MPI_STATUS_IGNORE);
          }
          return MPI_File_close(&file);
        }),
        with(config));
    CHECK(result.exit_code == 0);
    return std::pair(counted(result, pio::Counter::requests), result.statistics.events);
  };
  constexpr int few = 2000;
  using pio::Collective;
  for (const auto& [collective, nonblocking] : {std::pair(Collective::barrier, false),
                                                {Collective::barrier, true},
                                                {Collective::list, false},
                                                {Collective::disk_directed, false},
                                                {Collective::two_phase, false}}) {
    INFO("collective " << pio::word_of(collective) << ", nonblocking " << nonblocking);
    const auto [requests, events] = cost_of(few, collective, nonblocking);
    const auto [more_requests, more_events] = cost_of(4 * few, collective, nonblocking);
    CHECK(more_requests <= 4 * requests);
    CHECK(more_events <= 4 * events);
  }
}
