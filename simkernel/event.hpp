#pragma once
// Events: what logical processes send each other. Plain data; behaviour is in the LP that receives them.
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "simkernel/sim_time.hpp"

namespace mpisim::kernel {

using LpId = std::uint32_t;

/// Total order of all events of a simulation. It depends on nothing but the simulated history of the sources,
/// never on partition, host count or physical arrival: determinism comes from here. `sequence` counts the
/// events of one source.
struct EventKey {
  SimTime time;  ///< receive time
  LpId source = 0;
  std::uint64_t sequence = 0;
  auto operator<=>(const EventKey&) const = default;
};

/// Header of every event. Layers derive their own types and name them by `kind`, for which they register an
/// EventCodec.
struct Event {
  EventKey key;
  LpId destination = 0;
  std::uint16_t kind = 0;
};

/// Appends plain values to a packet.
class PacketWriter {
 public:
  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append(&value, sizeof value);
  }
  void append(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::byte*>(data);
    buffer_.insert(buffer_.end(), bytes, bytes + size);
  }
  /// A text with its length, for PacketReader::get_text.
  void put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    append(text.data(), text.size());
  }
  std::vector<std::byte>& buffer() { return buffer_; }

 private:
  std::vector<std::byte> buffer_;
};

/// Reads what a PacketWriter wrote, in the same order. Reading past the end throws std::out_of_range.
class PacketReader {
 public:
  explicit PacketReader(std::span<const std::byte> data) : data_(data) {}
  template <typename T>
  T get() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> take(std::size_t size);
  std::string get_text() {
    const auto bytes = take(get<std::uint64_t>());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  bool empty() const { return data_.empty(); }

 private:
  std::span<const std::byte> data_;
};

/// How events of one kind travel between host processes.
class EventCodec {
 public:
  virtual ~EventCodec() = default;
  /// Writes everything but key, destination and kind.
  virtual void encode(const Event& event, PacketWriter& out) const = 0;
  /// Makes the event again; the kernel fills key, destination and kind.
  virtual Event* decode(PacketReader& in) const = 0;
  /// Frees an event that was encoded or will not be delivered.
  virtual void dispose(Event* event) const = 0;
};

}  // namespace mpisim::kernel
