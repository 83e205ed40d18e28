#include "app/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>

#include "app/suggestions.hpp"

namespace po = boost::program_options;

namespace mpisim::app {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

po::options_description described(const Command& command) {
  po::options_description all;
  const auto add = [&all](const std::string& name, char letter, bool takes_value) {
    const std::string names = letter == 0 ? name : name + "," + letter;
    if (takes_value)
      all.add_options()(names.c_str(), po::value<std::string>(), "");
    else
      all.add_options()(names.c_str(), "");
  };
  for (const Option& option : command.options) add(option.name, option.letter, !option.argument.empty());
  add("help", 'h', false);
  add("version", 0, false);
  return all;
}

const Option* find_option(const Command& command, std::string_view name) {
  const auto found = std::ranges::find(command.options, name, &Option::name);
  return found == command.options.end() ? nullptr : &*found;
}

// Whether the argument of this word's option is the next word.
bool takes_next(const Command& command, std::string_view word) {
  if (word.starts_with("--")) {
    const Option* option = find_option(command, word.substr(2));
    return option != nullptr && !option->argument.empty();
  }
  for (std::size_t i = 1; i < word.size(); ++i) {
    const auto option = std::ranges::find(command.options, word[i], &Option::letter);
    if (option != command.options.end() && !option->argument.empty()) return i + 1 == word.size();
  }
  return false;
}

// Number of words before the first operand: from there on, all belong to the program, options too.
std::size_t words_before_operand(const Command& command, std::span<const std::string> words) {
  std::size_t i = 0;
  while (i < words.size() && words[i].size() > 1 && words[i][0] == '-' && words[i] != "--")
    i += takes_next(command, words[i]) ? 2 : 1;
  return std::min(i, words.size());
}

[[noreturn]] void unknown_option(const Command& command, const std::string& token) {
  std::vector<std::string> names{"help", "version"};
  for (const Option& option : command.options)
    if (option.available) names.push_back(option.name);
  const std::string bare = token.substr(std::min(token.find_first_not_of('-'), token.size()));
  throw UsageError("unknown option '" + token + "'" +
                   did_you_mean(bare.substr(0, bare.find('=')), names, "--"));
}

void check_value(const Option& option, const std::string& value) {
  if (!option.available) throw UsageError("--" + option.name + " is not available in this version of mpisim");
  if (option.values.empty() || std::ranges::find(option.values, value) != option.values.end()) return;
  const std::string allowed = " (one of: " + joined(option.values) + ")";
  throw UsageError(fmt::format("unknown value '{}' for --{}{}{}", value, option.name, allowed,
                               did_you_mean(value, option.values)));
}

void check_operands(const Command& command, const std::vector<std::string>& operands) {
  std::size_t required = 0;
  bool rest = false;
  for (const Operand& operand : command.operands) {
    required += operand.optional ? 0 : 1;
    rest = rest || operand.takes_rest;
  }
  if (operands.size() < required) throw UsageError(command.operands[operands.size()].name + " is missing");
  if (!rest && operands.size() > command.operands.size())
    throw UsageError("unexpected argument '" + operands[command.operands.size()] + "'");
  for (std::size_t i = 0; i < std::min(operands.size(), command.operands.size()); ++i) {
    const Operand& operand = command.operands[i];
    if (!operand.values.empty() && std::ranges::find(operand.values, operands[i]) == operand.values.end())
      throw UsageError(fmt::format("unknown {} '{}' (one of: {}){}", operand.name, operands[i],
                                   joined(operand.values), did_you_mean(operands[i], operand.values)));
  }
}

}  // namespace

Arguments::Arguments(const Command& command, std::span<const std::string> words) {
  if (std::ranges::any_of(command.operands, &Operand::takes_rest)) {
    const std::size_t front = words_before_operand(command, words);
    const bool dashes = front < words.size() && words[front] == "--";
    operands_.assign(words.begin() + static_cast<std::ptrdiff_t>(front + (dashes ? 1 : 0)), words.end());
    words = words.first(front);
  }
  const po::options_description description = described(command);
  po::command_line_parser parser(std::vector<std::string>(words.begin(), words.end()));
  // No abbreviations: an option added later must not change the meaning of a script.
  parser.options(description)
      .style(po::command_line_style::unix_style & ~po::command_line_style::allow_guessing);
  try {
    for (const po::option& parsed : parser.run().options) {
      if (parsed.position_key >= 0 || parsed.string_key.empty())
        operands_.insert(operands_.end(), parsed.value.begin(), parsed.value.end());
      else
        options_.emplace_back(parsed.string_key, parsed.value.empty() ? "" : parsed.value.front());
    }
  } catch (const po::unknown_option& error) {
    unknown_option(command, error.get_option_name());
  } catch (const po::error& error) {
    throw UsageError(error.what());
  }
  if (has("help") || has("version")) return;
  for (const auto& [name, value] : options_) {
    const Option* option = find_option(command, name);
    check_value(*option, value);
    const auto times = std::ranges::count(options_, name, &std::pair<std::string, std::string>::first);
    if (times > 1 && !option->repeatable) throw UsageError(spelled(*option) + " is given more than once");
  }
  for (const Option& option : command.options)
    if (option.required && !has(option.name))
      throw UsageError(fmt::format("{} {} is missing", spelled(option), option.argument));
  check_operands(command, operands_);
}

bool Arguments::has(std::string_view option) const {
  return value(option).has_value();
}

std::optional<std::string> Arguments::value(std::string_view option) const {
  for (auto found = options_.rbegin(); found != options_.rend(); ++found)
    if (found->first == option) return found->second;
  return std::nullopt;
}

std::string Arguments::required(std::string_view option) const {
  const auto given = value(option);
  if (!given)
    throw std::logic_error("option " + std::string(option) + " is not required by its command's table");
  return *given;
}

std::string Arguments::value_or(std::string_view option, std::string_view otherwise) const {
  return value(option).value_or(std::string(otherwise));
}

std::vector<std::string> Arguments::values(std::string_view option) const {
  std::vector<std::string> all;
  for (const auto& [name, value] : options_)
    if (name == option) all.push_back(value);
  return all;
}

std::uint64_t whole_number(const std::string& text, std::string_view option, std::uint64_t least,
                           std::uint64_t most) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stopped != end || number < least || number > most)
    throw UsageError(
        fmt::format("{} must be a whole number from {} to {}, not '{}'", option, least, most, text));
  return number;
}

}  // namespace mpisim::app
