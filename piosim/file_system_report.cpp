#include "piosim/file_system_report.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mpisim::pio {

namespace {

std::vector<std::byte> pack(const FileSystemNotes& notes) {
  kernel::PacketWriter out;
  out.put(static_cast<std::uint64_t>(notes.nodes.size()));
  for (const pfs::Counting* node : notes.nodes) {
    out.put(node->statistics());
    const std::vector<pfs::FileStatistics> files = node->files();
    out.put(static_cast<std::uint64_t>(files.size()));
    for (const pfs::FileStatistics& file : files) out.put(file);
  }
  out.put(static_cast<std::uint64_t>(notes.paths.size()));
  for (const auto& [number, path] : notes.paths) {
    out.put(number);
    out.put_text(path);
  }
  return std::move(out.buffer());
}

void unpack(const std::vector<std::byte>& blob, FileSystemReport& report,
            std::map<std::uint32_t, FileReport>& files) {
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
  for (auto paths = in.get<std::uint64_t>(); paths > 0; --paths) {
    const auto number = in.get<std::uint32_t>();
    std::string& path = files[number].path;
    std::string other = in.get_text();
    if (path.empty() || other < path) path = std::move(other);
  }
}

}  // namespace

FileSystemReport gather_report(kernel::Engine& engine, const FileSystemNotes& notes) {
  FileSystemReport report;
  std::map<std::uint32_t, FileReport> files;
  if (engine.hosts() == 1) {
    unpack(pack(notes), report, files);
  } else {
    for (const std::vector<std::byte>& blob : engine.gather(pack(notes))) unpack(blob, report, files);
  }
  std::sort(report.nodes.begin(), report.nodes.end(), [](const auto& a, const auto& b) {
    return std::pair(a.kind, a.number) < std::pair(b.kind, b.number);
  });
  for (auto& [number, file] : files) report.files.push_back(std::move(file));
  return report;
}

}  // namespace mpisim::pio
