#pragma once
// The command line of mpisim as one table. Parsing, --help, shell completion and man pages all come from it,
// so that they cannot disagree.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mpisim::app {

/// What a shell offers for an argument.
enum class Completes : unsigned char { nothing, file, directory, machine, program };

struct Option {
  std::string name{};                 ///< long name without dashes
  char letter = 0;                    ///< one-letter form, 0 if none
  std::string argument{};             ///< name of its argument; empty for a switch
  std::string default_value{};        ///< as documented; empty if there is none to tell
  std::string doc{};                  ///< one or two sentences; `code` is set apart
  std::vector<std::string> values{};  ///< if not empty, the only values allowed
  Completes completes = Completes::nothing;
  bool repeatable = false;
  bool required = false;
  bool available = true;  ///< false: of a later version; refused and not shown
};

struct Operand {
  std::string name{};
  std::string doc{};
  std::vector<std::string> values{};
  Completes completes = Completes::nothing;
  bool optional = false;
  bool takes_rest = false;  ///< everything from here on belongs to it, options too
};

struct Example {
  std::string command{};
  std::string doc{};
};

struct Command {
  std::string name{};                      ///< "run", "machine show"
  std::string summary{};                   ///< one line
  std::vector<std::string> description{};  ///< paragraphs
  std::vector<Option> options{};           ///< without --help and --version, which all have
  std::vector<Operand> operands{};
  std::vector<Example> examples{};
  bool has_exit_statuses = false;  ///< shows the table of `mpisim run`
  bool available = true;
};

/// All commands, in the order of the help.
std::span<const Command> commands();

/// The command with this name; null if there is none.
const Command* find_command(std::string_view name);

/// "--protocol", or "-n, --ranks"
std::string spelled(const Option& option);

/// Exit statuses of `mpisim run`, as documented: status and meaning.
struct ExitStatus {
  std::string status{};
  std::string doc{};
};
std::span<const ExitStatus> exit_statuses();

}  // namespace mpisim::app
