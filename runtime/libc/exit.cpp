// The end of a rank.
#include <stdlib.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "runtime/export.hpp"
#include "runtime/libc/libc_state.hpp"

namespace mpisim::runtime {

struct ExitState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::exit;
  explicit ExitState(LibcState&) {}

  struct Handler {
    void (*plain)();
    void (*with_status)(int, void*);
    void* argument;
  };
  std::vector<Handler> at_exit;
  std::vector<Handler> at_quick_exit;
};

namespace {

void run(std::vector<ExitState::Handler>& handlers, int status) {
  while (!handlers.empty()) {
    const ExitState::Handler handler = handlers.back();
    handlers.pop_back();
    if (handler.plain != nullptr)
      handler.plain();
    else
      handler.with_status(status, handler.argument);
  }
}

}  // namespace

void run_exit_handlers(LibcState& state, int status) {
  if (ExitState* const exit_state = state.existing<ExitState>()) run(exit_state->at_exit, status);
}

}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT int __wrap_atexit(void (*handler)(void)) {
  ExitState* const state = current_part<ExitState>();
  if (state == nullptr) return atexit(handler);
  state->at_exit.push_back({handler, nullptr, nullptr});
  return 0;
}

MPISIM_EXPORT int __wrap_on_exit(void (*handler)(int, void*), void* argument) {
  ExitState* const state = current_part<ExitState>();
  if (state == nullptr) return on_exit(handler, argument);
  state->at_exit.push_back({nullptr, handler, argument});
  return 0;
}

MPISIM_EXPORT int __wrap_at_quick_exit(void (*handler)(void)) {
  ExitState* const state = current_part<ExitState>();
  if (state == nullptr) return at_quick_exit(handler);
  state->at_quick_exit.push_back({handler, nullptr, nullptr});
  return 0;
}

MPISIM_EXPORT void __wrap_exit(int status) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) exit(status);
  rank->exit(status);
}

MPISIM_EXPORT void __wrap__exit(int status) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) _exit(status);
  if (LibcState* const state = rank->existing_libc()) close_descriptors(*state);
  rank->use_locale(nullptr);
  rank->services().end_rank(status & 0xff);
}

MPISIM_EXPORT void __wrap__Exit(int status) {
  __wrap__exit(status);
}

MPISIM_EXPORT void __wrap_quick_exit(int status) {
  if (ExitState* const state = current_part<ExitState>())
    run(state->at_quick_exit, status);
  else
    quick_exit(status);
  __wrap__exit(status);
}
