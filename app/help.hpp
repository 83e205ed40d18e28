#pragma once
#include <string>
#include <string_view>

#include "app/commands.hpp"

namespace mpisim::app {

/// "mpisim run [OPTIONS] PROGRAM [ARGS...]"
std::string usage(const Command& command);

/// --help of one command.
std::string help(const Command& command);

/// --help of mpisim itself, or of a group of commands ("machine").
std::string overview(std::string_view group = "");

/// Breaks a text into lines of at most `width` columns, each behind `indent` blanks; backquotes are dropped.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 80);

/// The doc of an option with its values and default, as help and man pages show it.
std::string full_doc(const Option& option);

}  // namespace mpisim::app
