#pragma once
// SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and stack overflow of the target. (Ctrl-C keeps its default
// action, which ends the process at once.)
#include <functional>

namespace mpisim::runtime {

/// What a crash of the target looked like.
struct Crash {
  int signal = 0;
  const void* address = nullptr;  ///< faulting address, for SIGSEGV and SIGBUS
  bool stack_overflow = false;
  const char* heap_fault = "";  ///< what the C library found wrong with its heap, if it did
  const char* backtrace = "";   ///< one "#k function at file:line" per line, innermost first
};

/// Installs handlers on an alternate stack, for the calling thread; other threads that run ranks call
/// use_crash_stack(). When a target rank faults, `on_crash` is called (still inside the handler, on the
/// alternate stack; the process is not going to continue) and must not return; it may use the heap only in
/// attempt(). A corrupt heap is the target's fault, even if a call of the simulator is the first to notice. A
/// rank that has its own handler for the signal gets the fault instead. Faults of the simulator itself keep
/// the default action after a report on stderr, see own_fault.hpp. `is_in_guard(address)` tells a stack
/// overflow from other faults; `rank_runs()` tells whether the current rank's code runs, or only was the last
/// that ran (null: it runs).
void install_crash_handlers(std::function<bool(const void*)> is_in_guard,
                            std::function<void(const Crash&)> on_crash, std::function<bool()> rank_runs = {});

/// A step of a report, which may touch what the target has destroyed or locks that it holds: false if it
/// faults or takes longer than a few seconds. Only for `on_crash`; the step is left as it is then, half done.
bool attempt(void (*step)(void*), void* argument);

/// Gives the calling thread an alternate stack for the handlers.
void use_crash_stack();

/// The current rank did to itself what a signal's default action would end it for (raise, abort): reports it
/// as a crash.
[[noreturn]] void report_own_signal(int signal);

}  // namespace mpisim::runtime
