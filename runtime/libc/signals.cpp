#include "runtime/libc/signals.hpp"

#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "runtime/crash_report.hpp"
#include "runtime/export.hpp"
#include "runtime/libc/diagnostics.hpp"
#include "runtime/libc/identity.hpp"

namespace mpisim::runtime {

struct SignalState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::signals;
  explicit SignalState(LibcState&) {
    sigemptyset(&blocked);
    sigemptyset(&pending);
  }

  std::array<struct sigaction, NSIG> actions{};  // SIG_DFL is zero
  sigset_t blocked, pending;
};

namespace {

bool is_signal(int signal) {
  if (signal > 0 && signal < NSIG) return true;
  errno = EINVAL;
  return false;
}

bool is_ignored_by_default(int signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT ||
         signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

void call_handler(const struct sigaction& action, int signal, siginfo_t* info, void* context) {
  if (action.sa_flags & SA_SIGINFO)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
}

// Runs what the rank wants done about a signal that it sent to itself.
void act_on(SignalState& state, int signal) {
  if (signal != SIGKILL && signal != SIGSTOP && sigismember(&state.blocked, signal)) {
    sigaddset(&state.pending, signal);
    return;
  }
  const struct sigaction action = state.actions[static_cast<std::size_t>(signal)];
  if (action.sa_handler == SIG_IGN) return;
  if (action.sa_handler == SIG_DFL) {
    if (!is_ignored_by_default(signal)) report_own_signal(signal);
    return;
  }
  if (action.sa_flags & SA_RESETHAND) state.actions[static_cast<std::size_t>(signal)] = {};
  const sigset_t before = state.blocked;
  sigorset(&state.blocked, &before, &action.sa_mask);
  if (!(action.sa_flags & SA_NODEFER)) sigaddset(&state.blocked, signal);
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = SI_TKILL;
  info.si_pid = simulated_process_id(*current_environment());
  call_handler(action, signal, &info, nullptr);
  state.blocked = before;
}

void act_on_pending(SignalState& state) {
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigismember(&state.pending, signal) && !sigismember(&state.blocked, signal)) {
      sigdelset(&state.pending, signal);
      act_on(state, signal);
    }
}

constexpr const char* not_delivered =
    "no signal will arrive: signals of timers are not delivered to simulated ranks";

}  // namespace

bool deliver_fault(int signal, siginfo_t* info, void* context) {
  RankEnvironment* const rank = current_environment();
  LibcState* const libc = rank == nullptr ? nullptr : rank->existing_libc();
  SignalState* const state = libc == nullptr ? nullptr : libc->existing<SignalState>();
  if (state == nullptr) return false;
  const struct sigaction action = state->actions[static_cast<std::size_t>(signal)];
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN) return false;
  if (action.sa_flags & SA_RESETHAND) state->actions[static_cast<std::size_t>(signal)] = {};
  call_handler(action, signal, info, context);
  return true;
}

}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT int __wrap_sigaction(int signal, const struct sigaction* action, struct sigaction* before) {
  SignalState* const state = current_part<SignalState>();
  if (state == nullptr) return sigaction(signal, action, before);
  if (!is_signal(signal)) return -1;
  auto& slot = state->actions[static_cast<std::size_t>(signal)];
  if (before != nullptr) *before = slot;
  if (action == nullptr) return 0;
  if (signal == SIGKILL || signal == SIGSTOP) {
    errno = EINVAL;
    return -1;
  }
  slot = *action;
  return 0;
}

