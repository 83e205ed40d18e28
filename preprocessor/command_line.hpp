#pragma once
// What mpisimcc was asked to do.
#include <optional>
#include <string>
#include <vector>

namespace mpisim::preprocessor {

enum class Action { link, compile, assembly, preprocess, syntax_only, dependencies };
enum class InputKind { c_source, preprocessed_c, assembler, object };

struct Input {
  std::string path;  ///< "-" is the standard input
  InputKind kind;
};

/// One word of the link command, or an input (by index) in its place among them.
struct LinkItem {
  std::string argument;
  std::optional<std::size_t> input;
};

struct CommandLine {
  Action action = Action::link;
  std::vector<Input> inputs;
  std::string output;                         ///< empty if not given
  std::vector<std::string> preprocess_flags;  ///< -I, -D, ...
  std::vector<std::string> compile_flags;     ///< -O, -g, -std, -f..., -m..., -W...
  std::vector<std::string> dependency_flags;  ///< -MD, -MF, ...
  std::vector<LinkItem> link_items;
  std::vector<std::string> library_directories;  ///< of -L
  bool counted = true;
  bool missing_at_run_time = false;  ///< MPI calls that mpisim lacks are reported when they are made
  bool shared = false;
  bool relocatable = false;  ///< -r
  bool pic = false;
  bool debug_info = false;
  bool no_start_files = false;
  bool show = false;     ///< print commands instead of running them
  bool verbose = false;  ///< print commands and run them
  bool coverage = false;
  std::vector<std::string> errors;  ///< complete messages about options that cannot work
};

/// Understands the options of a C compiler; unknown ones are passed to the compiler.
CommandLine parse_command_line(const std::vector<std::string>& arguments);

/// Options that ask the compiler about itself, which it can answer alone (-dumpversion,
/// -print-prog-name=...).
bool is_query(const std::vector<std::string>& arguments);

}  // namespace mpisim::preprocessor
