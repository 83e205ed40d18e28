#include "machine/cache_builder.hpp"

#include <fmt/format.h>

#include "machine/values.hpp"

namespace mpisim::machine {

namespace {

constexpr std::uint64_t most_bytes_of_block = 0xFFFFFFFF;
/// Places of a cache have numbers of 32 bits.
constexpr std::uint64_t most_blocks = 0xFFFFFFFE;

const Node* cache_of(const Node& cache, const char* where) {
  const Node* section = cache.find(where);
  return section != nullptr && bytes_at(*section, "size").count() > 0 ? section : nullptr;
}

/// Of one cache; that of a compute node is never divided.
std::uint64_t size_of(const Node& section, std::uint64_t io_nodes) {
  const std::uint64_t size = bytes_at(section, "size").count();
  const Node* divided = section.find("divided");
  const bool parts = divided != nullptr && std::get<bool>(divided->value);
  return parts && io_nodes > 0 ? size / io_nodes : size;
}

void check_cache(const Node& section, const char* where, std::uint64_t io_nodes,
                 std::vector<Diagnostic>& diagnostics) {
  const auto fault = [&](const char* key, const std::string& message) {
    diagnostics.push_back(
        {section.at(key)->origin.place(), fmt::format("io.cache.{}.{}: {}", where, key, message)});
  };
  const std::uint64_t size = size_of(section, io_nodes);
  const std::uint64_t block = bytes_at(section, "block").count();
  if (block > most_bytes_of_block) fault("block", fmt::format("{} B are too much; less than 4 GiB", block));
  if (size < block)
    fault("size", fmt::format("{} B are less than a block of {} B; 0 B means no cache", size, block));
  if (size / block > most_blocks) fault("size", fmt::format("more than {} blocks", most_blocks));
  if (time_at(section, "flush_interval") <= kernel::SimTime::zero())
    fault("flush_interval", "must be more than 0: changes would never stay");
  if (number_at(section, "low_water") > number_at(section, "high_water"))
    fault("low_water", "must be at most high_water");
}

pfs::CacheParameters parameters_of(const Node& cache, const char* where, std::uint64_t io_nodes) {
  pfs::CacheParameters parameters;
  const Node* section = cache_of(cache, where);
  if (section == nullptr) return parameters;
  parameters.blocks = size_of(*section, io_nodes) / bytes_at(*section, "block").count();
  const Node& ways = *section->at("associativity");
  parameters.ways = ways.text == "full" ? 0 : std::get<std::uint64_t>(ways.value);
  parameters.write_back = section->at("write")->text == "back";
  parameters.allocate = section->at("on_write_miss")->text == "allocate";
  parameters.read_ahead = integer_at(*section, "read_ahead");
  parameters.flush_interval = time_at(*section, "flush_interval");
  parameters.high_water = number_at(*section, "high_water");
  parameters.low_water = number_at(*section, "low_water");
  return parameters;
}

}  // namespace

void check_caches(const Node& cache, std::uint64_t io_nodes, std::vector<Diagnostic>& diagnostics) {
  const Node* cnode = cache_of(cache, "cnode");
  const Node* ionode = cache_of(cache, "ionode");
  if (cnode != nullptr) check_cache(*cnode, "cnode", io_nodes, diagnostics);
  if (ionode != nullptr) check_cache(*ionode, "ionode", io_nodes, diagnostics);
  if (cnode == nullptr || ionode == nullptr) return;
  const Node& block = *ionode->at("block");
  const std::uint64_t bytes = bytes_at(*cnode, "block").count();
  if (bytes_at(*ionode, "block").count() != bytes)
    diagnostics.push_back(
        {block.origin.place(), fmt::format("io.cache.ionode.block: must be that of io.cache.cnode: --set "
                                           "'io.cache.ionode.block={} B'",
                                           bytes)});
}

pfs::CachingParameters caching_parameters(const Node& cache, std::uint64_t io_nodes) {
  pfs::CachingParameters caching;
  caching.policy = cache.at("policy")->text;
  caching.coordinated = number_at(cache, "coordinated");
  caching.chances = static_cast<std::uint32_t>(integer_at(cache, "chances"));
  caching.coherence =
      cache.at("coherence")->text == "update" ? pfs::Coherence::update : pfs::Coherence::invalidate;
  caching.copy = per_byte_at(cache, "memory_bandwidth");
  caching.cnode = parameters_of(cache, "cnode", io_nodes);
  caching.ionode = parameters_of(cache, "ionode", io_nodes);
  for (const char* where : {"ionode", "cnode"})
    if (const Node* section = cache_of(cache, where)) caching.block = bytes_at(*section, "block").count();
  return caching;
}

}  // namespace mpisim::machine
