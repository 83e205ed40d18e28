#include "simkernel/node_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <string>

namespace mpisim::kernel {

namespace {
constexpr std::size_t stamp_bytes = 64;  // in front of the data, a cache line of its own
}

NodeMemory::~NodeMemory() {
  seal();
  if (base_ != nullptr) munmap(base_, size_);
}

bool NodeMemory::map(int descriptor, std::size_t size) {
  void* base = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (base == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(base);
  size_ = size;
  return true;
}

bool NodeMemory::make(std::size_t size) {
  const int descriptor = memfd_create("mpisim", MFD_CLOEXEC);
  if (descriptor < 0) return false;
  if (ftruncate(descriptor, static_cast<off_t>(size + stamp_bytes)) != 0 ||
      !map(descriptor, size + stamp_bytes)) {
    close(descriptor);
    return false;
  }
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  key_ = {getpid(), descriptor, static_cast<std::uint64_t>(now)};
  std::memcpy(base_, &key_.stamp, sizeof key_.stamp);
  return true;
}

bool NodeMemory::open(const Key& key, std::size_t size) {
  const std::string path = "/proc/" + std::to_string(key.process) + "/fd/" + std::to_string(key.descriptor);
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return false;
  const off_t length = lseek(descriptor, 0, SEEK_END);
  const bool mapped = length == static_cast<off_t>(size + stamp_bytes) && map(descriptor, size + stamp_bytes);
  close(descriptor);
  if (!mapped) return false;
  std::uint64_t stamp = 0;
  std::memcpy(&stamp, base_, sizeof stamp);
  return stamp == key.stamp;
}

void NodeMemory::seal() {
  if (key_.descriptor >= 0) close(key_.descriptor);
  key_.descriptor = -1;
}

std::byte* NodeMemory::data() const {
  return base_ == nullptr ? nullptr : base_ + stamp_bytes;
}

}  // namespace mpisim::kernel
