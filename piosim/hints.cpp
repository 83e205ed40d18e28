#include "piosim/hints.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "piosim/collective.hpp"

namespace mpisim::pio {

namespace {

/// 0 where the hint is not given, or is no number.
std::uint64_t number_in(const mpi::Info& info, const char* hint) {
  std::uint64_t number = 0;
  if (const std::string* text = info.get(hint))
    std::from_chars(text->data(), text->data() + text->size(), number);
  return number;
}

}  // namespace

const char* word_of(Collective collective) {
  return algorithm_of(collective).name.c_str();
}

Hints Hints::of(const mpi::Info* info, const Config& machine) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  Hints hints{machine.collective, static_cast<std::uint32_t>(std::min(machine.aggregators, most)),
              machine.collective_buffer};
  if (info == nullptr) return hints;
  if (const std::string* word = info->get("mpisim_collective")) {
    hints.collective = find_collective(*word).value_or(hints.collective);
  }
  const std::string* buffering = info->get("collective_buffering");
  if (buffering && *buffering == "false" && hints.collective == Collective::two_phase)
    hints.collective = Collective::barrier;
  if (const std::uint64_t nodes = number_in(*info, "cb_nodes"); nodes != 0)
    hints.aggregators = static_cast<std::uint32_t>(std::min(nodes, most));
  if (const std::uint64_t bytes = number_in(*info, "cb_buffer_size"); bytes != 0)
    hints.collective_buffer = bytes;
  return hints;
}

pfs::ShapeHints shape_hints(const mpi::Info* info, const Config& machine) {
  pfs::ShapeHints asked;
  if (info == nullptr || machine.model != Model::pfs) return asked;
  const auto at_most = [info](const char* hint, std::uint64_t most) {
    const std::uint64_t number = number_in(*info, hint);
    return number <= most ? number : 0;
  };
  asked.cells = static_cast<std::uint32_t>(at_most("striping_factor", pfs::most_cells));
  asked.unit = number_in(*info, "striping_unit");
  // 0 is a disk.
  std::uint64_t disk = 0;
  if (const std::string* text = info->get("start_iodevice")) {
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), disk);
    if (error == std::errc() && disk < pfs::most_cells) asked.first = static_cast<std::uint32_t>(disk) + 1;
  }
  const std::vector<std::string> own = machine.pfs.layout->own_hints();
  for (std::size_t i = 0; i < own.size(); ++i)
    asked.own[i] =
        static_cast<std::uint16_t>(at_most(own[i].c_str(), std::numeric_limits<std::uint16_t>::max()));
  return asked;
}

void tell_shape(mpi::Info& info, const pfs::Shape& shape, const Config& machine) {
  if (shape.cells == 0) return;
  info.set("striping_factor", std::to_string(shape.cells));
  info.set("striping_unit", std::to_string(shape.unit));
  info.set("start_iodevice", std::to_string(shape.first));
  const std::vector<std::string> own = machine.pfs.layout->own_hints();
  for (std::size_t i = 0; i < own.size(); ++i) info.set(own[i], std::to_string(shape.own[i]));
}

}  // namespace mpisim::pio
