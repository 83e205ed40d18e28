#include "pfssim/disk_unit.hpp"

#include <algorithm>

#include "pfssim/delays.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

namespace {

/// The runs of bytes that the accesses' lists touch, by ascending address.
template <class Run>
std::vector<Run> runs_of(const std::vector<Transaction*>& accesses) {
  struct Wish {
    Range range;
    std::size_t access;
  };
  std::vector<Wish> wishes;
  for (std::size_t i = 0; i < accesses.size(); ++i)
    for (const Range& range : accesses[i]->list) wishes.push_back({range, i});
  std::stable_sort(wishes.begin(), wishes.end(),
                   [](const Wish& a, const Wish& b) { return a.range.offset < b.range.offset; });
  std::vector<Run> runs;
  std::vector<std::size_t> runs_asked(accesses.size(), 0);  // by access: number of its last run
  std::uint64_t end = 0;
  for (const Wish& wish : wishes) {
    if (runs.empty() || wish.range.offset > end) {
      runs.push_back({wish.range, {}});
      end = wish.range.offset;
    }
    Run& run = runs.back();
    end = std::max(end, wish.range.offset + wish.range.bytes);
    run.range.bytes = end - run.range.offset;
    if (runs_asked[wish.access] == runs.size()) continue;
    runs_asked[wish.access] = runs.size();
    run.askers.push_back(accesses[wish.access]);
  }
  return runs;
}

void tally(Transaction& access, bool write, const disk::Service& service) {
  ++(write ? access.tally.writes : access.tally.reads);
  if (service.seek) ++access.tally.seeks;
}

}  // namespace

DiskUnit::DiskUnit(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id),
      io_node_((id - system.disk(0)) % system.parameters().io_nodes),
      number_((id - system.disk(0)) / system.parameters().io_nodes),
      disk_(system.parameters().disk_of(io_node_)),
      one_disk_(system.parameters().raid.level == disk::RaidLevel::none),
      placement_(system.parameters().cell_space()) {
  const Parameters& parameters = system.parameters();
  if (parameters.queue.choice != disk::Choice::none || !one_disk_)
    queue_ = std::make_unique<DiskArray>(parameters.raid, parameters.disk_of(io_node_), parameters.queue);
  else if (!parameters.buffers_writes())
    expect_order();  // from the I/O node; what leaves its buffer overtakes what its processor still works on
  make_immediate();
}

DiskUnit::~DiskUnit() {
  for (auto& [meeting, accesses] : meetings_)
    for (Transaction* access : accesses) dispose(access);
  for (auto& [access, runs] : unserved_) dispose(access);
}

std::vector<DiskStatistics> DiskUnit::statistics() const {
  std::vector<DiskStatistics> all;
  if (!queue_) all.push_back(meter_.statistics);
  if (queue_)
    for (const DiskQueue& member : queue_->members()) all.push_back(member.statistics());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].io_node = io_node_;
    all[i].disk = number_;
    all[i].member = static_cast<std::uint32_t>(i);
  }
  return all;
}

void DiskUnit::handle(kernel::Event* event) {
  auto* access = static_cast<Transaction*>(event);
  if (static_cast<EventKind>(event->kind) == EventKind::finished) {
    finish(access->cell, access->ticket);
    dispose(access);
    return;
  }
  if (access->members > 0) {
    meet(access);
    return;
  }
  if (queue_) {
    if (access->list.empty()) access->list.push_back({access->offset, access->bytes});
    unserved_[access] = static_cast<std::uint32_t>(access->list.size());
    for (const Range& range : access->list) enqueue({range, {access}});
    return;
  }
  SimTime done = now();
  if (access->list.empty()) done = serve(*access, {access->offset, access->bytes});
  for (const Range& range : access->list) done = kernel::max(done, serve(*access, range));
  answer(access, done);
}

/// After what the disk has been given before; counted for `access`. Returns the end.
SimTime DiskUnit::serve(Transaction& access, const Range& range) {
  SimTime start = now();
  if (ends_.size() == disk_.depth()) {
    start = kernel::max(start, ends_.top());
    ends_.pop();
  }
  const bool write = access.operation == Operation::write;
  const disk::Service service = disk_.serve(access.file, range.offset, range.bytes, write, start);
  tally(access, write, service);
  meter_.served({range.offset, kernel::Bytes(range.bytes), write}, service, now(), start);
  meter_.joined(now(), start);
  ends_.push(start + service.time);
  return start + service.time;
}

void DiskUnit::enqueue(Run run) {
  const Transaction& access = *run.askers.front();
  const std::uint32_t place = queued_.take();
  queued_[place] = {std::move(run.askers), 0, false};
  std::vector<DiskArray::Started> started;
  const bool write = access.operation == Operation::write;
  DiskQueue::Counted counted = kernel::Bytes(run.range.bytes);
  placement_.for_each_piece(access.file, run.range.offset, run.range.bytes, write,
                            [&](const disk::Request& piece) {
                              queued_[place].chains += queue_->add(piece, place, now(), counted, started);
                              counted.reset();
                            });
  begin(started);
}

void DiskUnit::begin(const std::vector<DiskArray::Started>& services) {
  for (const DiskArray::Started& service : services) {
    TransactionData data;
    data.cell = service.member;
    data.ticket = service.operation;
    Transaction* end = make_transaction(data);
    end->kind = static_cast<std::uint16_t>(EventKind::finished);
    send(id(), until(service.end, now()), end);
  }
}

void DiskUnit::finish(std::uint32_t member, std::uint32_t operation) {
  std::vector<DiskArray::Started> started;
  const DiskArray::Finished finished = queue_->finish(member, operation, now(), started);
  Queued& run = queued_[finished.token];
  // Of one disk, what goes on at its beginning is one request.
  if (!one_disk_ || !run.counted) tally(*run.askers.front(), finished.write, finished.service);
  run.counted = true;
  if (finished.chain_done && --run.chains == 0) {
    complete(run);
    queued_.release(finished.token);
  }
  begin(started);
}

void DiskUnit::complete(Queued& run) {
  for (Transaction* access : run.askers) {
    const auto left = unserved_.find(access);
    if (--left->second > 0) continue;
    unserved_.erase(left);
    answer(access, now());
  }
  run.askers.clear();
}

void DiskUnit::answer(Transaction* access, SimTime at) {
  access->kind = static_cast<std::uint16_t>(EventKind::served);
  access->list.clear();
  const kernel::LpId asker = access->key.source;  // the I/O node, or the bus
  send(asker, until(at, now()), access);
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
  std::vector<Run> runs = runs_of<Run>(accesses);
  std::unordered_map<Transaction*, SimTime> done;
  if (queue_) {
    for (const Run& run : runs)
      for (Transaction* access : run.askers) ++unserved_[access];
    for (Transaction* access : accesses)
      if (!unserved_.contains(access)) answer(access, now());
    for (Run& run : runs) enqueue(std::move(run));
    return;
  }
  for (const Run& run : runs) {
    const SimTime end = serve(*run.askers.front(), run.range);
    for (Transaction* access : run.askers) {
      SimTime& last = done[access];
      last = kernel::max(last, end);
    }
  }
  for (Transaction* access : accesses) answer(access, kernel::max(done[access], now()));
}

}  // namespace mpisim::pfs
