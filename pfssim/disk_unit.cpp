#include "pfssim/disk_unit.hpp"

#include <algorithm>

#include "pfssim/delays.hpp"

namespace mpisim::pfs {

DiskUnit::DiskUnit(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id), disk_(system.parameters().disk) {
  make_immediate();
}

DiskUnit::~DiskUnit() {
  for (auto& [meeting, accesses] : meetings_)
    for (Transaction* access : accesses) dispose(access);
}

void DiskUnit::handle(kernel::Event* event) {
  auto* access = static_cast<Transaction*>(event);
  if (access->members > 0) {
    meet(access);
    return;
  }
  if (access->list.empty()) serve(*access, {access->offset, access->bytes});
  for (const Range& range : access->list) serve(*access, range);
  answer(access, free_);
}

/// After what the disk has been given before; counted for `access`.
void DiskUnit::serve(Transaction& access, const Range& range) {
  const bool write = access.operation == Operation::write;
  const kernel::SimTime start = kernel::max(now(), free_);
  const disk::Service service = disk_.serve(access.file, range.offset, range.bytes, write, start);
  free_ = start + service.time;
  ++(write ? access.tally.writes : access.tally.reads);
  if (service.seek) ++access.tally.seeks;
}

void DiskUnit::answer(Transaction* access, kernel::SimTime at) {
  access->kind = static_cast<std::uint16_t>(EventKind::served);
  access->list.clear();
  const kernel::LpId io_node = access->key.source;
  send(io_node, until(at, now()), access);
}

void DiskUnit::meet(Transaction* access) {
  const auto entry = meetings_.try_emplace({access->meeting, access->turn}).first;
  entry->second.push_back(access);
  if (entry->second.size() < access->members) return;
  const std::vector<Transaction*> accesses = std::move(entry->second);
  meetings_.erase(entry);
  serve_together(accesses);
}

void DiskUnit::serve_together(const std::vector<Transaction*>& accesses) {
  struct Wish {
    Range range;
    std::size_t access;
  };
  std::vector<Wish> wishes;
  for (std::size_t i = 0; i < accesses.size(); ++i)
    for (const Range& range : accesses[i]->list) wishes.push_back({range, i});
  std::stable_sort(wishes.begin(), wishes.end(),
                   [](const Wish& a, const Wish& b) { return a.range.offset < b.range.offset; });
  std::vector<kernel::SimTime> done(accesses.size(), now());
  for (std::size_t first = 0; first < wishes.size();) {
    std::uint64_t end = wishes[first].range.offset + wishes[first].range.bytes;
    std::size_t next = first + 1;
    for (; next < wishes.size() && wishes[next].range.offset <= end; ++next)
      end = std::max(end, wishes[next].range.offset + wishes[next].range.bytes);
    const std::uint64_t begin = wishes[first].range.offset;
    serve(*accesses[wishes[first].access], {begin, end - begin});
    for (; first < next; ++first) done[wishes[first].access] = free_;
  }
  for (std::size_t i = 0; i < accesses.size(); ++i) answer(accesses[i], done[i]);
}

}  // namespace mpisim::pfs