namespace {

sighandler_t set_handler(int signal, sighandler_t handler, int flags) {
  struct sigaction action{};
  struct sigaction before{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  return __wrap_sigaction(signal, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}

}  // namespace

MPISIM_EXPORT sighandler_t __wrap_signal(int number, sighandler_t handler) {
  return current_environment() == nullptr ? signal(number, handler)
                                          : set_handler(number, handler, SA_RESTART);
}
MPISIM_EXPORT sighandler_t __wrap_bsd_signal(int number, sighandler_t handler) {
  return __wrap_signal(number, handler);
}
MPISIM_EXPORT sighandler_t __wrap_sysv_signal(int number, sighandler_t handler) {
  return current_environment() == nullptr ? sysv_signal(number, handler)
                                          : set_handler(number, handler, SA_RESETHAND | SA_NODEFER);
}
MPISIM_EXPORT sighandler_t __wrap___sysv_signal(int number, sighandler_t handler) {
  return __wrap_sysv_signal(number, handler);
}

MPISIM_EXPORT int __wrap_raise(int signal) {
  SignalState* const state = current_part<SignalState>();
  if (state == nullptr) return raise(signal);
  if (!is_signal(signal)) return -1;
  act_on(*state, signal);
  return 0;
}

MPISIM_EXPORT int __wrap_kill(pid_t process, int signal) {
  SignalState* const state = current_part<SignalState>();
  if (state == nullptr) return kill(process, signal);
  RankEnvironment& rank = *current_environment();
  if (process != simulated_process_id(rank) && process != 0)
    refuse("kill", "signals to other processes are not supported in a simulated rank",
           __builtin_return_address(0));
  if (signal == 0) return 0;
  if (!is_signal(signal)) return -1;
  act_on(*state, signal);
  return 0;
}

MPISIM_EXPORT void __wrap_abort(void) {
  SignalState* const state = current_part<SignalState>();
  if (state == nullptr) abort();
  sigdelset(&state->blocked, SIGABRT);
  act_on(*state, SIGABRT);
  report_own_signal(SIGABRT);
}

MPISIM_EXPORT int __wrap_sigprocmask(int how, const sigset_t* set, sigset_t* before) {
  SignalState* const state = current_part<SignalState>();
  if (state == nullptr) return sigprocmask(how, set, before);
  if (before != nullptr) *before = state->blocked;
  if (set == nullptr) return 0;
  if (how == SIG_BLOCK) {
    sigorset(&state->blocked, &state->blocked, set);
  } else if (how == SIG_SETMASK) {
    state->blocked = *set;
  } else if (how == SIG_UNBLOCK) {
    for (int signal = 1; signal < NSIG; ++signal)
      if (sigismember(set, signal) == 1) sigdelset(&state->blocked, signal);
  } else {
    errno = EINVAL;
    return -1;
  }
  act_on_pending(*state);
  return 0;
}
MPISIM_EXPORT int __wrap_pthread_sigmask(int how, const sigset_t* set, sigset_t* before) {
  return __wrap_sigprocmask(how, set, before) == 0 ? 0 : EINVAL;
}

MPISIM_EXPORT int __wrap_sigpending(sigset_t* set) {
  SignalState* const state = current_part<SignalState>();
  if (state == nullptr) return sigpending(set);
  *set = state->pending;
  return 0;
}

// The simulator's handlers need their own stack; a rank's run on its own.
MPISIM_EXPORT int __wrap_sigaltstack(const stack_t* stack, stack_t* before) {
  if (current_environment() == nullptr) return sigaltstack(stack, before);
  if (before != nullptr) *before = {nullptr, SS_DISABLE, 0};
  return 0;
}

#define REFUSE_WAIT(name, parameters, arguments)                                                            \
  MPISIM_EXPORT int __wrap_##name parameters {                                                              \
    if (current_environment() == nullptr) return name arguments;                                            \
    refuse(#name, "waits for a signal, and none arrives at a simulated rank", __builtin_return_address(0)); \
  }
REFUSE_WAIT(sigsuspend, (const sigset_t* set), (set))
REFUSE_WAIT(sigwait, (const sigset_t* set, int* signal), (set, signal))
REFUSE_WAIT(sigwaitinfo, (const sigset_t* set, siginfo_t* info), (set, info))

MPISIM_EXPORT unsigned __wrap_alarm(unsigned seconds) {
  if (current_environment() == nullptr) return alarm(seconds);
  if (seconds != 0) warn_once("alarm", not_delivered, __builtin_return_address(0));
  return 0;
}

MPISIM_EXPORT useconds_t __wrap_ualarm(useconds_t microseconds, useconds_t interval) {
  if (current_environment() == nullptr) return ualarm(microseconds, interval);
  if (microseconds != 0) warn_once("ualarm", not_delivered, __builtin_return_address(0));
  return 0;
}

MPISIM_EXPORT int __wrap_setitimer(int which, const itimerval* value, itimerval* before) {
  if (current_environment() == nullptr) return setitimer(static_cast<__itimer_which_t>(which), value, before);
  if (value != nullptr && (value->it_value.tv_sec != 0 || value->it_value.tv_usec != 0))
    warn_once("setitimer", not_delivered, __builtin_return_address(0));
  if (before != nullptr) *before = {};
  return 0;
}

MPISIM_EXPORT int __wrap_getitimer(int which, itimerval* value) {
  if (current_environment() == nullptr) return getitimer(static_cast<__itimer_which_t>(which), value);
  *value = {};
  return 0;
}

MPISIM_EXPORT int __wrap_timer_create(clockid_t clock, sigevent* event, timer_t* timer) {
  if (current_environment() == nullptr) return timer_create(clock, event, timer);
  refuse("timer_create", not_delivered, __builtin_return_address(0));
}
