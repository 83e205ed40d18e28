#pragma once
// Random requests of several ranks that share few blocks, and what must hold of their replies.
#include <map>
#include <utility>
#include <vector>

#include "tests/unit/pfssim/support.hpp"

namespace mpisim::test {

/// Requests stay within blocks of so many bytes.
inline constexpr std::uint64_t random_block = 1000;

/// Reads and writes within blocks of few files, from all askers at random times, many of them equal, often of
/// blocks that others use; every tag once.
inline Setup random_requests(std::uint64_t seed, const pfs::CachingParameters& caching,
                             std::size_t requests) {
  using namespace kernel::literals;
  using pfs::Operation;
  constexpr std::uint64_t block = random_block;
  std::uint64_t state = seed;
  const auto below = [&state](std::uint64_t bound) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % bound;
  };
  Setup setup;
  setup.parameters.io_nodes = 1 + static_cast<std::uint32_t>(seed % 3);
  setup.parameters.stripe_unit = seed % 2 == 0 ? block : 2 * block;
  setup.parameters.server_overhead = seed % 4 == 0 ? 0_ps : 30_us;
  setup.parameters.client_overhead = 5_us;
  setup.parameters.header = kernel::Bytes(100);
  setup.parameters.disk = analytic_disk(1_ms, 5_ms, 1e6);
  setup.parameters.caching = caching;
  for (network::NodeId asker = 0; asker < 6; ++asker) {
    setup.node_of_asker.push_back(asker / 2);  // two on each node
    std::vector<Ask> asks;
    for (std::size_t i = 0; i < requests; ++i) {
      const kernel::SimTime at = 100_us * static_cast<std::int64_t>(1 + below(requests * 20));
      const std::uint64_t begin = below(4) == 0 ? below(900) : 0;
      const std::uint64_t end = below(4) == 0 ? begin + 1 + below(block - begin) : block;
      pfs::TransactionData what =
          data(below(3) == 0 ? Operation::write : Operation::read, static_cast<std::uint32_t>(below(2)),
               below(14) * block + begin, end - begin);
      what.tag = static_cast<std::uint32_t>(i + 1);
      asks.push_back({at, what});
    }
    setup.asks.push_back(std::move(asks));
  }
  return setup;
}

/// Requests that read what was older than a write that had been answered before they began.
inline int stale_reads(const Setup& setup, const std::vector<std::vector<Reply>>& replies) {
  struct Done {
    kernel::SimTime at;
    std::uint64_t version;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Done>> writes;
  const auto block_of = [](const pfs::TransactionData& what) {
    return std::pair{what.file, what.offset / random_block};
  };
  for (std::size_t asker = 0; asker < replies.size(); ++asker)
    for (const Reply& reply : replies[asker]) {
      const Ask& ask = setup.asks[asker][reply.what.tag - 1];
      if (ask.what.operation == pfs::Operation::write)
        writes[block_of(ask.what)].push_back({reply.at, reply.what.version});
    }
  int stale = 0;
  for (std::size_t asker = 0; asker < replies.size(); ++asker)
    for (const Reply& reply : replies[asker]) {
      const Ask& ask = setup.asks[asker][reply.what.tag - 1];
      if (ask.what.operation != pfs::Operation::read) continue;
      for (const Done& write : writes[block_of(ask.what)])
        if (write.at <= ask.at && write.version > reply.what.version) ++stale;
    }
  return stale;
}

inline std::map<std::uint32_t, std::pair<kernel::SimTime, std::uint64_t>> by_tag(
    const std::vector<Reply>& replies) {
  std::map<std::uint32_t, std::pair<kernel::SimTime, std::uint64_t>> all;
  for (const Reply& reply : replies) all[reply.what.tag] = {reply.at, reply.what.version};
  return all;
}

inline bool same(const std::vector<std::vector<Reply>>& a, const std::vector<std::vector<Reply>>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (by_tag(a[i]) != by_tag(b[i])) return false;
  return a.size() == b.size();
}

}  // namespace mpisim::test
