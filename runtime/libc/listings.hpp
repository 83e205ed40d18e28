#pragma once
#include <dirent.h>

namespace mpisim::runtime {

/// A stream of a directory is at its beginning, or gone: the next entry has to be fetched.
void forget_listing(DIR* stream);

}  // namespace mpisim::runtime
