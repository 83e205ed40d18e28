#include "machine/io_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "disk_models/queue_discipline.hpp"
#include "disk_models/registry.hpp"
#include "machine/cache_builder.hpp"
#include "machine/description.hpp"
#include "machine/modules.hpp"
#include "machine/object_builder.hpp"
#include "machine/values.hpp"
#include "pfssim/shapes.hpp"
#include "piosim/collective.hpp"

namespace mpisim::machine {

namespace {

constexpr std::uint64_t most_disks = std::uint64_t{1} << 24;

disk::ArrayParameters raid(const Node& io) {
  disk::ArrayParameters array;
  const std::string& level = io.at("raid.level")->text;
  if (level == "0") array.level = disk::RaidLevel::raid0;
  if (level == "1") array.level = disk::RaidLevel::raid1;
  if (level == "5") array.level = disk::RaidLevel::raid5;
  array.members = static_cast<std::uint32_t>(integer_at(io, "raid.members"));
  array.chunk = bytes_at(io, "raid.chunk").count();
  return array;
}

void check_raid(const Node& io, const disk::Space& member, std::vector<Diagnostic>& diagnostics) {
  const disk::ArrayParameters array = raid(io);
  const Node& members = *io.at("raid.members");
  const std::uint32_t least = array.level == disk::RaidLevel::raid5   ? 3
                              : array.level == disk::RaidLevel::raid1 ? 2
                                                                      : 1;
  if (array.members < least)
    diagnostics.push_back(
        {members.origin.place(), fmt::format("io.raid.members: level {} needs at least {}, not {}",
                                             io.at("raid.level")->text, least, array.members)});
  const bool in_chunks = array.level == disk::RaidLevel::raid0 || array.level == disk::RaidLevel::raid5;
  if (in_chunks && member.bytes != 0 && array.chunk > member.bytes)
    diagnostics.push_back(
        {io.at("raid.chunk")->origin.place(),
         fmt::format("io.raid.chunk: {} B are more than a disk of {} B has", array.chunk, member.bytes)});
  if (in_chunks && array.members >= least && array.chunk > disk::most_row_bytes / array.members)
    diagnostics.push_back(
        {io.at("raid.chunk")->origin.place(),
         fmt::format("io.raid.chunk: {} B on each of {} members are too large; at most {} B in all",
                     array.chunk, array.members, disk::most_row_bytes)});
}

}  // namespace

namespace {

/// 0 for the word.
std::uint64_t integer_or_word(const Node& node, const char* word) {
  return node.text == word ? 0 : std::get<std::uint64_t>(node.value);
}

void read_layout(const Node& io, pfs::Parameters& parameters) {
  parameters.layout = build_module(pfs::layouts(), *io.find("layout"));
  parameters.stripe_unit = bytes_at(io, "stripe_unit").count();
  parameters.stripe_factor = static_cast<std::uint32_t>(integer_or_word(*io.at("stripe_factor"), "all"));
  const Node& start = *io.at("start_disk");
  if (start.text != "spread")
    parameters.start_disk = static_cast<std::uint32_t>(std::get<std::uint64_t>(start.value));
}

void check_layout(const Node& io, std::uint64_t disks, std::vector<Diagnostic>& diagnostics) {
  pfs::Parameters parameters;
  parameters.io_nodes = static_cast<std::uint32_t>(disks);
  const auto check = [&](const char* key, std::uint64_t number, std::uint64_t most) {
    if (number > most)
      diagnostics.push_back({io.at(key)->origin.place(),
                             fmt::format("io.{}: {} is too large; there are {} disks", key, number, disks)});
  };
  try {
    read_layout(io, parameters);
    if (!parameters.layout->shares_disks()) check("stripe_factor", parameters.stripe_factor, disks);
    check("start_disk", parameters.start_disk.value_or(0), disks - 1);
    pfs::new_shape(parameters, {}, 0);
  } catch (const std::invalid_argument& error) {
    diagnostics.push_back(complaint_about(*io.find("layout"), "io.layout", error.what()));
  }
}

/// What is made for clients and I/O nodes without caches, and faults.
void read_requests(const Node& io, pfs::Parameters& parameters) {
  parameters.client_copy = per_byte_at(io, "client_copy");
  const Node& limit = *io.at("request_limit");
  parameters.request_limit = limit.text == "infinite" ? 0 : std::get<kernel::Bytes>(limit.value).count();
  parameters.lock_step = std::get<bool>(io.at("lock_step")->value);
  parameters.write_buffer = {bytes_at(io, "write_buffer.size").count(),
                             bytes_at(io, "write_buffer.unit").count(),
                             bytes_at(io, "write_buffer.up_to").count()};
  const Node& slow = *io.at("slow_disk.io_node");
  if (slow.text != "none")
    parameters.slow_disk.io_node = static_cast<std::uint32_t>(std::get<std::uint64_t>(slow.value));
  parameters.slow_disk.reads = number_at(io, "slow_disk.reads");
  parameters.slow_disk.writes = number_at(io, "slow_disk.writes");
}

void check_requests(const Node& io, std::uint64_t io_nodes, std::vector<Diagnostic>& diagnostics) {
  pfs::Parameters parameters;
  read_requests(io, parameters);
  const auto fault = [&](const char* key, const std::string& message) {
    diagnostics.push_back({io.at(key)->origin.place(), fmt::format("io.{}: {}", key, message)});
  };
  if (parameters.slow_disk.io_node.value_or(0) >= io_nodes && parameters.slow_disk.io_node)
    fault("slow_disk.io_node",
          fmt::format("{} is too large; nodes.io is {}", *parameters.slow_disk.io_node, io_nodes));
  for (const char* key : {"slow_disk.reads", "slow_disk.writes"})
    if (number_at(io, key) < 1) fault(key, "must be at least 1");
}

}  // namespace

void check_io(const Node& tree, std::uint64_t io_nodes, std::vector<Diagnostic>& diagnostics) {
  const Node* io = tree.find("io");
  if (io == nullptr) return;
  const auto fault = [&diagnostics](const Node& node, std::string message) {
    diagnostics.push_back({node.origin.place(), std::move(message)});
  };
  const Node& model = *io->at("model");
  const std::uint64_t per_node = integer_at(*io, "disk.per_node");
  if (model.text == "pfs" && io_nodes == 0)
    fault(model, "io.model: pfs needs I/O nodes, nodes.io is 0: --set nodes.io=1, or --set io.model=disk");
  if (model.text == "pfs" && io_nodes * per_node > most_disks)
    fault(model, fmt::format("nodes.io * io.disk.per_node = {} * {} is too large; at most {} disks", io_nodes,
                             per_node, most_disks));
  if (model.text == "pfs" && io_nodes > 0 && io_nodes * per_node <= most_disks)
    check_layout(*io, io_nodes * per_node, diagnostics);
  check_caches(*io->find("cache"), io_nodes, diagnostics);
  check_objects(*io, diagnostics);
  check_requests(*io, io_nodes, diagnostics);
  check_burst_buffer(*io, integer_at(tree, "nodes.burst_buffer"), diagnostics);
  const Node& disk = *io->find("disk");
  try {
    const disk::Factory make = build_module(disk::models(), disk);
    check_raid(*io, make()->space(), diagnostics);
    const Node& queue = *disk.find("queue");
    if (disk::disciplines().find(queue.text)->choice == disk::Choice::cylinder &&
        make()->space().cylinders == 0)
      fault(queue, fmt::format("io.disk.queue: {} needs a disk whose head moves, which {} has not: use fcfs",
                               queue.text, disk.find("model")->text));
  } catch (const std::invalid_argument& error) {
    diagnostics.push_back(complaint_about(disk, "io.disk", error.what()));
  }
}

pio::Config Description::io_config(const Placement& placement) const {
  pio::Config config;
  const Node* io = tree_.find("io");
  if (io == nullptr) return config;
  config.model = io->at("model")->text == "pfs" ? pio::Model::pfs : pio::Model::disk;
  // Another name is an error of the machine file, found before.
  if (const auto collective = pio::find_collective(io->at("collective")->text))
    config.collective = *collective;
  config.group_size = integer_at(*io, "group_size");
  const Node& coalesce = *io->at("coalesce");
  config.coalesce = coalesce.text == "etype"         ? pio::Coalesce::etype
                    : std::get<bool>(coalesce.value) ? pio::Coalesce::on
                                                     : pio::Coalesce::off;
  const Node& aggregators = *io->at("aggregators");
  config.aggregators = aggregators.text == "all" ? 0 : std::get<std::uint64_t>(aggregators.value);
  const Node& buffer = *io->at("collective_buffer");
  config.collective_buffer = buffer.text == "infinite" ? 0 : std::get<kernel::Bytes>(buffer.value).count();
  const Node& hole = *io->at("sieve_hole");
  config.sieve_hole = hole.text == "infinite" ? std::numeric_limits<std::uint64_t>::max()
                                              : std::get<kernel::Bytes>(hole.value).count();
  config.open_cost = time_at(*io, "open_cost");
  config.metadata_cost = time_at(*io, "metadata_cost");
  config.raid = raid(*io);
  config.disk = build_module(disk::models(), *io->find("disk"));
  config.moves_data = io->at("data")->text == "real";
  const std::string& posix = io->at("posix")->text;
  config.posix = posix == "free" ? pio::Posix::free : posix == "pfs" ? pio::Posix::pfs : pio::Posix::local;
  config.local_disk = {time_at(*io, "local_disk.overhead"), time_at(*io, "local_disk.latency"),
                       per_byte_at(*io, "local_disk.bandwidth")};
  config.pfs.io_nodes = static_cast<std::uint32_t>(io_nodes_);
  config.pfs.first_io_node = placement.io_node(0);
  config.pfs.disks_per_node = static_cast<std::uint32_t>(integer_at(*io, "disk.per_node"));
  config.pfs.disk_bus = per_byte_at(*io, "disk_bus");
  config.pfs.queue = *disk::disciplines().find(io->at("disk.queue")->text);
  read_layout(*io, config.pfs);
  read_requests(*io, config.pfs);
  config.pfs.client_overhead = time_at(*io, "client_overhead");
  config.pfs.server_overhead = time_at(*io, "server_overhead");
  config.pfs.header = bytes_at(*io, "header");
  config.pfs.caching = caching_parameters(*io->find("cache"), io_nodes_);
  config.pfs.objects = object_parameters(*io);
  config.pfs.metadata = metadata_parameters(*io, integer_at(tree_, "nodes.metadata"));
  config.pfs.burst = burst_parameters(*io, integer_at(tree_, "nodes.burst_buffer"));
  return config;
}

}  // namespace mpisim::machine
