#pragma once
// The reference of docs/machine-files.md, made from the schema.
#include <string>

namespace mpisim::machine {

/// Markdown: one table per section (key, value, default, meaning), then the keys of each network model.
std::string reference();

}  // namespace mpisim::machine
