#pragma once
// A command line, parsed after the table of its command.
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands.hpp"

namespace mpisim::app {

/// A fault in the command line: one message; exit status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Arguments {
 public:
  /// Parses what follows the command's name. Options end at the first operand that `takes_rest` stands
  /// behind, or at "--". Values of options with a fixed set are checked. Required options and operands are
  /// not asked for if --help or --version is there. Throws UsageError.
  Arguments(const Command& command, std::span<const std::string> words);

  bool has(std::string_view option) const;
  /// Of an option that is given several times, the last value.
  std::optional<std::string> value(std::string_view option) const;
  /// Of an option that the command's table requires.
  std::string required(std::string_view option) const;
  std::string value_or(std::string_view option, std::string_view otherwise) const;
  std::vector<std::string> values(std::string_view option) const;
  const std::vector<std::string>& operands() const { return operands_; }

 private:
  std::vector<std::pair<std::string, std::string>> options_;  ///< name, value; in order
  std::vector<std::string> operands_;
};

/// A whole number of at least `least` from option `option`; throws UsageError that says what was expected.
std::uint64_t whole_number(const std::string& text, std::string_view option, std::uint64_t least,
                           std::uint64_t most);

}  // namespace mpisim::app
