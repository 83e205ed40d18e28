#include "app/completion.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "app/commands.hpp"

namespace mpisim::app {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> option_words(const Command& command) {
  std::vector<std::string> words;
  for (const Option& option : command.options) {
    if (!option.available) continue;
    words.push_back("--" + option.name);
    if (option.letter != 0) words.push_back(std::string("-") + option.letter);
  }
  words.insert(words.end(), {"--help", "--version"});
  return words;
}

// First words of all commands, and the second words of groups.
std::vector<std::string> first_words() {
  std::vector<std::string> words;
  std::set<std::string> seen;
  for (const Command& command : commands()) {
    const std::string first = command.name.substr(0, command.name.find(' '));
    if (command.available && seen.insert(first).second) words.push_back(first);
  }
  return words;
}

std::vector<std::string> second_words(const std::string& group) {
  std::vector<std::string> words;
  for (const Command& command : commands())
    if (command.available && command.name.starts_with(group + " "))
      words.push_back(command.name.substr(group.size() + 1));
  return words;
}

// The action of bash that completes an argument: sets COMPREPLY.
std::string bash_action(Completes kind, const std::vector<std::string>& values) {
  if (!values.empty()) return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\"))", joined(values));
  switch (kind) {
    case Completes::machine:
      return "COMPREPLY=($(compgen -W \"$(mpisim machine list --names 2>/dev/null)\" -- \"$current\") "
             "$(compgen -f -- \"$current\"))";
    case Completes::directory:
      return "COMPREPLY=($(compgen -d -- \"$current\"))";
    case Completes::file:
    case Completes::program:
      return "COMPREPLY=($(compgen -f -- \"$current\"))";
    case Completes::nothing:
      break;
  }
  return "COMPREPLY=()";
}

std::string bash_case(const Command& command) {
  std::string text = fmt::format("    '{}')\n      case \"$previous\" in\n", command.name);
  for (const Option& option : command.options) {
    if (!option.available || option.argument.empty()) continue;
    const std::string names =
        option.letter == 0 ? "--" + option.name : fmt::format("-{}|--{}", option.letter, option.name);
    text += fmt::format("        {}) {}; return ;;\n", names, bash_action(option.completes, option.values));
  }
  text += fmt::format(
      "      esac\n      if [[ $current == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$current\"))\n",
      joined(option_words(command)));
  if (!command.operands.empty()) {
    const Operand& operand = command.operands.front();
    text += fmt::format("      else {}\n", bash_action(operand.completes, operand.values));
  }
  return text + "      fi ;;\n";
}

std::string bash_script() {
  std::string text =
      "# bash completion of mpisim; made by: mpisim completion bash\n"
      "_mpisim() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  local command=${COMP_WORDS[1]}\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n";
  text += fmt::format("    COMPREPLY=($(compgen -W '{} --help --version' -- \"$current\")); return\n  fi\n",
                      joined(first_words()));
  for (const std::string& group : first_words())
    if (const auto second = second_words(group); !second.empty())
      text += fmt::format(
          "  if [[ $command == {0} ]]; then\n"
          "    if ((COMP_CWORD == 2)); then COMPREPLY=($(compgen -W '{1}' -- \"$current\")); return; fi\n"
          "    command=\"{0} ${{COMP_WORDS[2]}}\"\n  fi\n",
          group, joined(second));
  text += "  case \"$command\" in\n";
  for (const Command& command : commands())
    if (command.available) text += bash_case(command);
  return text + "  esac\n}\ncomplete -o filenames -F _mpisim mpisim\n";
}

// zsh runs bash's function through its own emulation: one behaviour to test. When the file is loaded as the
// function _mpisim, for the first completion, its commands are that function: it has to answer, too.
std::string zsh_script() {
  std::string script = bash_script();
  for (std::size_t at = 0; (at = script.find("_mpisim", at)) != std::string::npos; at += 12)
    script.replace(at, 7, "_mpisim_bash");
  return "#compdef mpisim\n# zsh completion of mpisim; made by: mpisim completion zsh\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         script + "[[ $funcstack[1] == _mpisim ]] && _bash_complete -o filenames -F _mpisim_bash\n";
}

std::string fish_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '`') continue;
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string fish_argument(Completes kind, const std::vector<std::string>& values) {
  if (!values.empty()) return " -x -a " + fish_quoted(joined(values));
  switch (kind) {
    case Completes::machine:
      return " -r -F -a '(mpisim machine list --names 2>/dev/null)'";
    case Completes::directory:
      return " -x -a '(__fish_complete_directories)'";
    case Completes::file:
    case Completes::program:
      return " -r -F";
    case Completes::nothing:
      break;
  }
  return " -x";
}

std::string fish_script() {
  std::string text = "# fish completion of mpisim; made by: mpisim completion fish\ncomplete -c mpisim -f\n";
  std::set<std::string> seen;
  for (const Command& command : commands()) {
    if (!command.available) continue;
    const std::size_t blank = command.name.find(' ');
    const std::string first = command.name.substr(0, blank);
    std::string condition = "__fish_seen_subcommand_from " + first;
    if (seen.insert(first).second)
      text += fmt::format("complete -c mpisim -n __fish_use_subcommand -a {} -d {}\n", first,
                          fish_quoted(blank == std::string::npos ? command.summary : "commands on " + first));
    if (blank != std::string::npos) {
      const std::string second = command.name.substr(blank + 1);
      text +=
          fmt::format("complete -c mpisim -n '{0}; and not __fish_seen_subcommand_from {1}' -a {2} -d {3}\n",
                      condition, joined(second_words(first)), second, fish_quoted(command.summary));
      condition += "; and __fish_seen_subcommand_from " + second;
    }
    const std::string start = fmt::format("complete -c mpisim -n '{}'", condition);
    for (const Option& option : command.options) {
      if (!option.available) continue;
      text += start + " -l " + option.name;
      if (option.letter != 0) text += std::string(" -s ") + option.letter;
      if (!option.argument.empty()) text += fish_argument(option.completes, option.values);
      text += " -d " + fish_quoted(option.doc.substr(0, option.doc.find(". "))) + "\n";
    }
    if (!command.operands.empty())
      text += start + fish_argument(command.operands[0].completes, command.operands[0].values) + "\n";
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "fish") return fish_script();
  return shell == "zsh" ? zsh_script() : bash_script();
}

}  // namespace mpisim::app
