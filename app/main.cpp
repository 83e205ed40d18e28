// The command `mpisim`: finds the command in the table, parses its arguments, and calls it.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>

#include "app/arguments.hpp"
#include "app/completion.hpp"
#include "app/exit_codes.hpp"
#include "app/help.hpp"
#include "app/json_file.hpp"
#include "app/machine_command.hpp"
#include "app/manual_page.hpp"
#include "app/run_command.hpp"
#include "app/suggestions.hpp"
#include "app/sweep_command.hpp"
#include "machine/diagnostic.hpp"

namespace mpisim::app {
namespace {

int print_completion(const Arguments& arguments) {
  fmt::print("{}", completion_script(arguments.operands()[0]));
  return success;
}

int write_all_pages(const std::string& directory) {
  std::filesystem::create_directories(directory);
  write_atomically(directory + "/" + manual_page_name(nullptr), manual_page(nullptr));
  for (const Command& command : commands())
    if (command.available)
      write_atomically(directory + "/" + manual_page_name(&command), manual_page(&command));
  return success;
}

int show_manual(const Arguments& arguments) {
  if (const auto directory = arguments.value("all")) return write_all_pages(*directory);
  std::string name;
  for (const std::string& word : arguments.operands()) name += (name.empty() ? "" : " ") + word;
  const Command* command = name.empty() ? nullptr : find_command(name);
  if (!name.empty() && (command == nullptr || !command->available))
    throw UsageError("there is no manual page for '" + name + "'");
  const std::string page = manual_page(command);
  FILE* pager = isatty(STDOUT_FILENO) != 0 ? popen("man -l - 2>/dev/null", "w") : nullptr;
  if (pager == nullptr) {
    fmt::print("{}", page);
    return success;
  }
  std::fwrite(page.data(), 1, page.size(), pager);
  if (pclose(pager) != 0) fmt::print("{}", page);
  return success;
}

using Action = int (*)(const Arguments&);

Action action_of(const std::string& command) {
  static const std::pair<std::string_view, Action> actions[] = {{"run", run_command},
                                                                {"machine show", machine_show},
                                                                {"machine check", machine_check},
                                                                {"machine list", machine_list},
                                                                {"sweep", sweep_command},
                                                                {"completion", print_completion},
                                                                {"man", show_manual}};
  return std::ranges::find(actions, command, &std::pair<std::string_view, Action>::first)->second;
}

bool is_group(const std::string& word) {
  return std::ranges::any_of(commands(), [&](const Command& c) { return c.name.starts_with(word + " "); });
}

std::vector<std::string> names_below(const std::string& group) {
  std::vector<std::string> names;
  for (const Command& command : commands())
    if (command.available && command.name.starts_with(group))
      names.push_back(command.name.substr(group.size(), command.name.find(' ', group.size()) - group.size()));
  return names;
}

void print_version() {
  fmt::print("mpisim {}\n", MPISIM_VERSION);
}

int complain(const std::string& who, const std::string& message) {
  fmt::print(stderr, "{}: {}\nTry '{} --help'.\n", who, message, who);
  return bad_input;
}

int run_with(const Command& command, std::span<const std::string> words) {
  try {
    // The help of a command that does not exist yet says so; anything else is refused.
    const bool asks_help =
        std::ranges::any_of(words, [](const auto& w) { return w == "--help" || w == "-h"; });
    if (!command.available && !asks_help)
      throw UsageError("not available in this version of mpisim (" MPISIM_VERSION ")");
    const Arguments arguments(command, command.available ? words : std::span<const std::string>());
    if (!command.available || arguments.has("help")) {
      fmt::print("{}", help(command));
      return success;
    }
    if (arguments.has("version")) {
      print_version();
      return success;
    }
    return action_of(command.name)(arguments);
  } catch (const UsageError& error) {
    return complain("mpisim " + command.name, error.what());
  } catch (const machine::InvalidMachine& error) {
    fmt::print(stderr, "{}\n", error.what());
    return bad_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "mpisim {}: {}\n", command.name, error.what());
    return host_failure;
  }
}

int dispatch(const std::vector<std::string>& words) {
  std::string name;
  for (std::size_t used = 0;; ++used) {
    const std::string who = name.empty() ? "mpisim" : "mpisim " + name;
    const std::string prefix = name.empty() ? "" : name + " ";
    if (used == words.size()) return complain(who, "a command is missing");
    const std::string& word = words[used];
    if (word == "--help" || word == "-h" || (word == "help" && name.empty())) {
      fmt::print("{}", overview(name));
      return success;
    }
    if (word == "--version") {
      print_version();
      return success;
    }
    name = prefix + word;
    if (const Command* command = find_command(name))
      return run_with(*command, std::span(words).subspan(used + 1));
    if (!is_group(name)) {
      const char* kind = word.starts_with('-') ? "option" : "command";
      return complain(who,
                      fmt::format("unknown {} '{}'{}", kind, word, did_you_mean(word, names_below(prefix))));
    }
  }
}

}  // namespace
}  // namespace mpisim::app

int main(int argc, char** argv) {
  // A file opened later must not become a standard stream that the caller has closed.
  for (int fd = open("/dev/null", O_RDWR); fd >= 0; fd = dup(fd)) {
    if (fd <= STDERR_FILENO) continue;
    close(fd);
    break;
  }
  // A file that meets the limit of file sizes is an error of that write, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  const int status = mpisim::app::dispatch(std::vector<std::string>(argv + 1, argv + argc));
  if ((std::fflush(stdout) == 0 && std::ferror(stdout) == 0) || status != mpisim::app::success) return status;
  fmt::print(stderr, "mpisim: cannot write to standard output: {}\n", std::strerror(errno));
  return mpisim::app::bad_input;
}
