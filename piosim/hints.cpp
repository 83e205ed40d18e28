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

using Use = Hints::Use;

constexpr const char* use_words[] = {"automatic", "enable", "disable"};

Use use_in(const mpi::Info& info, const char* hint) {
  if (const std::string* text = info.get(hint))
    for (const Use use : {Use::enable, Use::disable})
      if (*text == use_words[static_cast<std::size_t>(use)]) return use;
  return Use::automatic;
}

bool is(const mpi::Info& info, const char* hint, std::string_view value) {
  const std::string* text = info.get(hint);
  return text != nullptr && *text == value;
}

/// What `info` says of two-phase operations. The hint that names an implementation goes before.
void choose_buffering(const mpi::Info& info, Hints& hints) {
  Hints::Uses& uses = hints.buffering;
  uses = {use_in(info, "romio_cb_read"), use_in(info, "romio_cb_write")};
  if (is(info, "collective_buffering", "false")) uses = {Use::disable, Use::disable};
  if (is(info, "romio_no_indep_rw", "true")) uses = {Use::enable, Use::enable};
  const bool named = info.get("mpisim_collective") != nullptr;
  const auto choose = [named](Collective& collective, Use use) {
    if (use == Use::disable && collective == Collective::two_phase) collective = Collective::barrier;
    if (use == Use::enable && !named) collective = Collective::two_phase;
  };
  choose(hints.reads, uses.reads);
  choose(hints.writes, uses.writes);
}

}  // namespace

const char* word_of(Collective collective) {
  return algorithm_of(collective).name.c_str();
}

Hints Hints::of(const mpi::Info* info, const Config& machine) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  Hints hints{machine.collective,
              machine.collective,
              static_cast<std::uint32_t>(std::min(machine.aggregators, most)),
              std::min(machine.collective_buffer, largest_buffer),
              {},
              {}};
  if (info == nullptr) return hints;
  if (const std::string* word = info->get("mpisim_collective")) {
    hints.reads = hints.writes = find_collective(*word).value_or(machine.collective);
  }
  choose_buffering(*info, hints);
  hints.sieving = {use_in(*info, "romio_ds_read"), use_in(*info, "romio_ds_write")};
  if (const std::uint64_t nodes = number_in(*info, "cb_nodes"); nodes != 0)
    hints.aggregators = static_cast<std::uint32_t>(std::min(nodes, most));
  if (const std::uint64_t bytes = number_in(*info, "cb_buffer_size"); bytes != 0)
    hints.collective_buffer = std::min(bytes, largest_buffer);
  return hints;
}

std::uint64_t Hints::packed_buffer() const {
  std::uint64_t uses = 0;
  for (const Use use : {sieving.writes, sieving.reads, buffering.writes, buffering.reads})
    uses = uses << 2 | static_cast<std::uint64_t>(use);
  return (uses << 4 | static_cast<std::uint64_t>(writes)) << buffer_bits | collective_buffer;
}

Hints Hints::unpacked(std::uint64_t number, std::uint64_t buffer) {
  const auto use = [uses = buffer >> (buffer_bits + 4)](unsigned at) {
    return static_cast<Use>(uses >> (2 * at) & 3);
  };
  return {.reads = static_cast<Collective>(number >> 32 & 0xf),
          .writes = static_cast<Collective>(buffer >> buffer_bits & 0xf),
          .aggregators = static_cast<std::uint32_t>(number),
          .collective_buffer = buffer & largest_buffer,
          .buffering = {use(0), use(1)},
          .sieving = {use(2), use(3)}};
}

void tell_hints(mpi::Info& info, const Hints& hints, const mpi::Info& asked, std::uint64_t ranks) {
  // What ROMIO takes where nothing is asked for.
  constexpr const char* read_buffer = "4194304";
  constexpr const char* write_buffer = "524288";
  const auto tell_use = [&info](const char* hint, Use use) {
    info.set(hint, use_words[static_cast<std::size_t>(use)]);
  };
  const auto tell_number = [&](const char* hint, const char* otherwise) {
    const std::uint64_t number = number_in(asked, hint);
    info.set(hint, number == 0 ? otherwise : std::to_string(number));
  };
  const bool reads = hints.collective_of(false) == Collective::two_phase;
  const bool writes = hints.collective_of(true) == Collective::two_phase;
  // The name is for both directions; where they differ, the hints of each tell them.
  if (hints.reads == hints.writes) info.set("mpisim_collective", word_of(hints.writes));
  info.set("collective_buffering", reads || writes ? "true" : "false");
  tell_use("romio_cb_read", reads ? hints.buffering.reads : Use::disable);
  tell_use("romio_cb_write", writes ? hints.buffering.writes : Use::disable);
  info.set("romio_no_indep_rw", is(asked, "romio_no_indep_rw", "true") ? "true" : "false");
  if (reads || writes) {
    const std::uint64_t aggregators = hints.aggregators;
    info.set("cb_nodes", std::to_string(aggregators == 0 ? ranks : std::min(aggregators, ranks)));
    info.set("cb_config_list", "*:*");  // any rank of any node may be one
    if (hints.collective_buffer != 0) info.set("cb_buffer_size", std::to_string(hints.collective_buffer));
  }
  tell_use("romio_ds_read", hints.sieving.reads);
  tell_use("romio_ds_write", hints.sieving.writes);
  tell_number("ind_rd_buffer_size", read_buffer);
  tell_number("ind_wr_buffer_size", write_buffer);
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
