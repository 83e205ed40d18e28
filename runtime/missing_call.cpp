// What programs call that were linked with mpisimcc -fmpi-missing=run-time in place of what mpisim lacks.
#include <unistd.h>

#include <string>

#include "runtime/export.hpp"
#include "runtime/libc/diagnostics.hpp"
#include "runtime/rank_environment.hpp"
#include "runtime/target_abi.h"

MPISIM_EXPORT void mpisim_missing_call(const char* name, const void* return_address) {
  using namespace mpisim::runtime;
  if (current_environment() != nullptr) refuse(name, "not supported yet", return_address);
  const std::string text = std::string("mpisim: ") + name + ", called outside of main: not supported yet\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
  constexpr int bad_input = 2;
  _exit(bad_input);
}
