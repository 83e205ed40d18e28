#include "mpisim/compute_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "simkernel/event.hpp"
#include "simkernel/result_file.hpp"

namespace mpisim::mpi {

using kernel::SimTime;

namespace {
constexpr const char* header = "mpisim compute record 1";
}

void ComputeRecord::load(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw WrongRecord(fmt::format("{}: cannot be read; make it with --record {}", file, file));
  std::string line;
  if (!std::getline(in, line) || line != header) {
    throw WrongRecord(
        fmt::format("{}:1: not a compute record (the first line must be \"{}\")", file, header));
  }
  for (int number = 2; std::getline(in, line); ++number) {
    std::istringstream fields(line);
    std::uint64_t site = 0;
    int rank = 0;
    if (!(fields >> std::hex >> site >> std::dec >> rank)) {
      throw WrongRecord(fmt::format("{}:{}: expected \"SITE RANK PICOSECONDS...\"", file, number));
    }
    for (std::int64_t ps = 0; fields >> ps;) add(rank, site, SimTime::picoseconds(ps));
    if (!fields.eof())
      throw WrongRecord(fmt::format("{}:{}: a duration is not a whole number", file, number));
  }
}

void ComputeRecord::save(const std::string& file) const {
  kernel::write_result(file, [this](std::ostream& out) {
    out << header << '\n';
    for (const auto& [site, entry] : sites_) {
      for (const auto& [rank, visits] : entry.visits) {
        out << fmt::format("{:x} {}", site, rank);
        for (const SimTime duration : visits) out << ' ' << duration.ps();
        out << '\n';
      }
    }
  });
}

void ComputeRecord::add(int rank, std::uint64_t site, SimTime duration) {
  Site& entry = sites_[site];
  entry.visits[rank].push_back(duration);
  entry.total += duration;
  ++entry.count;
}

SimTime ComputeRecord::find(int rank, std::uint64_t site, std::uint32_t visit) {
  const auto entry = sites_.find(site);
  if (entry == sites_.end()) {
    ++missing_;
    return SimTime::zero();
  }
  const auto visits = entry->second.visits.find(rank);
  if (visits != entry->second.visits.end() && visit < visits->second.size()) return visits->second[visit];
  ++missing_;
  return SimTime::picoseconds(entry->second.total.ps() / std::max<std::int64_t>(1, entry->second.count));
}

std::vector<std::byte> ComputeRecord::pack() const {
  kernel::PacketWriter out;
  for (const auto& [site, entry] : sites_) {
    for (const auto& [rank, visits] : entry.visits) {
      out.put(site);
      out.put(rank);
      out.put(static_cast<std::uint64_t>(visits.size()));
      for (const SimTime duration : visits) out.put(duration);
    }
  }
  return std::move(out.buffer());
}

void ComputeRecord::merge(const std::vector<std::byte>& packed) {
  kernel::PacketReader in(packed);
  while (!in.empty()) {
    const auto site = in.get<std::uint64_t>();
    const auto rank = in.get<int>();
    for (auto left = in.get<std::uint64_t>(); left > 0; --left) add(rank, site, in.get<SimTime>());
  }
}

}  // namespace mpisim::mpi
