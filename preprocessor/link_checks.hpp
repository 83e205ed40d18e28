#pragma once
// What must hold before and after linking for ranks to be kept apart.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "preprocessor/object_scan.hpp"

namespace mpisim::preprocessor {

/// The objects of one link and what the runtime library offers them.
class LinkChecks {
 public:
  LinkChecks(const std::vector<std::string>& objects, const CommandLine& line,
             const std::string& runtime_library);

  /// Names of C library functions whose calls go to libmpisim: those that it wraps, save those that the
  /// program defines itself.
  std::vector<std::string> symbols_to_wrap() const;
  /// MPI calls that the program mentions and mpisim lacks, each with the objects that do.
  std::map<std::string, std::set<std::string>> missing_calls() const;
  /// The same as messages, without a word about what follows from it.
  std::vector<std::string> missing_messages() const;
  /// Complete messages about what keeps the objects from working together; warnings go to stderr.
  std::vector<std::string> problems_before() const;
  /// The same about the linked file.
  std::vector<std::string> problems_after(const std::string& linked) const;
  /// Objects and libraries of the linked file whose code has no counters, so that a run that counts does not
  /// see what it costs.
  std::vector<std::string> without_counters(const std::string& linked) const;
  /// False if none of the objects defines main.
  bool has_main() const;

 private:
  std::set<std::string> defined_symbols() const;
  void add_unequal_sizes(std::vector<std::string>& problems) const;
  const CommandLine& line_;
  std::vector<std::string> shared_libraries_;
  std::vector<ObjectFacts> all_;
  std::vector<ObjectFacts> linked_;
  std::set<std::string> runtime_exports_;
};

}  // namespace mpisim::preprocessor
