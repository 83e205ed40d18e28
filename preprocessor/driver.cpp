#include "preprocessor/driver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "preprocessor/link_checks.hpp"

namespace mpisim::preprocessor {
namespace {

// Old programs rely on what newer compilers have made errors by default; mpicc of the same system accepts it.
constexpr const char* old_c_warnings[] = {
    "-Wno-error=implicit-int", "-Wno-error=implicit-function-declaration", "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types", "-Wno-error=return-mismatch"};

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

// One message about all objects and libraries without counters.
std::vector<std::string> uncounted_message(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  if (names.empty()) return {};
  std::string list;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i) list += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > most) list += fmt::format(" and {} more", names.size() - most);
  return {fmt::format(
      "without cost counters, so that `mpisim run --compute counted` does not see what their code costs: {}",
      list)};
}

void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

int Driver::execute(const std::vector<std::string>& command) const {
  if (line_.show || line_.verbose) fmt::print(line_.show ? stdout : stderr, "{}\n", spell_command(command));
  std::fflush(stdout);
  return line_.show ? 0 : run_command(command);
}

// What clang is told of a source in each case.
std::vector<std::string> Driver::front_end_command(const Input& input) const {
  std::vector<std::string> command = {toolchain_.clang, "-Qunused-arguments"};
  command.insert(command.end(), std::begin(old_c_warnings), std::end(old_c_warnings));
  append(command, line_.compile_flags);
  append(command, line_.preprocess_flags);
  if (line_.verbose) command.push_back("-v");
  command.push_back(line_.pic ? "-fPIC" : "-fPIE");
  // As a system header, so that its declarations are known not to be the program's own.
  append(command, {"-isystem", toolchain_.include_directory, "-D__MPISIM__=1", "-x"});
  switch (input.kind) {
    case InputKind::preprocessed_c:
      command.push_back("cpp-output");
      break;
    case InputKind::assembler:
      command.push_back("assembler-with-cpp");
      break;
    case InputKind::c_source:
    case InputKind::object:
      command.push_back("c");
      break;
  }
  command.push_back(input.path);
  return command;
}

// With -MD and the like the rule's target is the object that the user knows of.
std::vector<std::string> Driver::dependency_flags(const std::string& object) const {
  std::vector<std::string> flags = line_.dependency_flags;
  if (flags.empty()) return flags;
  const auto given = [&](const char* option) {
    return std::any_of(flags.begin(), flags.end(),
                       [&](const std::string& f) { return starts_with(f, option); });
  };
  if (!given("-MF")) append(flags, {"-MF", std::filesystem::path(object).replace_extension(".d").string()});
  if (!given("-MT") && !given("-MQ")) append(flags, {"-MQ", object});
  return flags;
}

std::vector<std::string> Driver::compile_command(const Input& input, const std::string& output) const {
  std::vector<std::string> command = front_end_command(input);
  const bool linked = line_.action == Action::link;
  append(command, dependency_flags(linked ? default_output(input) : output));
  // What is written beside a temporary object is named after the program, as clang names it.
  if (linked) append(command, {"-dumpdir", link_output() + "-"});
  append(command, {"-fplugin=" + toolchain_.source_plugin(), "-fpass-plugin=" + toolchain_.pass_plugin()});
  if (!line_.counted) command.push_back("-fplugin-arg-mpisim-no-counted");
  if (line_.action == Action::syntax_only) {
    command.push_back("-fsyntax-only");
    return command;
  }
  // Our reports name source lines, which elfutils finds by address ranges. Version 4, which older tools than
  // clang understand too (bookworm's valgrind gives up on clang's version 5).
  if (!line_.debug_info) append(command, {"-gdwarf-4", "-gline-tables-only"});
  append(command, {"-gdwarf-aranges", "-fno-crash-diagnostics", "-fno-direct-access-external-data",
                   "-fasynchronous-unwind-tables", "-fstack-clash-protection",
                   line_.action == Action::assembly ? "-S" : "-c", "-o", output});
  return command;
}

