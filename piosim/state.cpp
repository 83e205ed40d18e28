#include "piosim/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "mpisim/rank.hpp"
#include "pfssim/delays.hpp"
#include "piosim/file.hpp"
#include "piosim/statistics.hpp"

namespace mpisim::pio {

std::unique_ptr<Storage> WorldIo::make_storage() const {
  return config.model == Model::pfs ? make_pfs_storage(*file_system_) : make_disk_storage(config);
}

void WorldIo::charge_file_use(const runtime::FileUse& use) {
  rank_io().posix.charge(use);
}

kernel::SimTime WorldIo::least_delay() const {
  return config.model == Model::pfs ? pfs::client_delay(config.pfs) : kernel::SimTime::infinity();
}

std::vector<std::uint16_t> WorldIo::place_lps(const mpi::WorldOptions& options, kernel::LpId first,
                                              const std::vector<std::uint16_t>& host_of_rank, int hosts) {
  service_ = std::make_unique<FileService>();
  service_->lp = first;
  service_->client_overhead = config.pfs.client_overhead;
  service_->server_overhead = config.pfs.server_overhead;
  service_->header = config.pfs.header;
  service_->network = options.network;
  for (int rank = 0; rank < options.ranks; ++rank) service_->nodes.push_back(options.node(rank));
  if (config.model != Model::pfs) {
    service_->node = service_->nodes.front();
    return {host_of_rank.front()};
  }
  service_->node = config.pfs.first_io_node;
  std::map<network::NodeId, std::uint16_t> host_of_node;
  for (std::size_t rank = 0; rank < host_of_rank.size(); ++rank)
    host_of_node.emplace(options.node(static_cast<int>(rank)), host_of_rank[rank]);
  std::vector<network::NodeId> nodes;
  std::vector<std::uint16_t> hosts_of_nodes;
  for (const auto& [node, host] : host_of_node) {
    nodes.push_back(node);
    hosts_of_nodes.push_back(host);
  }
  file_system_ =
      std::make_unique<pfs::FileSystem>(config.file_system(), *options.network, std::move(nodes), first + 1);
  std::vector<std::uint16_t> placed = file_system_->place(hosts_of_nodes, hosts);
  placed.insert(placed.begin(), file_system_->host_of_first_io_node());
  return placed;
}

std::vector<kernel::LpId> WorldIo::companions(const mpi::WorldOptions& options, kernel::LpId first) {
  std::vector<kernel::LpId> with{first};  // the server is wherever it likes: all reach it by the network
  if (!file_system_) return with;
  std::map<network::NodeId, kernel::LpId> first_rank_of_node;
  for (int rank = 0; rank < options.ranks; ++rank)
    first_rank_of_node.emplace(options.node(rank), static_cast<kernel::LpId>(rank));
  std::vector<kernel::LpId> first_ranks;
  for (const auto& [node, rank] : first_rank_of_node) first_ranks.push_back(rank);
  const std::vector<kernel::LpId> others = file_system_->companions(first_ranks);
  with.insert(with.end(), others.begin(), others.end());
  return with;
}

std::vector<std::unique_ptr<kernel::LogicalProcess>> WorldIo::make_lps(kernel::Engine& engine) {
  engine.register_codec(file_call_kind, std::make_unique<FileCallCodec>());
  std::vector<std::unique_ptr<kernel::LogicalProcess>> lps;
  if (file_system_) lps = file_system_->make(engine);
  disks_.clear();
  for (const auto& lp : lps)
    if (const auto* disk = dynamic_cast<const pfs::DiskUnit*>(lp.get())) disks_.push_back(disk);
  for (const auto& lp : lps)
    if (const auto* counting = dynamic_cast<const pfs::Counting*>(lp.get())) notes_.nodes.push_back(counting);
  if (engine.host_of(service_->lp) == engine.host())
    lps.push_back(std::make_unique<FileServer>(engine, *service_));
  return lps;
}

std::vector<std::byte> WorldIo::pack_results() const {
  kernel::PacketWriter out;
  for (const pfs::DiskUnit* disk : disks_)
    for (const pfs::DiskStatistics& each : disk->statistics()) out.put(each);
  return std::move(out.buffer());
}

const FileService& WorldIo::service() const {
  if (!service_)
    throw std::logic_error("shared pointers and atomic mode need a world that was made for files");
  return *service_;
}

std::shared_ptr<RankLedger> WorldIo::new_ledger(int rank) {
  auto ledger = std::make_shared<RankLedger>();
  ledger->rank = rank;
  notes_.ranks.push_back(ledger);
  return ledger;
}

RankIo::RankIo(WorldIo& world)
    : storage(world.make_storage()), ledger(world.new_ledger(mpi::current_rank().world_rank())) {}

RankIo::~RankIo() {
  files.for_each([](int, File* file) { delete file; });
}

std::uint32_t RankIo::asker(const kernel::Event& event) const {
  return event.kind == file_call_kind ? static_cast<const FileCall&>(event).asker : storage->asker(event);
}

std::unique_ptr<Storage> RankIo::take_beside() {
  if (spare_.empty()) return storage->beside();
  std::unique_ptr<Storage> beside = std::move(spare_.back());
  spare_.pop_back();
  return beside;
}

void RankIo::give_back(std::unique_ptr<Storage> beside) {
  if (beside) spare_.push_back(std::move(beside));
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

RankIo& make_rank_io() {
  mpi::Rank& rank = mpi::current_rank();
  rank.extension = std::make_unique<RankIo>(world_io());
  return static_cast<RankIo&>(*rank.extension);
}

std::vector<pfs::DiskStatistics> disk_statistics(const std::vector<std::vector<std::byte>>& results) {
  std::vector<pfs::DiskStatistics> all;
  for (const auto& result : results)
    for (kernel::PacketReader in(result); !in.empty();) all.push_back(in.get<pfs::DiskStatistics>());
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.io_node, a.disk, a.member) < std::tie(b.io_node, b.disk, b.member);
  });
  return all;
}

void count_tally(mpi::Counters& counters, const pfs::Tally& tally) {
  const auto add = [&counters](Counter counter, std::uint64_t amount) {
    counters[static_cast<std::size_t>(counter)] += amount;
  };
  add(Counter::disk_reads, tally.reads);
  add(Counter::disk_writes, tally.writes);
  add(Counter::disk_seeks, tally.seeks);
}

void count_tally(const FileOnStorage& file, const pfs::Tally& tally) {
  count_tally(mpi::current_rank().result().counters, tally);
  rank_io().ledger->files[file.entry].counts.served.add(tally);
}

void count(Counter counter, std::uint64_t amount) {
  mpi::current_rank().result().counters[static_cast<std::size_t>(counter)] += amount;
}

}  // namespace mpisim::pio
