#include "app/manual_page.hpp"

#include <algorithm>

#include "app/help.hpp"

namespace mpisim::app {

namespace {

// Text for man(7): hyphens that are typed, backslashes, lines that begin like a request, `code` in bold.
std::string roff(std::string_view text) {
  std::string out;
  bool code = false;
  for (const char c : text) {
    if (c == '`') {
      out += code ? "\\fR" : "\\fB";
      code = !code;
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else {
      out += c;
    }
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

std::string dashed(std::string name) {
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string header(const std::string& name, std::string_view summary) {
  std::string title = dashed(name);
  std::ranges::transform(title, title.begin(), [](char c) { return c >= 'a' && c <= 'z' ? c - 32 : c; });
  return ".TH " + roff(title) + " 1 \"\" \"mpisim " MPISIM_VERSION "\" \"mpisim\"\n.SH NAME\n" +
         roff(dashed(name)) + " \\- " + roff(summary) + "\n";
}

std::string tagged(const std::string& tag, std::string_view doc) {
  return ".TP\n" + tag + "\n" + roff(doc) + "\n";
}

std::string option_tag(const Option& option) {
  std::string tag = ".B " + roff(spelled(option));
  if (!option.argument.empty()) tag += " \\fI" + roff(option.argument) + "\\fR";
  return tag;
}

std::string page_of_mpisim() {
  std::string text = header("mpisim", "predict how long an MPI program takes on a parallel machine");
  text += ".SH SYNOPSIS\n.B mpisim\n.I COMMAND\n[\\fIOPTIONS\\fR] ...\n.SH DESCRIPTION\n";
  text += roff(
      "Runs an unmodified MPI program in C, built by mpisimcc, on a simulated parallel "
      "machine and "
      "predicts "
      "how long it would take there, and why. The program computes its real results.");
  text += "\n.SH COMMANDS\n";
  std::string pages;
  for (const Command& command : commands()) {
    if (!command.available) continue;
    text += tagged(".B " + roff(command.name), command.summary);
    pages +=
        (pages.empty() ? "" : ",\n") + std::string(".BR ") + roff("mpisim-" + dashed(command.name)) + " (1)";
  }
  return text + ".SH SEE ALSO\n.BR mpisimcc (1),\n" + pages + "\n";
}

}  // namespace

std::string manual_page_name(const Command* command) {
  return command == nullptr ? "mpisim.1" : "mpisim-" + dashed(command->name) + ".1";
}

std::string manual_page(const Command* command) {
  if (command == nullptr) return page_of_mpisim();
  std::string text = header("mpisim " + command->name, command->summary);
  text += ".SH SYNOPSIS\n.B " + roff(usage(*command)) + "\n.SH DESCRIPTION\n";
  for (std::size_t i = 0; i < command->description.size(); ++i)
    text += (i == 0 ? "" : ".PP\n") + roff(command->description[i]) + "\n";
  if (!command->operands.empty()) {
    text += ".SH ARGUMENTS\n";
    for (const Operand& operand : command->operands) text += tagged(".I " + roff(operand.name), operand.doc);
  }
  text += ".SH OPTIONS\n";
  for (const Option& option : command->options)
    if (option.available) text += tagged(option_tag(option), full_doc(option));
  text += tagged(".B \\-h, \\-\\-help", "Shows a short help.");
  text += tagged(".B \\-\\-version", "Shows the version.");
  if (command->has_exit_statuses) {
    text += ".SH EXIT STATUS\n";
    for (const ExitStatus& status : exit_statuses()) text += tagged(".B " + roff(status.status), status.doc);
  }
  if (!command->examples.empty()) {
    text += ".SH EXAMPLES\n";
    for (const Example& example : command->examples)
      text += ".PP\n" + (example.doc.empty() ? "" : roff(example.doc) + "\n") + ".PP\n.nf\n.RS\n" +
              roff(example.command) + "\n.RE\n.fi\n";
  }
  return text + ".SH SEE ALSO\n.BR mpisim (1)\n";
}

}  // namespace mpisim::app
