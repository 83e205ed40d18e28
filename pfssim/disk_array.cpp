#include "pfssim/disk_array.hpp"

#include <utility>

namespace mpisim::pfs {

DiskArray::DiskArray(const disk::ArrayParameters& array, const disk::Factory& disk,
                     const disk::Discipline& discipline)
    : array_(array, disk()->space()), one_disk_(array.level == disk::RaidLevel::none) {
  for (std::uint32_t i = 0; i < array_.members(); ++i) members_.emplace_back(disk(), discipline);
}

std::uint32_t DiskArray::add(const disk::Request& request, std::uint32_t token, kernel::SimTime now,
                             const DiskQueue::Counted& counted, std::vector<Started>& started) {
  std::vector<disk::Chain> chains = array_.plan(request);
  for (disk::Chain& chain : chains) {
    const std::uint32_t place = chains_.take();
    chains_[place] = {token, static_cast<std::uint32_t>(chain.first.size()), std::move(chain.then)};
    queue(chain.first, place, now, one_disk_ ? &counted : nullptr, started);
  }
  return static_cast<std::uint32_t>(chains.size());
}

void DiskArray::queue(const std::vector<disk::MemberRequest>& requests, std::uint32_t chain,
                      kernel::SimTime now, const DiskQueue::Counted* counted, std::vector<Started>& started) {
  for (const disk::MemberRequest& each : requests) {
    const std::uint32_t member = each.member == disk::any_member ? choose(each.request.address) : each.member;
    const DiskQueue::Counted own = each.request.bytes;
    if (const auto service =
            members_[member].add(each.request, chain, now, counted == nullptr ? own : *counted))
      started.push_back({service->end, member, service->operation});
  }
}

std::uint32_t DiskArray::choose(std::uint64_t address) const {
  std::uint32_t best = 0;
  for (std::uint32_t i = 1; i < members_.size(); ++i) {
    const std::pair<std::uint32_t, std::uint64_t> here{members_[i].length(), members_[i].distance(address)};
    if (here < std::pair{members_[best].length(), members_[best].distance(address)}) best = i;
  }
  return best;
}

DiskArray::Finished DiskArray::finish(std::uint32_t member, std::uint32_t operation, kernel::SimTime now,
                                      std::vector<Started>& started) {
  const DiskQueue::Finished done = members_[member].finish(operation, now);
  if (done.next) started.push_back({done.next->end, member, done.next->operation});
  Underway& chain = chains_[done.token];
  Finished finished{chain.token, done.service, done.write, false};
  if (--chain.left > 0) return finished;
  if (chain.then.empty()) {
    finished.chain_done = true;
    chains_.release(done.token);
    return finished;
  }
  const std::vector<disk::MemberRequest> then = std::exchange(chain.then, {});
  chain.left = static_cast<std::uint32_t>(then.size());
  queue(then, done.token, now, nullptr, started);
  return finished;
}

}  // namespace mpisim::pfs
