#include "preprocessor/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>

namespace mpisim::preprocessor {
namespace {

bool starts_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool ends_with_any(const std::string& path, std::initializer_list<std::string_view> suffixes) {
  return std::any_of(suffixes.begin(), suffixes.end(), [&](std::string_view suffix) {
    return path.size() > suffix.size() &&
           path.compare(path.size() - suffix.size(), suffix.size(), suffix) == 0;
  });
}

// Options whose value may be, or must be, the next word.
const std::set<std::string>& options_with_value() {
  static const std::set<std::string> options = {"-o",          "-I",       "-D",
                                                "-U",          "-L",       "-l",
                                                "-x",          "-include", "-include-pch",
                                                "-imacros",    "-isystem", "-iquote",
                                                "-idirafter",  "-iprefix", "-iwithprefix",
                                                "-isysroot",   "-MF",      "-MT",
                                                "-MQ",         "-Xlinker", "-Xpreprocessor",
                                                "-Xassembler", "-Xclang",  "-T",
                                                "-u",          "-z",       "-e",
                                                "--param",     "-A",       "-aux-info",
                                                "-mllvm",      "-target",  "-iwithprefixbefore",
                                                "-dumpbase",   "-B",       "--sysroot"};
  return options;
}

constexpr std::string_view preprocess_prefixes[] = {
    "-I",        "-D",         "-U",       "-A",           "-include",  "-imacros", "-isystem",
    "-iquote",   "-idirafter", "-iprefix", "-iwithprefix", "-isysroot", "-Wp,",     "-Xpreprocessor",
    "-nostdinc", "-trigraphs", "--sysroot"};
constexpr std::string_view link_prefixes[] = {"-L",
                                              "-l",
                                              "-Wl,",
                                              "-Xlinker",
                                              "-T",
                                              "-u",
                                              "-z",
                                              "-e",
                                              "-fuse-ld=",
                                              "-rpath",
                                              "-nostdlib",
                                              "-nostartfiles",
                                              "-nodefaultlibs",
                                              "-rdynamic",
                                              "-static-libgcc",
                                              "-s"};
constexpr std::string_view exact_link_options[] = {"-s", "-e", "-u", "-z", "-T", "-r"};

bool is_preprocess_option(const std::string& option) {
  static const std::set<std::string> exact = {"-C",  "-CC", "-P",  "-H",  "-dM",
                                              "-dD", "-dN", "-dI", "-dU", "-undef"};
  if (exact.count(option)) return true;
  return std::any_of(std::begin(preprocess_prefixes), std::end(preprocess_prefixes),
                     [&](std::string_view prefix) { return starts_with(option, prefix); });
}

bool is_link_option(const std::string& option) {
  if (std::find(std::begin(exact_link_options), std::end(exact_link_options), option) !=
      std::end(exact_link_options))
    return true;
  return std::any_of(std::begin(link_prefixes), std::end(link_prefixes), [&](std::string_view prefix) {
    return prefix != "-s" && prefix != "-e" && prefix != "-u" && prefix != "-z" &&
           starts_with(option, prefix);
  });
}

// A message against options that cannot work; empty if fine.
std::string refusal(const std::string& option) {
  if (starts_with(option, "-flto") || option == "-fwhole-program")
    return fmt::format("{} is not supported: ranks' data is laid out object by object; leave it out", option);
  if (option == "-static" || option == "-static-pie")
    return fmt::format("{} is not supported: the program needs the shared library libmpisim.so", option);
  if (starts_with(option, "-fopenmp") && option != "-fopenmp-simd")
    return fmt::format("{} is not supported: a rank is one thread; leave it out", option);
  if (starts_with(option, "-fsanitize="))
    return fmt::format("{} is not supported in simulated programs", option);
  if (option == "-m32" || option == "-mx32")
    return fmt::format("{} is not supported: only x86-64 programs", option);
  if (option == "-pg" || option == "-p" || option == "-fsplit-stack" || option == "-fwritable-strings" ||
      option == "-fblocks" || starts_with(option, "-fprofile-arcs") ||
      starts_with(option, "-fprofile-generate") || starts_with(option, "-fprofile-instr-generate") ||
      starts_with(option, "-fcs-profile-generate") || starts_with(option, "-fcoverage-mapping") ||
      option == "-ftest-coverage" || option == "-fuse-ld=gold")
    return fmt::format("{} is not supported in simulated programs", option);
  return {};
}

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  CommandLine parse() {
    for (at_ = 0; at_ < arguments_.size(); ++at_) {
      const std::string& word = arguments_[at_];
      if (word == "-" || word.empty() || word[0] != '-')
        input(word);
      else
        option(word);
    }
    check_output();
    return std::move(result_);
  }

