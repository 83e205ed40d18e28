#include "piosim/state.hpp"

#include <fmt/format.h>

#include "mpisim/rank.hpp"
#include "piosim/file.hpp"
#include "piosim/statistics.hpp"

namespace mpisim::pio {

RankIo::RankIo(const Config& config) : storage(make_disk_storage(config)) {}

RankIo::~RankIo() {
  files.for_each([](int, File* file) { delete file; });
}

std::string RankIo::leaks() const {
  std::string text;
  if (files.live() == 0) return text;
  text = fmt::format("{} file{} (", files.live(), files.live() == 1 ? "" : "s");
  const char* separator = "";
  files.for_each([&](int, const File* file) {
    text += separator + file->name();
    separator = ", ";
  });
  return text + ")";
}

WorldIo& world_io() {
  std::shared_ptr<mpi::WorldExtension>& extension = mpi::current_rank().world().extension();
  if (!extension) extension = std::make_shared<WorldIo>(Config{});
  return static_cast<WorldIo&>(*extension);
}

RankIo& rank_io() {
  std::unique_ptr<mpi::RankExtension>& extension = mpi::current_rank().extension;
  if (!extension) extension = std::make_unique<RankIo>(world_io().config);
  return static_cast<RankIo&>(*extension);
}

void count(Counter counter, std::uint64_t amount) {
  mpi::current_rank().result().counters[static_cast<std::size_t>(counter)] += amount;
}

}  // namespace mpisim::pio
