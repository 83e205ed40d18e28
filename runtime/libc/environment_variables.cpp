// getenv and its family. Ranks share the variables that the simulator was started with until one changes its
// own.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "runtime/export.hpp"
#include "runtime/libc/libc_state.hpp"
#include "runtime/target_abi.h"

namespace mpisim::runtime {
namespace {

// Set by whatever launches host processes: a target must not see how it is simulated.
constexpr std::string_view hidden_prefixes[] = {
    "MPISIM_RUN", MPISIM_COUNTED_VARIABLE, "OMPI_",           "PMIX_", "PRTE_", "ORTE_",
    "OPAL_",      "IPATH_NO_BACKTRACE",    "HFI_NO_BACKTRACE"};

bool is_hidden(std::string_view variable) {
  for (const std::string_view prefix : hidden_prefixes)
    if (variable.starts_with(prefix)) return true;
  return false;
}

}  // namespace

char** target_environment() {
  static std::vector<char*>* const variables = [] {
    auto* const visible = new std::vector<char*>;  // the program may use it until the process ends
    for (char** variable = ::environ; variable != nullptr && *variable != nullptr; ++variable)
      if (!is_hidden(*variable)) visible->push_back(*variable);
    visible->push_back(nullptr);
    return visible;
  }();
  return variables->data();
}

struct VariablesState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::variables;
  explicit VariablesState(LibcState&) : environ(target_environment()) {}
  ~VariablesState() override {
    for (char* text : owned) free(text);
  }

  char** environ;            // the variable of the rank; it may point it elsewhere
  std::vector<char*> list;   // behind environ once the rank has changed variables
  std::vector<char*> owned;  // what setenv made; values must stay readable after a change
};

namespace {

char** current_variables() {
  RankEnvironment* const rank = current_environment();
  const LibcState* const libc = rank == nullptr ? nullptr : rank->existing_libc();
  const VariablesState* const state = libc == nullptr ? nullptr : libc->existing<VariablesState>();
  return state == nullptr ? target_environment() : state->environ;
}

char** find(char** variables, std::string_view name) {
  for (; variables != nullptr && *variables != nullptr; ++variables)
    if (strncmp(*variables, name.data(), name.size()) == 0 && (*variables)[name.size()] == '=')
      return variables;
  return nullptr;
}

void own_list(VariablesState& state) {
  if (!state.list.empty() && state.environ == state.list.data()) return;
  std::vector<char*> copy;
  for (char** variable = state.environ; variable != nullptr && *variable != nullptr; ++variable)
    copy.push_back(*variable);
  copy.push_back(nullptr);
  state.list = std::move(copy);
  state.environ = state.list.data();
}

void put(VariablesState& state, std::string_view name, char* text) {
  own_list(state);
  if (char** const slot = find(state.environ, name)) {
    *slot = text;
    return;
  }
  state.list.back() = text;
  state.list.push_back(nullptr);
  state.environ = state.list.data();
}

bool is_name(const char* name) {
  if (name != nullptr && *name != '\0' && strchr(name, '=') == nullptr) return true;
  errno = EINVAL;
  return false;
}

}  // namespace
}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT char* __wrap_getenv(const char* name) {
  if (current_environment() == nullptr) return getenv(name);
  char** const slot = find(current_variables(), name);
  return slot == nullptr ? nullptr : *slot + strlen(name) + 1;
}

MPISIM_EXPORT char* __wrap_secure_getenv(const char* name) {
  return __wrap_getenv(name);
}

MPISIM_EXPORT int __wrap_unsetenv(const char* name) {
  VariablesState* const state = current_part<VariablesState>();
  if (state == nullptr) return unsetenv(name);
  if (!is_name(name)) return -1;
  own_list(*state);
  while (char** const slot = find(state->environ, name))
    state->list.erase(state->list.begin() + (slot - state->environ));
  state->environ = state->list.data();
  return 0;
}

MPISIM_EXPORT int __wrap_setenv(const char* name, const char* value, int overwrite) {
  VariablesState* const state = current_part<VariablesState>();
  if (state == nullptr) return setenv(name, value, overwrite);
  if (!is_name(name)) return -1;
  if (!overwrite && find(state->environ, name) != nullptr) return 0;
  const std::size_t size = strlen(name) + strlen(value) + 2;
  char* const text = static_cast<char*>(malloc(size));
  if (text == nullptr) return -1;
  snprintf(text, size, "%s=%s", name, value);
  state->owned.push_back(text);
  put(*state, name, text);
  return 0;
}

MPISIM_EXPORT int __wrap_putenv(char* text) {
  VariablesState* const state = current_part<VariablesState>();
  if (state == nullptr) return putenv(text);
  const char* const equals = strchr(text, '=');
  if (equals == nullptr) return __wrap_unsetenv(text);
  put(*state, std::string_view(text, static_cast<std::size_t>(equals - text)), text);
  return 0;
}

MPISIM_EXPORT int __wrap_clearenv(void) {
  VariablesState* const state = current_part<VariablesState>();
  if (state == nullptr) return clearenv();
  state->environ = nullptr;
  state->list.clear();
  return 0;
}

MPISIM_EXPORT char*** mpisim_libc_environ(void) {
  VariablesState* const state = current_part<VariablesState>();
  return state == nullptr ? &::environ : &state->environ;
}
