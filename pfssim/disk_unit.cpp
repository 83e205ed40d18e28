#include "pfssim/disk_unit.hpp"

#include "pfssim/delays.hpp"

namespace mpisim::pfs {

DiskUnit::DiskUnit(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id), disk_(system.parameters().disk) {
  make_immediate();
}

void DiskUnit::handle(kernel::Event* event) {
  auto* access = static_cast<Transaction*>(event);
  const bool write = access->operation == Operation::write;
  const kernel::SimTime start = kernel::max(now(), free_);
  const disk::Service service = disk_.serve(access->file, access->offset, access->bytes, write, start);
  free_ = start + service.time;
  ++(write ? access->tally.writes : access->tally.reads);
  if (service.seek) ++access->tally.seeks;
  access->kind = static_cast<std::uint16_t>(EventKind::served);
  const kernel::LpId io_node = access->key.source;
  send(io_node, until(free_, now()), access);
}

}  // namespace mpisim::pfs
