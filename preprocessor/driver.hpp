#pragma once
// The steps that turn C sources into objects and programs.
#include <optional>
#include <string>
#include <vector>

#include "preprocessor/command_line.hpp"
#include "preprocessor/process.hpp"
#include "preprocessor/toolchain.hpp"

namespace mpisim::preprocessor {

class LinkChecks;

class Driver {
 public:
  Driver(CommandLine line, Toolchain toolchain) : line_(std::move(line)), toolchain_(std::move(toolchain)) {}

  /// Does all that was asked for; returns the exit status.
  int run();

 private:
  int compile(const Input& input, const std::string& output);
  int link(const std::vector<std::string>& objects);
  /// Makes an object with functions in place of MPI calls that mpisim lacks, which report when they are
  /// called.
  int compile_missing(const LinkChecks& checks, std::string& object);
  int coverage();
  int pass_to_preprocessor(const Input& input);

  std::vector<std::string> front_end_command(const Input& input) const;
  std::vector<std::string> dependency_flags(const std::string& object) const;
  std::vector<std::string> compile_command(const Input& input, const std::string& output) const;
  std::vector<std::string> assemble_command(const Input& input, const std::string& output) const;
  std::vector<std::string> link_command(const std::vector<std::string>& objects,
                                        const std::vector<std::string>& wrapped, const std::string& missing,
                                        const std::string& output) const;
  std::string default_output(const Input& input) const;
  std::string link_output() const;
  int execute(const std::vector<std::string>& command) const;

  CommandLine line_;
  Toolchain toolchain_;
  std::optional<TemporaryDirectory> temporary_;
};

}  // namespace mpisim::preprocessor
