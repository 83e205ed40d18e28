#pragma once
// Tables of a report for people: columns aligned, units in their heads.
#include <cstdint>
#include <string>
#include <vector>

namespace mpisim::app {

/// "12,345,678"
std::string count(std::uint64_t number);

/// The unit in which all amounts of a column are told.
struct ByteUnit {
  const char* name;
  double bytes;

  /// The largest of B, KiB, ... PiB of which the largest amount has one at least.
  static ByteUnit for_largest(std::uint64_t largest);
  /// "12.3", without the unit; "<0.1" of what is not nothing, but would look like it.
  std::string text(std::uint64_t amount) const;
};

/// The first column is a name, left, the table's own above them; all others are numbers, right. Columns in
/// which every number is 0 are left out.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heads) : heads_(std::move(heads)) {}
  /// As many cells as heads.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// The heads with two blanks before them, the lines with four.
  std::string text() const;

 private:
  std::vector<std::string> heads_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace mpisim::app
