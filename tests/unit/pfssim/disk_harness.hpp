#pragma once
// A disk LP alone: accesses reach it at given times, without a network or an I/O node before it.
#include <memory>
#include <vector>

#include "pfssim/disk_unit.hpp"
#include "tests/unit/pfssim/support.hpp"

namespace mpisim::test {

/// Sends the accesses, and notes when each is answered.
class AccessSource final : public kernel::ComponentLp {
 public:
  AccessSource(kernel::Engine& engine, std::vector<Reply>& served)
      : ComponentLp(engine, 0), served_(served) {}
  void send_all(kernel::LpId disk, const std::vector<Ask>& asks) {
    for (std::size_t i = 0; i < asks.size(); ++i) {
      pfs::Transaction* access = pfs::make_transaction(asks[i].what, asks[i].list);
      access->ticket = static_cast<std::uint32_t>(i);
      access->kind = static_cast<std::uint16_t>(pfs::EventKind::access);
      send(disk, asks[i].at, access);
    }
  }

 protected:
  void handle(kernel::Event* event) override {
    auto* access = static_cast<pfs::Transaction*>(event);
    served_[access->ticket] = {now(), *access};
    pfs::dispose(access);
  }

 private:
  std::vector<Reply>& served_;
};

/// When the disk answers each access; `statistics`, if given, become those of the disk.
inline std::vector<Reply> served_by_disk(pfs::Parameters parameters, const std::vector<Ask>& asks,
                                         std::vector<pfs::DiskStatistics>* statistics = nullptr) {
  parameters.first_io_node = 1;
  const network::Hockney network({{kernel::Bytes(~0ULL), latency, kernel::ByteTime()}});
  std::vector<Reply> served(asks.size());
  kernel::Engine engine({.lookahead = latency, .local_lookahead = tick}, nullptr);
  const pfs::FileSystem system(parameters, network, {0}, 1);
  engine.place(std::vector<std::uint16_t>(1 + 1 + parameters.io_nodes + parameters.cells(), 0));
  AccessSource source(engine, served);
  engine.add(source);
  const auto lps = system.make(engine);
  for (const auto& lp : lps) engine.add(*lp);
  source.send_all(system.disk(0), asks);
  const auto protocol = kernel::make_protocol("sequential", 1);
  engine.run(*protocol);
  if (statistics != nullptr) *statistics = dynamic_cast<const pfs::DiskUnit&>(*lps.back()).statistics();
  return served;
}

}  // namespace mpisim::test
