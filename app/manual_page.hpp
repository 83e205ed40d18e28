#pragma once
#include <string>

#include "app/commands.hpp"

namespace mpisim::app {

/// File name of a command's manual page, "mpisim-machine-show.1"; of mpisim itself for null.
std::string manual_page_name(const Command* command);

/// The page in man(7) macros; of mpisim itself for null.
std::string manual_page(const Command* command);

}  // namespace mpisim::app
