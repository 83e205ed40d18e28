#pragma once
// The effective machine file: what `mpisim machine show` prints.
#include <string>

#include "machine/description.hpp"

namespace mpisim::machine {

/// The checked tree as a machine file that can be loaded again, every value with a comment that tells where
/// it comes from: a place in a file, --set, or "default".
std::string show(const Description& description);

}  // namespace mpisim::machine
