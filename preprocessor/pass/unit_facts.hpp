#pragma once
// What the source of a translation unit tells that its IR does not. The plugin that reads the source
// (source/) fills it in, the pass reads it; a compiler runs one unit at a time.
#include <set>
#include <string>

namespace mpisim::preprocessor {

struct UnitFacts {
  bool counted = true;  ///< make bodies with counters too
  std::set<std::string>
      foreign;  ///< variables declared by system headers, which no object of the program defines
};

__attribute__((visibility("default"))) UnitFacts& unit_facts();

}  // namespace mpisim::preprocessor
