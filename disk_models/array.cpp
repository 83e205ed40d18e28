#include "disk_models/array.hpp"

#include <algorithm>
#include <queue>

namespace mpisim::disk {

using kernel::Bytes;
using kernel::SimTime;

namespace {

/// Joins it to the member's last request if it continues that.
void append(std::vector<MemberRequest>& requests, const MemberRequest& next) {
  const auto last = std::find_if(requests.rbegin(), requests.rend(),
                                 [&next](const MemberRequest& each) { return each.member == next.member; });
  if (last != requests.rend() &&
      last->request.address + last->request.bytes.count() == next.request.address) {
    last->request.bytes = last->request.bytes + next.request.bytes;
    return;
  }
  requests.push_back(next);
}

/// Calls visit(chunk number, offset in it, bytes) for each chunk that the request touches; at least once.
template <class Visit>
void for_each_chunk(const Request& request, std::uint64_t chunk, Visit&& visit) {
  const std::uint64_t end = request.address + request.bytes.count();
  std::uint64_t at = request.address;
  do {
    const std::uint64_t next = std::min(end, (at / chunk + 1) * chunk);
    visit(at / chunk, at % chunk, next - at);
    at = next;
  } while (at < end);
}

}  // namespace

Array::Array(const ArrayParameters& parameters, const Space& member)
    : parameters_(parameters), member_(member) {
  if (parameters_.level == RaidLevel::none) parameters_.members = 1;
}

Space Array::space() const {
  if (parameters_.level == RaidLevel::none || parameters_.level == RaidLevel::raid1) return member_;
  const std::uint64_t data_members = parameters_.members - (parameters_.level == RaidLevel::raid5 ? 1 : 0);
  const std::uint64_t row = data_members * parameters_.chunk;
  return {member_.bytes / parameters_.chunk * row, row, member_.cylinders};
}

std::vector<Chain> Array::plan(const Request& request) const {
  std::vector<Chain> chains;
  if (parameters_.level == RaidLevel::raid5 && request.write) {
    write_rows(request, chains);
    return chains;
  }
  Chain& chain = chains.emplace_back();
  switch (parameters_.level) {
    case RaidLevel::none:
      chain.first.push_back({0, request});
      break;
    case RaidLevel::raid0:
      striped(request, chain.first);
      break;
    case RaidLevel::raid1:
      mirrored(request, chain);
      break;
    case RaidLevel::raid5:
      read_rows(request, chain.first);
      break;
  }
  return chains;
}

void Array::striped(const Request& request, std::vector<MemberRequest>& out) const {
  for_each_chunk(
      request, parameters_.chunk, [&](std::uint64_t chunk, std::uint64_t offset, std::uint64_t bytes) {
        append(out,
               {static_cast<std::uint32_t>(chunk % parameters_.members),
                {chunk / parameters_.members * parameters_.chunk + offset, Bytes(bytes), request.write}});
      });
}

void Array::mirrored(const Request& request, Chain& out) const {
  if (!request.write) {
    out.first.push_back({any_member, request});
    return;
  }
  for (std::uint32_t member = 0; member < parameters_.members; ++member)
    out.first.push_back({member, request});
}

void Array::read_rows(const Request& request, std::vector<MemberRequest>& out) const {
  const std::uint64_t members = parameters_.members;
  for_each_chunk(request, parameters_.chunk,
                 [&](std::uint64_t chunk, std::uint64_t offset, std::uint64_t bytes) {
                   const std::uint64_t row = chunk / (members - 1);
                   const std::uint64_t parity = members - 1 - row % members;
                   append(out, {static_cast<std::uint32_t>((parity + 1 + chunk % (members - 1)) % members),
                                {row * parameters_.chunk + offset, Bytes(bytes), request.write}});
                 });
}

void Array::write_rows(const Request& request, std::vector<Chain>& out) const {
  const std::uint64_t row = row_bytes();
  const std::uint64_t end = request.address + request.bytes.count();
  const std::uint64_t first_whole = (request.address + row - 1) / row;
  const std::uint64_t end_whole = end / row;
  if (first_whole >= end_whole) {  // no whole row
    const std::uint64_t border = std::min(end, (request.address / row + 1) * row);
    out.push_back(write_part_of_row({request.address, Bytes(border - request.address), true}));
    if (border < end) out.push_back(write_part_of_row({border, Bytes(end - border), true}));
    return;
  }
  const std::uint64_t begin = first_whole * row;
  if (request.address < begin)
    out.push_back(write_part_of_row({request.address, Bytes(begin - request.address), true}));
  Chain& whole = out.emplace_back();
  for (std::uint32_t member = 0; member < parameters_.members; ++member)
    whole.first.push_back(
        {member,
         {first_whole * parameters_.chunk, Bytes((end_whole - first_whole) * parameters_.chunk), true}});
  if (end_whole * row < end)
    out.push_back(write_part_of_row({end_whole * row, Bytes(end - end_whole * row), true}));
}

/// Old data and parity are read, then both are written.
Chain Array::write_part_of_row(const Request& request) const {
  Chain chain;
  read_rows(request, chain.then);
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  for (const MemberRequest& each : chain.then) {
    begin = std::min(begin, each.request.address);
    end = std::max(end, each.request.address + each.request.bytes.count());
  }
  const std::uint64_t row = request.address / row_bytes();
  const auto parity = static_cast<std::uint32_t>(parameters_.members - 1 - row % parameters_.members);
  chain.then.push_back({parity, {begin, Bytes(end - begin), true}});
  chain.first = chain.then;
  for (MemberRequest& each : chain.first) each.request.write = false;
  return chain;
}

namespace {

class SerialArray final : public DiskModel {
 public:
  SerialArray(const ArrayParameters& parameters, const Factory& member)
      : array_(parameters, member()->space()) {
    for (std::uint32_t i = 0; i < array_.members(); ++i) members_.push_back({member(), {}});
  }
  Space space() const override { return array_.space(); }

