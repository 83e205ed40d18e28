#include "simkernel/arrival_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "simkernel/result_file.hpp"

namespace mpisim::kernel {

namespace {

constexpr char magic[8] = {'m', 'p', 'i', 's', 'i', 'm', 'o', '1'};

// Sorted times are close together: differences in groups of seven bits, lowest first.
void put_number(PacketWriter& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) out.put(static_cast<std::uint8_t>(value | 0x80U));
  out.put(static_cast<std::uint8_t>(value));
}

std::uint64_t get_number(PacketReader& in) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const auto byte = in.get<std::uint8_t>();
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if ((byte & 0x80U) == 0) return value;
  }
  throw std::out_of_range("a number is too long");
}

}  // namespace

void ArrivalOrder::sort() {
  for (auto& times : times_) std::sort(times.begin(), times.end());
}

std::vector<std::byte> ArrivalOrder::pack() const {
  PacketWriter out;
  put_number(out, times_.size());
  for (const auto& times : times_) {
    put_number(out, times.size());
    std::int64_t last = 0;
    for (const SimTime time : times) {
      put_number(out, static_cast<std::uint64_t>(time.ps() - last));
      last = time.ps();
    }
  }
  return std::move(out.buffer());
}

void ArrivalOrder::merge(const std::vector<std::byte>& packed) {
  PacketReader in(packed);
  const std::uint64_t lps = get_number(in);
  if (times_.size() < lps) times_.resize(lps);
  for (std::uint64_t lp = 0; lp < lps; ++lp) {
    std::int64_t time = 0;
    for (std::uint64_t left = get_number(in); left > 0; --left) {
      time += static_cast<std::int64_t>(get_number(in));
      times_[lp].push_back(SimTime::picoseconds(time));
    }
  }
}

void ArrivalOrder::save(const std::string& file) const {
  const std::vector<std::byte> packed = pack();
  write_result(file, [&packed](std::ostream& out) {
    out.write(magic, sizeof magic);
    out.write(reinterpret_cast<const char*>(packed.data()), static_cast<std::streamsize>(packed.size()));
  });
}

ArrivalOrder ArrivalOrder::load(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(fmt::format("cannot read {}: {}", file, std::strerror(errno)));
  std::vector<char> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (bytes.size() < sizeof magic || std::memcmp(bytes.data(), magic, sizeof magic) != 0)
    throw std::runtime_error(fmt::format(
        "{} is no recorded order; a run with --order FILE and another protocol than ideal writes one", file));
  std::vector<std::byte> packed(bytes.size() - sizeof magic);
  std::memcpy(packed.data(), bytes.data() + sizeof magic, packed.size());
  ArrivalOrder order;
  try {
    order.merge(packed);
  } catch (const std::out_of_range&) {
    throw std::runtime_error(fmt::format("{} is damaged: it ends too early", file));
  }
  return order;
}

}  // namespace mpisim::kernel
