#include "simkernel/event.hpp"

#include <stdexcept>

namespace mpisim::kernel {

std::span<const std::byte> PacketReader::take(std::size_t size) {
  if (size > data_.size())
    throw std::out_of_range("packet between host processes is shorter than its contents say");
  const auto taken = data_.first(size);
  data_ = data_.subspan(size);
  return taken;
}

}  // namespace mpisim::kernel
