#include "runtime/crash_report.hpp"

#include <dlfcn.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <system_error>

#include "runtime/crash_location.hpp"
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

struct Handlers {
  std::function<bool(const void*)> is_in_guard;
  std::function<void(const Crash&)> on_crash;
  std::function<bool()> rank_runs;
};
Handlers* handlers = nullptr;
std::atomic<bool> reporting = false;
const void* last_message = nullptr;  // the C library's pointer to what it said before it aborted

// Only calls that are safe in a handler whatever the target destroyed.
[[noreturn]] void give_up(const char* text) {
  [[maybe_unused]] const auto written = ::write(2, text, std::strlen(text));
  ::_exit(crash_status);
}

// Where attempt() goes on when its step fails, and on which thread.
sigjmp_buf* way_out = nullptr;
pid_t attempting_thread = 0;

void leave_attempt() {
  if (way_out != nullptr && gettid() == attempting_thread) siglongjmp(*way_out, 1);
}

void on_timeout(int) {
  leave_attempt();
  if (way_out != nullptr) {  // the signal came to another thread
    tgkill(getpid(), attempting_thread, SIGALRM);
    return;
  }
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

// Where the target was, in fixed memory. A process that cannot be started again looks itself.
const char* text_of_calls() {
  constexpr std::size_t most_calls = 40;  // so many fit into a question
  static const void* addresses[most_calls];
  static std::size_t count = 0;
  static char text[1 << 14];
  if (!attempt([](void*) { count = backtrace_of_target(addresses, most_calls); }, nullptr)) return "";
  locate_crash(addresses, count, text, sizeof text);
  if (text[0] == '\0' && count > 0)
    attempt([](void*) { *stpncpy(text, describe_calls(addresses, count).c_str(), sizeof text - 1) = '\0'; },
            nullptr);
  return text;
}

[[noreturn]] void report(Crash crash) {
  crash.backtrace = text_of_calls();
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

// The C library's last words, which it leaves for those who look at what remains of a process.
const char* last_words() {
  struct Message {
    unsigned size;
    char text[1];
  };
  const auto* const message = last_message == nullptr ? nullptr : *static_cast<Message* const*>(last_message);
  return message == nullptr ? "" : message->text;
}

// Whether the C library's allocator has found its own data destroyed. The simulator is taken not to do that,
// whose calls may be the first to notice.
bool heap_is_corrupt(int signal) {
  if (signal != SIGABRT) return false;
  constexpr const char* beginnings[] = {"free(",       "malloc",    "realloc",   "calloc",   "corrupted",
                                        "double free", "munmap_ch", "mremap_c",  "chunk_",   "unlink",
                                        "invalid ",    "unsorted",  "unaligned", "break adj"};
  const char* const words = last_words();
  for (const char* const beginning : beginnings)
    if (std::strncmp(words, beginning, std::strlen(beginning)) == 0) return true;
  return false;
}

void on_fault(int signal, siginfo_t* info, void* context) {
  leave_attempt();
  const bool of_heap = heap_is_corrupt(signal) && current_environment() != nullptr;
  if (!is_fault_of_rank() && !of_heap) {
    report_own_fault(signal, info, context);
    default_action(signal);
    return;
  }
  if (!reporting && deliver_fault(signal, info, context)) return;
  begin_report();
  Crash crash;
  crash.signal = signal;
  if (of_heap) crash.heap_fault = last_words();
  if (signal == SIGSEGV || signal == SIGBUS) {
    crash.address = info->si_addr;
    crash.stack_overflow = info->si_code > 0 && handlers->is_in_guard && handlers->is_in_guard(info->si_addr);
  }
  report(crash);
}

}  // namespace

bool attempt(void (*step)(void*), void* argument) {
  constexpr unsigned limit_s = 3;
  sigjmp_buf here;
  const bool comes_back = sigsetjmp(here, 1) != 0;
  if (!comes_back) {
    attempting_thread = gettid();
    way_out = &here;
    alarm(limit_s);
    step(argument);
  }
  way_out = nullptr;
  alarm(longest_report_s);
  return !comes_back;
}

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
  prepare_crash_location();
  last_message = dlsym(RTLD_DEFAULT, "__abort_msg");
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
  report(crash);
}

}  // namespace mpisim::runtime
