#include "app/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace mpisim::app {

std::string count(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

ByteUnit ByteUnit::for_largest(std::uint64_t largest) {
  static constexpr const char* names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  ByteUnit unit{names[0], 1};
  for (std::size_t i = 1; i < std::size(names) && static_cast<double>(largest) >= 1024 * unit.bytes; ++i)
    unit = {names[i], unit.bytes * 1024};
  return unit;
}

std::string ByteUnit::text(std::uint64_t amount) const {
  constexpr double least_shown = 0.05;  // of one decimal
  if (bytes == 1 || amount == 0) return count(amount);
  const double units = static_cast<double>(amount) / bytes;
  return units < least_shown ? "<0.1" : fmt::format("{:.1f}", units);
}

std::string TextTable::text() const {
  constexpr std::size_t indent = 2;
  std::vector<std::size_t> widths(heads_.size());
  std::vector<bool> shown(heads_.size());
  for (std::size_t column = 0; column < heads_.size(); ++column) {
    const std::size_t before = column == 0 ? indent : 0;
    widths[column] = heads_[column].size();
    shown[column] = column == 0;
    for (const auto& row : rows_) {
      widths[column] = std::max(widths[column], row[column].size() + before);
      shown[column] = shown[column] || row[column].find_first_not_of("0.") != std::string::npos;
    }
  }
  const auto line = [&](const std::vector<std::string>& cells, std::size_t before) {
    std::string text(indent, ' ');
    for (std::size_t column = 0; column < cells.size(); ++column) {
      if (!shown[column]) continue;
      text += column == 0 ? fmt::format("{:{}}{:<{}}", "", before, cells[column], widths[column] - before)
                          : fmt::format("  {:>{}}", cells[column], widths[column]);
    }
    return text + "\n";
  };
  std::string text = line(heads_, 0);
  for (const auto& row : rows_) text += line(row, indent);
  return text;
}

}  // namespace mpisim::app