 private:
  // An option without its value, or a name that a shell's pattern gave, must not cost a source.
  void check_output() {
    namespace fs = std::filesystem;
    std::error_code ignored;
    const fs::path output(result_.output);
    static const std::set<std::string> sources = {".c",   ".h", ".cc", ".cpp", ".cxx", ".C",
                                                  ".hpp", ".f", ".F",  ".f90", ".F90", ".S"};
    if (result_.action != Action::preprocess && sources.count(output.extension().string()) &&
        fs::is_regular_file(output, ignored))
      result_.errors.push_back(fmt::format("-o {}: this is a source, which would be lost", result_.output));
    const bool builds = result_.action != Action::link || !result_.output.empty();
    if (result_.coverage && builds && result_.action != Action::syntax_only)
      result_.errors.push_back(
          "--coverage lists what is not supported, and builds nothing; what gcc calls so is not supported in "
          "simulated programs");
  }

  void choose_missing(const std::string& when) {
    if (when == "link" || when == "run-time")
      result_.missing_at_run_time = when == "run-time";
    else
      result_.errors.push_back(fmt::format("-fmpi-missing={}: link or run-time", when));
  }

  void input(const std::string& path) {
    InputKind kind = InputKind::object;
    if (!language_.empty()) {
      if (language_ == "c-header")
        result_.errors.push_back(
            fmt::format("{}: precompiled headers are not supported; leave it out", path));
      else if (language_ == "c")
        kind = InputKind::c_source;
      else if (language_ == "cpp-output")
        kind = InputKind::preprocessed_c;
      else if (starts_with(language_, "assembler"))
        kind = InputKind::assembler;
      else
        result_.errors.push_back(fmt::format("{}: language '{}' is not supported, only C", path, language_));
    } else if (path == "-" || ends_with_any(path, {".c"})) {
      kind = InputKind::c_source;
    } else if (ends_with_any(path, {".i"})) {
      kind = InputKind::preprocessed_c;
    } else if (ends_with_any(path, {".s", ".S", ".sx"})) {
      kind = InputKind::assembler;
    } else if (ends_with_any(path, {".C", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".CPP"})) {
      result_.errors.push_back(fmt::format("{}: C++ is not supported, only C", path));
      return;
    } else if (ends_with_any(path, {".f", ".F", ".f77", ".f90", ".F90", ".f95", ".f03", ".f08"})) {
      result_.errors.push_back(fmt::format("{}: Fortran is not supported, only C", path));
      return;
    }
    result_.link_items.push_back({{}, result_.inputs.size()});
    result_.inputs.push_back({path, kind});
  }

  // The value of an option that may be joined to it.
  std::string value(const std::string& word, std::string_view option) {
    if (word.size() > option.size()) return word.substr(option.size());
    if (at_ + 1 < arguments_.size()) return arguments_[++at_];
    result_.errors.push_back(fmt::format("argument to '{}' is missing", option));
    return {};
  }

  // The option with its value, as words for another command.
  std::vector<std::string> words(const std::string& word) {
    if (!options_with_value().count(word)) return {word};
    if (at_ + 1 < arguments_.size()) return {word, arguments_[++at_]};
    result_.errors.push_back(fmt::format("argument to '{}' is missing", word));
    return {word};
  }

