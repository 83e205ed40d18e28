#include "pfssim/disk_bus.hpp"

#include "pfssim/delays.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

DiskBus::DiskBus(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id), system_(system), io_node_(system.io_node(id - system.first_disk_bus())) {
  make_immediate();
}

void DiskBus::handle(kernel::Event* event) {
  auto* access = static_cast<Transaction*>(event);
  const SimTime passing = system_.parameters().disk_bus * kernel::Bytes(access->bytes);
  const bool write = access->operation == Operation::write;
  if (static_cast<EventKind>(event->kind) == EventKind::access) {
    const SimTime start = kernel::max(now(), free_);
    free_ = write ? start + passing : start;
    send(system_.disk(access->cell), until(start, now()), access);
    return;
  }
  if (!write) free_ = kernel::max(now(), free_ + passing);
  send(io_node_, until(write ? now() : free_, now()), access);
}

}  // namespace mpisim::pfs
