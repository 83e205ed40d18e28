#include "mpisim/datatype.hpp"

#include <algorithm>
#include <cstring>

#include "mpisim/type_description.hpp"

namespace mpisim::mpi {
namespace {

/// Copies runs between memory and a packed buffer. The loops over equal short runs are compiled for the usual
/// lengths, so that a column of doubles costs a load and a store each.
template <bool packing>
class CopySink final : public RunSink {
 public:
  using Memory = std::conditional_t<packing, const char*, char*>;
  using Packed = std::conditional_t<packing, char*, const char*>;
  CopySink(Memory memory, Packed packed) : memory_(memory), packed_(packed) {}

  void runs(std::int64_t displacement, std::uint64_t length, std::int64_t stride,
            std::uint64_t count) override {
    Memory at = memory_ + displacement;
    switch (length) {
      case 4:
        return fixed<4>(at, stride, count);
      case 8:
        return fixed<8>(at, stride, count);
      case 16:
        return fixed<16>(at, stride, count);
      case 24:
        return fixed<24>(at, stride, count);
      case 32:
        return fixed<32>(at, stride, count);
      default:
        for (; count; --count, at += stride, packed_ += length) copy(at, length);
    }
  }

 private:
  template <std::size_t length>
  void fixed(Memory at, std::int64_t stride, std::uint64_t count) {
    Packed packed = packed_;
    for (; count; --count, at += stride, packed += length) {
      if constexpr (packing)
        std::memcpy(packed, at, length);
      else
        std::memcpy(at, packed, length);
    }
    packed_ = packed;
  }
  void copy(Memory at, std::uint64_t length) {
    if constexpr (packing)
      std::memcpy(packed_, at, length);
    else
      std::memcpy(at, packed_, length);
  }

  Memory memory_;
  Packed packed_;
};

}  // namespace

Datatype::Datatype() = default;
Datatype::~Datatype() = default;

TypeDescription& Datatype::description() {
  if (!description_) description_ = std::make_unique<TypeDescription>();
  return *description_;
}

void Datatype::visit(std::int64_t base, std::uint64_t offset, std::uint64_t bytes, RunSink& sink) const {
  if (bytes == 0) return;
  if (contiguous_) return sink.runs(base + static_cast<std::int64_t>(offset), bytes, 0, 1);
  std::uint64_t element = offset / size_;
  const std::uint64_t within = offset % size_;
  const auto at = [&] { return base + static_cast<std::int64_t>(element) * extent_; };
  if (within) {
    const std::uint64_t part = std::min(bytes, size_ - within);
    visit_element(at(), within, part, sink);
    bytes -= part;
    ++element;
  }
  const std::uint64_t whole = bytes / size_;
  if (single_run_ && whole) {
    sink.runs(at() + true_lower_bound_, size_, extent_, whole);
    element += whole;
  } else {
    for (std::uint64_t i = 0; i < whole; ++i, ++element) visit_element(at(), 0, size_, sink);
  }
  if (bytes % size_) visit_element(at(), 0, bytes % size_, sink);
}

void Datatype::pack(const void* source, std::uint64_t, std::uint64_t offset, std::uint64_t bytes,
                    void* packed) const {
  if (bytes == 0) return;
  if (contiguous_) {
    std::memcpy(packed, static_cast<const char*>(source) + offset, bytes);
    return;
  }
  CopySink<true> sink(static_cast<const char*>(source), static_cast<char*>(packed));
  visit(0, offset, bytes, sink);
}

void Datatype::unpack(void* target, std::uint64_t, std::uint64_t offset, std::uint64_t bytes,
                      const void* packed) const {
  if (bytes == 0) return;
  if (contiguous_) {
    std::memcpy(static_cast<char*>(target) + offset, packed, bytes);
    return;
  }
  CopySink<false> sink(static_cast<char*>(target), static_cast<const char*>(packed));
  visit(0, offset, bytes, sink);
}

}  // namespace mpisim::mpi