std::string Driver::link_output() const {
  return line_.output.empty() ? "a.out" : line_.output;
}

std::string Driver::default_output(const Input& input) const {
  const std::string name = input.path == "-" ? "-" : std::filesystem::path(input.path).filename().string();
  const char* suffix = line_.action == Action::assembly ? ".s" : ".o";
  return std::filesystem::path(name).replace_extension(suffix).string();
}

std::vector<std::string> Driver::assemble_command(const Input& input, const std::string& output) const {
  std::vector<std::string> command = {toolchain_.clang, "-Qunused-arguments"};
  append(command, line_.compile_flags);
  append(command, line_.preprocess_flags);
  append(command, {line_.action == Action::assembly ? "-S" : "-c", input.path, "-o", output});
  return command;
}

// Clang gives an object its name once it is complete.
int Driver::compile(const Input& input, const std::string& output) {
  const int status = execute(input.kind == InputKind::assembler ? assemble_command(input, output)
                                                                : compile_command(input, output));
  if (status > 128)
    fmt::print(stderr, "mpisimcc: error: {}: the compiler ended by signal {}\n", input.path, status - 128);
  return status;
}

int Driver::pass_to_preprocessor(const Input& input) {
  std::vector<std::string> command = front_end_command(input);
  append(command, line_.dependency_flags);
  if (line_.action == Action::preprocess) command.push_back("-E");
  if (!line_.output.empty()) append(command, {"-o", line_.output});
  return execute(command);
}

std::vector<std::string> Driver::link_command(const std::vector<std::string>& objects,
                                              const std::vector<std::string>& wrapped,
                                              const std::string& missing, const std::string& output) const {
  std::vector<std::string> command = {toolchain_.clang};
  for (const std::string& flag : line_.compile_flags)
    if (!starts_with(flag, "-W") && flag != "-w" && !starts_with(flag, "-std=") && flag != "-ansi")
      command.push_back(flag);
  if (line_.verbose) command.push_back("-v");
  append(command, {line_.shared ? "-shared" : "-pie", "-o", output});
  append(command, {"-Wl,-z,nopack-relative-relocs", "-Wl,-T," + toolchain_.linker_script()});
  // Global offset table entries of private variables must stay, since the runtime displaces them.
  if (line_.shared) command.push_back("-Wl,--no-relax");
  if (!line_.no_start_files) command.push_back(toolchain_.start_object(line_.shared));
  for (const LinkItem& item : line_.link_items)
    command.push_back(item.input ? objects[*item.input] : item.argument);
  if (!missing.empty()) command.push_back(missing);
  for (const std::string& name : wrapped) command.push_back("-Wl,--wrap=" + name);
  append(command,
         {"-L" + toolchain_.library_directory, "-lmpisim", "-Wl,-rpath," + toolchain_.library_directory});
  return command;
}

// Hidden, so that a shared library's and its program's have nothing to do with each other.
int Driver::compile_missing(const LinkChecks& checks, std::string& object) {
  const auto missing = checks.missing_calls();
  if (!line_.missing_at_run_time || missing.empty() || !temporary_) return 0;
  std::string text = "void mpisim_missing_call(const char *, const void *);\n";
  for (const auto& [name, users] : missing)
    text += fmt::format(
        "__attribute__((visibility(\"hidden\"))) void mpisim_{0}(void) {{ mpisim_missing_call(\"{0}\", "
        "__builtin_return_address(0)); }}\n",
        name);
  const std::string source = temporary_->file(".c");
  std::ofstream(source, std::ios::binary) << text;
  object = temporary_->file(".o");
  return execute(
      {toolchain_.clang, "-O1", "-fPIC", "-fasynchronous-unwind-tables", "-c", source, "-o", object});
}

