#pragma once
// Faults of a machine description: where they are and how to mend them.
#include <stdexcept>
#include <string>
#include <vector>

namespace mpisim::machine {

struct Diagnostic {
  std::string place;    ///< "paragon.yaml:12:3", "--set mpi.progress=never", or the machine file's name
  std::string message;  ///< what is wrong and what would be right
};

/// "place: message".
std::string to_string(const Diagnostic& diagnostic);

/// Thrown with every fault that was found, at least one; what() has one line for each.
class InvalidMachine : public std::runtime_error {
 public:
  explicit InvalidMachine(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace mpisim::machine
