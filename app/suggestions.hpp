#pragma once
#include <span>
#include <string>
#include <string_view>

namespace mpisim::app {

/// The candidate that `word` was most likely meant to be, or an empty string if none is near (more than a
/// third of the letters would have to change).
std::string nearest(std::string_view word, std::span<const std::string> candidates);

/// "; did you mean 'x'?" for the nearest candidate, or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates,
                         std::string_view prefix = "");

}  // namespace mpisim::app
