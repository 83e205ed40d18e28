#include "runtime/crash_report.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <system_error>

#include "runtime/libc/signals.hpp"
#include "runtime/own_fault.hpp"
#include "runtime/rank_environment.hpp"
#include "runtime/source_location.hpp"

namespace mpisim::runtime {
namespace {

constexpr int crash_status = 4;  // exit status of a crash of the target
constexpr int handled[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t stack_size = 1 << 20;  // reading debug information takes some
constexpr unsigned longest_report_s = 60;
constexpr std::size_t lines_shown = 32;

struct Handlers {
  std::function<bool(const void*)> is_in_guard;
  std::function<void(const Crash&)> on_crash;
  std::function<bool()> rank_runs;
};
Handlers* handlers = nullptr;
std::atomic<bool> reporting = false;

// Only calls that are safe in a handler whatever the target destroyed.
[[noreturn]] void give_up(const char* text) {
  [[maybe_unused]] const auto written = ::write(2, text, std::strlen(text));
  ::_exit(crash_status);
}

void on_timeout(int) {
  give_up("mpisim: the target crashed, and its memory is too damaged to say where\n");
}

// The heap may be what the target destroyed: the report must end in any case.
void begin_report() {
  if (reporting.exchange(true))
    give_up("mpisim: the target crashed, and a second time while the first crash was reported\n");
  struct sigaction action{};
  action.sa_handler = on_timeout;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGALRM, &action, nullptr);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
  alarm(longest_report_s);
}

std::string to_text(const std::vector<const void*>& addresses) {
  std::string text;
  for (std::size_t i = 0; i < addresses.size() && i < lines_shown; ++i) {
    const SourceLocation location = locate(addresses[i]);
    const std::string place =
        location.file.empty() ? std::string("?") : fmt::format("{}:{}", location.file, location.line);
    text += fmt::format("#{} {} at {}\n", i, location.function.empty() ? "?" : location.function, place);
  }
  if (addresses.size() > lines_shown) text += "... and more callers\n";
  return text;
}

[[noreturn]] void report(Crash crash) {
  crash.backtrace = to_text(backtrace_of_target());
  handlers->on_crash(crash);
  give_up("mpisim: the target crashed\n");
}

void default_action(int signal) {
  ::signal(signal, SIG_DFL);  // the instruction is executed again, or abort() raises again
  raise(signal);
}

// Threads of libraries never have a rank, the main thread has none before the first has run and after the
// last has gone; while the simulator works between two ranks, the rank that ran last is still the current
// one.
bool is_fault_of_rank() {
  return current_environment() != nullptr && (!handlers->rank_runs || handlers->rank_runs());
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (!is_fault_of_rank()) {
    report_own_fault(signal, info, context);
    default_action(signal);
    return;
  }
  if (!reporting && deliver_fault(signal, info, context)) return;
  begin_report();
  Crash crash;
  crash.signal = signal;
  if (signal == SIGSEGV || signal == SIGBUS) {
    crash.address = info->si_addr;
    crash.stack_overflow = info->si_code > 0 && handlers->is_in_guard && handlers->is_in_guard(info->si_addr);
  }
  report(std::move(crash));
}

}  // namespace

void use_crash_stack() {
  thread_local void* memory = nullptr;
  if (memory != nullptr) return;
  memory =
      mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  const stack_t stack{memory, 0, stack_size};
  if (memory == MAP_FAILED || sigaltstack(&stack, nullptr) != 0)
    throw std::system_error(errno, std::generic_category(), "cannot set up a stack for crash reports");
}

void install_crash_handlers(std::function<bool(const void*)> is_in_guard,
                            std::function<void(const Crash&)> on_crash, std::function<bool()> rank_runs) {
  use_crash_stack();
  delete handlers;
  handlers = new Handlers{std::move(is_in_guard), std::move(on_crash), std::move(rank_runs)};
  for (const int signal : handled) {
    struct sigaction action{};
    action.sa_sigaction = on_fault;
    // Not deferred: a rank's own handler may leave by longjmp, and a second fault must not hang.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(signal, &action, nullptr);
  }
}

void report_own_signal(int signal) {
  if (handlers == nullptr) {
    default_action(signal);
    _exit(128 + signal);
  }
  begin_report();
  Crash crash;
  crash.signal = signal;
  report(std::move(crash));
}

}  // namespace mpisim::runtime
