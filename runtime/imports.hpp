#pragma once
// Which functions the program and its libraries call, from their dynamic symbol tables.

namespace mpisim::runtime {

/// True if a module of this process other than libmpisim itself imports the function `symbol`.
bool program_imports(const char* symbol);

}  // namespace mpisim::runtime
