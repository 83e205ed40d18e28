#include "machine/object_builder.hpp"

#include <fmt/format.h>

#include "disk_models/registry.hpp"
#include "machine/modules.hpp"
#include "machine/values.hpp"

namespace mpisim::machine {

namespace {

/// Offsets in pages and stripes have 32 bits.
constexpr std::uint64_t most_bytes_of_page = 0xFFFFFFFF;
/// Places of a cache have numbers of 32 bits.
constexpr std::uint64_t most_pages = 0xFFFFFFFE;

bool serves_objects(const Node& io) {
  return io.at("service")->text == "objects" && io.at("model")->text == "pfs";
}

}  // namespace

void check_objects(const Node& io, std::vector<Diagnostic>& diagnostics) {
  if (!serves_objects(io)) return;
  const pfs::ObjectParameters objects = object_parameters(io);
  const auto fault = [&](const char* path, const std::string& message) {
    diagnostics.push_back({io.at(path)->origin.place(), fmt::format("io.{}: {}", path, message)});
  };
  if (objects.page > most_bytes_of_page)
    fault("objects.page", fmt::format("{} B are too much; less than 4 GiB", objects.page));
  if (objects.rpc_size % objects.page != 0)
    fault("objects.rpc_size",
          fmt::format("{} B are no multiple of a page of {} B", objects.rpc_size, objects.page));
  if (objects.max_dirty < objects.page)
    fault("objects.max_dirty", fmt::format("{} B are less than a page", objects.max_dirty));
  if (objects.cache < objects.rpc_size)
    fault("objects.cache", fmt::format("{} B are less than rpc_size, {} B", objects.cache, objects.rpc_size));
  if (objects.cache / objects.page > most_pages)
    fault("objects.cache", fmt::format("more than {} pages", most_pages));
  if (objects.flush_interval <= kernel::SimTime::zero())
    fault("objects.flush_interval", "must be more than 0: changes would never stay");
  for (const char* cache : {"cache.cnode", "cache.ionode"})
    if (const Node* section = io.at(cache); section != nullptr && bytes_at(*section, "size").count() > 0)
      diagnostics.push_back(
          {section->origin.place(),
           fmt::format("io.{0}: object servers and their clients have caches of their own "
                       "(io.objects): --set 'io.{0}.size=0 B', or --set io.service=requests",
                       cache)});
}

pfs::ObjectParameters object_parameters(const Node& io) {
  const Node& section = *io.find("objects");
  const auto bytes = [&](const char* key) { return bytes_at(section, key).count(); };
  const auto number = [&](const char* key) { return static_cast<std::uint32_t>(integer_at(section, key)); };
  pfs::ObjectParameters objects;
  objects.on = serves_objects(io);
  objects.page = bytes("page");
  objects.rpc_size = bytes("rpc_size");
  objects.rpcs_in_flight = number("rpcs_in_flight");
  objects.max_dirty = bytes("max_dirty");
  objects.cache = bytes("cache");
  objects.read_ahead = bytes("read_ahead");
  objects.threads = number("threads");
  objects.lock_cost = time_at(section, "lock_cost");
  objects.flush_interval = time_at(section, "flush_interval");
  objects.flush_on_close = std::get<bool>(section.at("flush_on_close")->value);
  objects.growth = {number("backward_locks"), number("contended_locks"), bytes("contended_growth")};
  return objects;
}

pfs::MetadataParameters metadata_parameters(const Node& io, std::uint64_t servers) {
  const Node& section = *io.find("metadata");
  pfs::MetadataParameters metadata;
  metadata.servers = static_cast<std::uint32_t>(servers);
  metadata.threads = static_cast<std::uint32_t>(integer_at(section, "threads"));
  metadata.create_cost = time_at(section, "create_cost");
  metadata.remove_cost = time_at(section, "remove_cost");
  return metadata;
}

void check_burst_buffer(const Node& io, std::uint64_t nodes, std::vector<Diagnostic>& diagnostics) {
  const Node* section = io.find("burst_buffer");
  if (section == nullptr || io.at("model")->text != "pfs") return;
  const auto fault = [&](const char* key, const std::string& message) {
    diagnostics.push_back(
        {section->at(key)->origin.place(), fmt::format("io.burst_buffer.{}: {}", key, message)});
  };
  if (section->at("where")->text == "dedicated" && nodes == 0)
    fault("where",
          "dedicated needs nodes: --set nodes.burst_buffer=1, or --set io.burst_buffer.where=node-local");
  if (bytes_at(*section, "capacity").count() < bytes_at(*section, "transfer").count())
    fault("capacity", "must be at least transfer");
  if (bytes_at(*section, "stripe").count() > most_bytes_of_page) fault("stripe", "must be less than 4 GiB");
  if (time_at(*section, "drain_delay") <= kernel::SimTime::zero())
    fault("drain_delay", "must be more than 0: nothing would stay");
  try {
    build_module(disk::models(), *section->find("device"))();
  } catch (const std::invalid_argument& error) {
    diagnostics.push_back(complaint_about(*section->find("device"), "io.burst_buffer.device", error.what()));
  }
}

pfs::BurstParameters burst_parameters(const Node& io, std::uint64_t nodes) {
  pfs::BurstParameters burst;
  const Node* section = io.find("burst_buffer");
  if (section == nullptr || io.at("model")->text != "pfs") return burst;
  burst.place = section->at("where")->text == "dedicated" ? pfs::BurstParameters::Place::dedicated
                                                          : pfs::BurstParameters::Place::local;
  burst.nodes = static_cast<std::uint32_t>(nodes);
  burst.capacity = bytes_at(*section, "capacity").count();
  burst.stripe = bytes_at(*section, "stripe").count();
  burst.transfer = bytes_at(*section, "transfer").count();
  burst.drains = static_cast<std::uint32_t>(integer_at(*section, "drains"));
  burst.drain_time = per_byte_at(*section, "drain_bandwidth");
  burst.drain_delay = time_at(*section, "drain_delay");
  burst.stage_out = section->at("stage_out")->text == "close";
  burst.device = build_module(disk::models(), *section->find("device"));
  return burst;
}

}  // namespace mpisim::machine