  Service serve(const Request& request, SimTime start) override {
    struct Second {
      SimTime start;
      const std::vector<MemberRequest>* requests;
    };
    Service all;
    SimTime done = start;
    const std::vector<Chain> chains = array_.plan(request);
    // A member's services do not begin before those that it has been given before.
    std::vector<Second> seconds;
    for (const Chain& chain : chains) {
      const SimTime end = serve_all(chain.first, start, all);
      done = kernel::max(done, end);
      if (!chain.then.empty()) seconds.push_back({end, &chain.then});
    }
    std::stable_sort(seconds.begin(), seconds.end(),
                     [](const Second& a, const Second& b) { return a.start < b.start; });
    for (const Second& second : seconds)
      done = kernel::max(done, serve_all(*second.requests, second.start, all));
    all.time = done - start;
    return all;
  }

 private:
  struct Member {
    std::unique_ptr<DiskModel> disk;
    std::priority_queue<SimTime, std::vector<SimTime>, std::greater<>> ends;  ///< of what it serves

    SimTime serve(const Request& request, SimTime at, Service& all) {
      if (ends.size() == disk->depth()) {
        at = kernel::max(at, ends.top());
        ends.pop();
      }
      const Service service = disk->serve(request, at);
      all.seek = all.seek || service.seek;
      all.cylinders += service.cylinders;
      ends.push(at + service.time);
      return at + service.time;
    }
  };

  SimTime serve_all(const std::vector<MemberRequest>& requests, SimTime at, Service& all) {
    SimTime done = at;
    for (const MemberRequest& each : requests) {
      // Nothing else is asked of the array meanwhile: reads of a mirror go to its first member.
      Member& member = members_[each.member == any_member ? 0 : each.member];
      done = kernel::max(done, member.serve(each.request, at, all));
    }
    return done;
  }

  Array array_;
  std::vector<Member> members_;
};

}  // namespace

Factory array_factory(const ArrayParameters& parameters, const Factory& member) {
  if (parameters.level == RaidLevel::none) return member;
  return [parameters, member] { return std::make_unique<SerialArray>(parameters, member); };
}

}  // namespace mpisim::disk
