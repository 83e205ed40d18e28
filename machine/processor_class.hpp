#pragma once
// Named processors: prices of operations for `--compute counted` and a clock, for machine files that do not
// give their own. `processor.class` chooses one; what the file says itself goes before.
//
// Prices are averages over what compilers make of an operation that is counted before optimization
// (docs/models.md, Sequential code): of a processor that issues several instructions per cycle, and whose
// compilers use vectors, they are far below a cycle. Each is the reciprocal throughput that instruction
// tables give, or, where a processor has several units for it, the share that one operation takes of them;
// the sources stand beside the table in processor_class.cpp.
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "machine/document.hpp"
#include "runtime/target_abi.h"

namespace mpisim::machine {

struct ProcessorClass {
  const char* name;
  const char* meaning;  ///< which processors it stands for, in a few words
  const char* clock;    ///< typical, as written in a machine file
  /// Cycles per operation, by mpisim_cost_class.
  std::array<double, MPISIM_COST_CLASSES> cycles;
};

/// All classes, the oldest first; the last is a processor of today.
const std::vector<ProcessorClass>& processor_classes();
std::vector<std::string> processor_class_names();
/// Null if there is none of this name.
const ProcessorClass* find_processor_class(std::string_view name);

/// Clocks up to this belong to the oldest class where a file names none: 1 GHz.
inline constexpr double last_in_order_hz = 1e9;

/// Puts the class, its clock and its prices into the `processor` section of a machine file that is not
/// checked yet, wherever the file has none of its own; their origin is "class NAME". A file that names no
/// class gets that of today, or the oldest if it gives a clock of at most last_in_order_hz. What is faulty is
/// left for check().
void fill_processor(Node& tree);

}  // namespace mpisim::machine
