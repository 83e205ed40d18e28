#pragma once
#include <string>
#include <string_view>

namespace mpisim::app {

/// Completion script for "bash", "zsh" or "fish".
std::string completion_script(std::string_view shell);

}  // namespace mpisim::app
