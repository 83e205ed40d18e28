#include "piosim/file_server.hpp"

#include <algorithm>
#include <filesystem>

namespace mpisim::pio {

FileCall* make_file_call(const FileCallData& data) {
  auto* call = new FileCall;
  static_cast<FileCallData&>(*call) = data;
  call->kind = file_call_kind;
  return call;
}

void dispose(FileCall* call) {
  delete call;
}

namespace {

/// What lies below the working directory is named from there: a prediction does not depend on where a program
/// is run.
std::string short_name(const std::string& path) {
  static const std::filesystem::path here = std::filesystem::current_path();
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  const auto [end, rest] = std::mismatch(here.begin(), here.end(), whole.begin(), whole.end());
  return end == here.end() && rest != whole.end() ? whole.lexically_relative(here).string() : whole.string();
}

}  // namespace

std::uint64_t name_of(const std::string& path) {
  constexpr std::uint64_t basis = 0xcbf29ce484222325;
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t hash = basis;
  for (const char letter : short_name(path)) hash = (hash ^ static_cast<unsigned char>(letter)) * prime;
  return hash;
}

FileServer::FileServer(kernel::Engine& engine, const FileService& service)
    : ComponentLp(engine, service.lp), service_(service) {}

FileServer::~FileServer() {
  for (auto& [file, locks] : locks_)
    for (const Lock& lock : locks) dispose(lock.waiting);
}

void FileServer::handle(kernel::Event* event) {
  auto* call = static_cast<FileCall*>(event);
  free_ = kernel::max(free_, now()) + service_.server_overhead;
  switch (call->operation) {
    case FileOperation::advance:
    case FileOperation::set: {
      std::uint64_t& pointer =
          pointers_.try_emplace({call->file, call->generation}, call->initial).first->second;
      const std::uint64_t before = pointer;
      pointer = call->operation == FileOperation::set ? call->value : before + call->value;
      call->value = before;
      answer(call);
      return;
    }
    case FileOperation::forget:
      forget(call->file);
      dispose(call);
      return;
    case FileOperation::lock:
      lock(call);
      return;
    case FileOperation::unlock:
      unlock(*call);
      dispose(call);
      return;
  }
}

void FileServer::answer(FileCall* call) {
  const kernel::LpId rank = call->key.source;
  send(rank, service_.arrival(service_.node, service_.nodes[rank], free_) - now(), call);
}

void FileServer::lock(FileCall* call) {
  Locks& locks = locks_[call->file];
  Lock fresh{++last_lock_, call->low, call->high, call->write, 0, call};
  for (const Lock& other : locks) fresh.earlier += fresh.conflicts_with(other) ? 1U : 0U;
  locks.push_back(fresh);
  if (fresh.earlier == 0) grant(locks.back());
}

void FileServer::grant(Lock& lock) {
  FileCall* call = std::exchange(lock.waiting, nullptr);
  call->value = lock.number;
  answer(call);
}

void FileServer::unlock(const FileCall& call) {
  const auto entry = locks_.find(call.file);
  Locks& locks = entry->second;
  const auto place =
      std::lower_bound(locks.begin(), locks.end(), call.value,
                       [](const Lock& lock, std::uint64_t number) { return lock.number < number; });
  const Lock gone = *place;
  for (auto later = locks.erase(place); later != locks.end(); ++later)
    if (later->conflicts_with(gone) && --later->earlier == 0) grant(*later);
  if (locks.empty()) locks_.erase(entry);
}

void FileServer::forget(std::uint64_t file) {
  pointers_.erase(pointers_.lower_bound({file, 0}), pointers_.upper_bound({file, ~std::uint32_t{0}}));
}

void FileCallCodec::encode(const kernel::Event& event, kernel::PacketWriter& out) const {
  out.put(static_cast<const FileCallData&>(static_cast<const FileCall&>(event)));
}

kernel::Event* FileCallCodec::decode(kernel::PacketReader& in) const {
  return make_file_call(in.get<FileCallData>());
}

void FileCallCodec::dispose(kernel::Event* event) const {
  pio::dispose(static_cast<FileCall*>(event));
}

}  // namespace mpisim::pio