int Driver::link(const std::vector<std::string>& objects) {
  const std::string output = link_output();
  if (line_.relocatable) {
    std::vector<std::string> command = {toolchain_.clang};
    for (const LinkItem& item : line_.link_items)
      command.push_back(item.input ? objects[*item.input] : item.argument);
    append(command, {"-nostdlib", "-o", output});
    return execute(command);
  }
  const LinkChecks checks(objects, line_, toolchain_.runtime_library());
  // A temporary object is known to the user by the name of its source.
  const auto report = [&](const std::vector<std::string>& problems, const char* kind = "error") {
    for (std::string problem : problems) {
      for (std::size_t i = 0; i < objects.size(); ++i)
        for (auto at = problem.find(objects[i]);
             at != std::string::npos && objects[i] != line_.inputs[i].path; at = problem.find(objects[i]))
          problem.replace(at, objects[i].size(), line_.inputs[i].path);
      fmt::print(stderr, "mpisimcc: {}: {}\n", kind, problem);
    }
    return !problems.empty();
  };
  if (!line_.show && report(checks.problems_before())) return 1;
  if (line_.missing_at_run_time) report(checks.missing_messages(), "warning");
  std::string missing;
  if (const int status = compile_missing(checks, missing)) return status;
  PendingOutput pending(output);
  const int status = execute(
      link_command(objects, checks.symbols_to_wrap(), missing, line_.show ? output : pending.temporary()));
  if (line_.show) return status;
  if (status != 0) {
    if (!line_.shared && !checks.has_main())
      fmt::print(stderr, "mpisimcc: error: none of the objects defines main\n");
    return status;
  }
  if (report(checks.problems_after(pending.temporary()))) return 1;
  if (line_.counted) report(uncounted_message(checks.without_counters(pending.temporary())), "note");
  return pending.commit() ? 0 : 1;
}

// Looks at every C file, builds nothing.
int Driver::coverage() {
  if (!temporary_) return 1;
  const std::string exports = temporary_->file(".names");
  std::ofstream names(exports);
  for (const std::string& name : exported_symbols(toolchain_.runtime_library())) names << name << '\n';
  names.close();
  int status = 0;
  for (const Input& input : line_.inputs) {
    if (input.kind == InputKind::object || input.kind == InputKind::assembler) continue;
    std::vector<std::string> command = front_end_command(input);
    append(command, {"-fsyntax-only", "-ferror-limit=0", "-fplugin=" + toolchain_.source_plugin(),
                     "-fplugin-arg-mpisim-coverage=" + exports});
    if (execute(command) != 0) status = 1;
  }
  return status;
}

int Driver::run() {
  if (!line_.errors.empty()) {
    for (const std::string& error : line_.errors) fmt::print(stderr, "mpisimcc: error: {}\n", error);
    return 1;
  }
  if (line_.inputs.empty()) {
    fmt::print(stderr, "mpisimcc: error: no input files (mpisimcc --help tells how it is used)\n");
    return 1;
  }
  if (!line_.output.empty() && line_.action != Action::link && line_.inputs.size() > 1) {
    fmt::print(stderr, "mpisimcc: error: cannot use -o with -c, -S or -E and several input files\n");
    return 1;
  }
  temporary_.emplace();
  if (line_.coverage) return coverage();
  int status = 0;
  std::vector<std::string> objects;
  for (const Input& input : line_.inputs) {
    if (input.kind == InputKind::object) {
      objects.push_back(input.path);
      continue;
    }
    if (line_.action == Action::preprocess || line_.action == Action::dependencies) {
      status = std::max(status, pass_to_preprocessor(input));
      continue;
    }
    const bool temporary_object = line_.action == Action::link;
    std::string output = temporary_object ? temporary_->file(".o") : line_.output;
    if (output.empty()) output = default_output(input);
    status = std::max(status, compile(input, output));
    objects.push_back(output);
  }
  if (status != 0) return status;
  return line_.action == Action::link ? link(objects) : 0;
}

}  // namespace mpisim::preprocessor
