// mpisimcc: the compiler driver of simulated programs.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include "preprocessor/command_line.hpp"
#include "preprocessor/driver.hpp"
#include "preprocessor/process.hpp"
#include "preprocessor/toolchain.hpp"

namespace {

using namespace mpisim::preprocessor;

constexpr const char* help_text =
    R"(usage: mpisimcc [OPTION]... FILE...
Compiles and links MPI programs in C for mpisim. Takes what a C compiler takes: -c -S -E -o -I -D -U -L -l -O -g
-std= -f... -m... -W... -shared -fPIC -MD -MF -Wl,... -x c @FILE, sources, objects, archives and shared libraries.

Options of its own:
  -fno-counted            leave out the counters that `mpisim run --compute counted` needs
  -fmpi-missing=run-time  link programs that mention MPI calls which mpisim lacks, with a warning; making one ends the
                          run (default: link, which refuses them)
  --coverage              list what of MPI, the C library and C the files use that is not supported; builds nothing
  -show                   print the commands, run nothing
  --help, --version

The program that results runs under `mpisim run`; started directly it behaves as one rank.
)";

std::vector<std::string> expand_response_files(int argc, char** argv) {
  llvm::BumpPtrAllocator allocator;
  llvm::SmallVector<const char*, 64> words(argv + 1, argv + argc);
  llvm::cl::ExpansionContext expansion(allocator, llvm::cl::TokenizeGNUCommandLine);
  if (llvm::Error problem = expansion.expandResponseFiles(words)) llvm::consumeError(std::move(problem));
  return {words.begin(), words.end()};
}

int run(const std::vector<std::string>& arguments) {
  const Toolchain toolchain = find_toolchain();
  for (const std::string& word : arguments) {
    if (word == "--help" || word == "-help") {
      fmt::print("{}", help_text);
      return 0;
    }
    if (word == "--version") {
      fmt::print("mpisimcc (mpisim) {}\n", MPISIM_VERSION);
      std::fflush(stdout);
      return run_command({toolchain.clang, "--version"});
    }
    if (word == "-showme:compile" || word == "--showme:compile") {
      fmt::print("-isystem {}\n", toolchain.include_directory);
      return 0;
    }
    if (word == "-showme:link" || word == "--showme:link") {
      fmt::print("-L{} -lmpisim\n", toolchain.library_directory);
      return 0;
    }
  }
  if (is_query(arguments)) {
    std::vector<std::string> command = {toolchain.clang};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return run_command(command);
  }
  return Driver(parse_command_line(arguments), toolchain).run();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(expand_response_files(argc, argv));
  } catch (const std::exception& problem) {
    fmt::print(stderr, "mpisimcc: error: {}\n", problem.what());
    return 1;
  }
}
