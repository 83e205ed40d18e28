#include "app/help.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace mpisim::app {

namespace {

// "  name   text": the text in a column of its own.
std::string entry(const std::string& name, const std::string& doc, std::size_t column) {
  std::string text = "  " + name;
  if (text.size() + 2 > column)
    text += "\n" + std::string(column, ' ');
  else
    text += std::string(column - text.size(), ' ');
  const std::string body = wrapped(doc, column);
  return text + body.substr(std::min(column, body.size()));
}

std::string operand_text(const Operand& operand) {
  const std::string name = operand.takes_rest ? operand.name + "..." : operand.name;
  return operand.optional ? "[" + name + "]" : name;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string plain(text);
  std::erase(plain, '`');
  std::istringstream words(plain);
  std::string result;
  std::string line(indent, ' ');
  bool empty = true;
  for (std::string word; words >> word;) {
    if (!empty && line.size() + 1 + word.size() > width) {
      result += line + "\n";
      line.assign(indent, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  return result + line + "\n";
}

std::string full_doc(const Option& option) {
  std::string doc = option.doc;
  if (!option.values.empty()) {
    doc += " One of: ";
    for (std::size_t i = 0; i < option.values.size(); ++i) doc += (i == 0 ? "" : ", ") + option.values[i];
    doc += ".";
  }
  if (!option.default_value.empty()) doc += " Default: " + option.default_value + ".";
  return doc;
}

std::string usage(const Command& command) {
  std::string text = "mpisim " + command.name;
  for (const Option& option : command.options)
    if (option.required) text += fmt::format(" -{} {}", option.letter, option.argument);
  text += " [OPTIONS]";
  for (const Operand& operand : command.operands) text += " " + operand_text(operand);
  return text;
}

std::string help(const Command& command) {
  if (!command.available)
    return fmt::format("mpisim {}: {}\n\nNot available in this version of mpisim ({}).\n", command.name,
                       command.summary, MPISIM_VERSION);
  std::string text = "usage: " + usage(command) + "\n";
  for (const std::string& paragraph : command.description) text += "\n" + wrapped(paragraph, 0);
  if (!command.operands.empty()) {
    text += "\nArguments:\n";
    for (const Operand& operand : command.operands) text += entry(operand.name, operand.doc, 26);
  }
  text += "\nOptions:\n";
  for (const Option& option : command.options) {
    if (!option.available) continue;
    const std::string blank = option.letter == 0 ? "    " : "";
    text += entry(blank + spelled(option) + (option.argument.empty() ? "" : " " + option.argument),
                  full_doc(option), 30);
  }
  text += entry("-h, --help", "Shows this help.", 30);
  text += entry("    --version", "Shows the version.", 30);
  if (command.has_exit_statuses) {
    text += "\nExit status:\n";
    for (const ExitStatus& status : exit_statuses()) text += entry(status.status, status.doc, 10);
  }
  if (!command.examples.empty()) {
    text += "\nExamples:\n";
    for (const Example& example : command.examples) {
      if (!example.doc.empty()) text += "  # " + example.doc + "\n";
      text += "  " + example.command + "\n";
    }
  }
  return text;
}

std::string overview(std::string_view group) {
  std::string text =
      fmt::format("usage: mpisim {}COMMAND [OPTIONS] ...\n\n", group.empty() ? "" : std::string(group) + " ");
  if (group.empty())
    text += "Predicts how long an MPI program takes on a described parallel machine, and why.\n\n";
  text += "Commands:\n";
  for (const Command& command : commands())
    if (command.available && command.name.starts_with(group))
      text += entry(command.name, command.summary, 20);
  text += "\nOptions:\n" + entry("-h, --help", "Shows this help, or that of a command.", 20) +
          entry("    --version", "Shows the version.", 20);
  if (group.empty())
    text +=
        "\nStart with:\n  mpisimcc -O2 program.c -o program.sim\n  mpisim run -n 16 -m cluster "
        "./program.sim\n";
  return text;
}

}  // namespace mpisim::app
