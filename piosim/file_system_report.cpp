#include "piosim/file_system_report.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mpisim::pio {

namespace {

std::vector<std::byte> pack(const FileSystemNotes& notes, std::uint64_t most_ranks) {
  kernel::PacketWriter out;
  out.put(static_cast<std::uint64_t>(notes.nodes.size()));
  for (const pfs::Counting* node : notes.nodes) {
    out.put(node->statistics());
    const std::vector<pfs::FileStatistics> files = node->files();
    out.put(static_cast<std::uint64_t>(files.size()));
    for (const pfs::FileStatistics& file : files) out.put(file);
  }
  std::map<std::string, UsedFile> used;
  std::vector<RankUse> ranks;
  for (const auto& ledger : notes.ranks) {
    for (const RankLedger::Entry& each : ledger->files) {
      UsedFile& file = used[each.path];
      ++file.ranks;
      file.counts.add(each.counts);
    }
    if (static_cast<std::uint64_t>(ledger->rank) < most_ranks)
      ranks.push_back({ledger->rank, ledger->total()});
  }
  out.put(static_cast<std::uint64_t>(ranks.size()));
  for (const RankUse& rank : ranks) out.put(rank);
  out.put(static_cast<std::uint64_t>(used.size()));
  for (const auto& [path, file] : used) {
    out.put_text(path);
    out.put(file.ranks);
    out.put(file.counts);
  }
  out.put(static_cast<std::uint64_t>(notes.paths.size()));
  for (const auto& [number, path] : notes.paths) {
    out.put(number);
    out.put_text(path);
  }
  return std::move(out.buffer());
}

void unpack(const std::vector<std::byte>& blob, FileSystemReport& report,
            std::map<std::uint32_t, FileReport>& files, std::map<std::string, UsedFile>& used) {
  kernel::PacketReader in(blob);
  for (auto nodes = in.get<std::uint64_t>(); nodes > 0; --nodes) {
    report.nodes.push_back(in.get<pfs::NodeStatistics>());
    for (auto count = in.get<std::uint64_t>(); count > 0; --count) {
      const auto file = in.get<pfs::FileStatistics>();
      FileReport& all = files[file.file];
      all.requests.add(file.requests);
      all.served.add(file.served);
    }
  }
  for (auto ranks = in.get<std::uint64_t>(); ranks > 0; --ranks) report.ranks.push_back(in.get<RankUse>());
  for (auto count = in.get<std::uint64_t>(); count > 0; --count) {
    std::string path = in.get_text();
    UsedFile& file = used[path];
    file.path = std::move(path);
    file.ranks += in.get<std::uint64_t>();
    file.counts.add(in.get<FileUseCounts>());
  }
  for (auto paths = in.get<std::uint64_t>(); paths > 0; --paths) {
    const auto number = in.get<std::uint32_t>();
    std::string& path = files[number].path;
    std::string other = in.get_text();
    if (path.empty() || other < path) path = std::move(other);
  }
}

}  // namespace

FileSystemReport gather_report(kernel::Engine& engine, const FileSystemNotes& notes,
                               std::uint64_t most_ranks) {
  FileSystemReport report;
  std::map<std::uint32_t, FileReport> files;
  std::map<std::string, UsedFile> used;
  if (engine.hosts() == 1) {
    unpack(pack(notes, most_ranks), report, files, used);
  } else {
    for (const std::vector<std::byte>& blob : engine.gather(pack(notes, most_ranks)))
      unpack(blob, report, files, used);
  }
  std::sort(report.nodes.begin(), report.nodes.end(), [](const auto& a, const auto& b) {
    return std::pair(a.kind, a.number) < std::pair(b.kind, b.number);
  });
  std::sort(report.ranks.begin(), report.ranks.end(),
            [](const RankUse& a, const RankUse& b) { return a.rank < b.rank; });
  for (auto& [path, file] : used) report.used.push_back(std::move(file));
  for (auto& [number, file] : files) report.files.push_back(std::move(file));
  return report;
}

}  // namespace mpisim::pio