  bool driver_option(const std::string& word) {
    if (word == "-c") {
      set_action(Action::compile);
    } else if (word == "-S") {
      set_action(Action::assembly);
    } else if (word == "-E") {
      set_action(Action::preprocess);
    } else if (word == "-fsyntax-only") {
      set_action(Action::syntax_only);
    } else if (word == "-show" || word == "-showme" || word == "--showme" || word == "-###") {
      result_.show = true;
    } else if (word == "-v") {
      result_.verbose = true;
    } else if (word == "--coverage") {
      result_.coverage = true;
    } else if (starts_with(word, "-fmpi-missing=")) {
      choose_missing(word.substr(14));
    } else if (word == "-fno-counted" || word == "-fcounted") {
      result_.counted = word == "-fcounted";
    } else if (starts_with(word, "-o") && !starts_with(word, "-objc")) {
      result_.output = value(word, "-o");
    } else if (starts_with(word, "-x")) {
      language_ = value(word, "-x");
      if (language_ == "none") language_.clear();
    } else if (word == "-fPIC" || word == "-fpic") {
      result_.pic = true;
    } else if (word == "-fno-PIC" || word == "-fno-pic" || word == "-fPIE" || word == "-fpie") {
      result_.pic = false;
    } else if (word == "-pie" || word == "-no-pie" || word == "-nopie" || word == "-fno-pie" ||
               word == "-fno-PIE" || word == "-pipe" || starts_with(word, "-save-temps")) {
      // Decided by us, or without meaning here.
    } else if (word == "-shared") {
      result_.shared = true;
    } else if (word == "-pthread") {
      result_.preprocess_flags.push_back("-D_REENTRANT");
    } else {
      return false;
    }
    return true;
  }

  // The earliest phase wins: -E over -S over -c.
  void set_action(Action action) {
    const auto order = [](Action a) {
      switch (a) {
        case Action::dependencies:
          return 5;
        case Action::preprocess:
          return 4;
        case Action::syntax_only:
          return 3;
        case Action::assembly:
          return 2;
        case Action::compile:
          return 1;
        case Action::link:
          return 0;
      }
      return 0;
    };
    if (order(action) > order(result_.action)) result_.action = action;
  }

  void option(const std::string& word) {
    if (driver_option(word)) return;
    const std::string problem = refusal(word);
    if (!problem.empty()) {
      result_.errors.push_back(problem);
      return;
    }
    if (starts_with(word, "-M")) {
      if (word == "-M" || word == "-MM") set_action(Action::dependencies);
      append(result_.dependency_flags, words(word));
    } else if (is_link_option(word)) {
      if (word == "-r") result_.relocatable = true;
      if (word == "-nostartfiles" || word == "-nostdlib") result_.no_start_files = true;
      const std::vector<std::string> both = words(word);
      if (starts_with(word, "-L"))
        result_.library_directories.push_back(both.size() > 1 ? both[1] : word.substr(2));
      for (const std::string& part : both) result_.link_items.push_back({part, std::nullopt});
    } else if (is_preprocess_option(word)) {
      append(result_.preprocess_flags, words(word));
    } else {
      if (starts_with(word, "-g") && word != "-g0" && !starts_with(word, "-gno-")) result_.debug_info = true;
      append(result_.compile_flags, words(word));
    }
  }

  static void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }

  const std::vector<std::string>& arguments_;
  std::size_t at_ = 0;
  std::string language_;
  CommandLine result_;
};

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  return Parser(arguments).parse();
}

bool is_query(const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && (arguments[0] == "-v" || arguments[0] == "-###")) return true;
  return std::any_of(arguments.begin(), arguments.end(), [](const std::string& word) {
    return word == "-dumpversion" || word == "-dumpmachine" || word == "-dumpfullversion" ||
           word == "-dumpspecs" || starts_with(word, "-print-") || starts_with(word, "--print-") ||
           word == "-qversion" || word == "-V";
  });
}

}  // namespace mpisim::preprocessor
