#include "runtime/own_fault.hpp"

#include <sys/syscall.h>
#include <sys/ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "runtime/raw_symbols.hpp"

namespace mpisim::runtime {
namespace {

constexpr int most_frames = 40;

std::atomic<int> own_host = 0;
std::atomic<int> own_hosts = 1;
char own_protocol[32];
std::atomic<const char*> own_phase = "starting";
std::atomic<bool> reported = false;

struct Name {
  int value;
  const char* text;
};

constexpr Name signals[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}};
constexpr Name segv_codes[] = {{SEGV_MAPERR, "SEGV_MAPERR: nothing is mapped there"},
                               {SEGV_ACCERR, "SEGV_ACCERR: no access is allowed there"}};
constexpr Name bus_codes[] = {{BUS_ADRALN, "BUS_ADRALN: wrong alignment"},
                              {BUS_ADRERR, "BUS_ADRERR: no memory or file behind it"},
                              {BUS_OBJERR, "BUS_OBJERR: hardware"}};

template <std::size_t count>
const char* find(const Name (&names)[count], int value) {
  for (const Name& name : names)
    if (name.value == value) return name.text;
  return nullptr;
}

void append_cause(RawText& text, int signal, const siginfo_t& info) {
  const char* name = find(signals, signal);
  text << "signal " << signal;
  if (name != nullptr) text << " (" << name << ")";
  const bool from_process = info.si_code == SI_USER || info.si_code == SI_TKILL || info.si_code == SI_QUEUE;
  if (from_process) {
    text << " sent by process " << info.si_pid << (info.si_pid == getpid() ? " (itself)" : "");
    return;
  }
  const char* code = signal == SIGSEGV  ? find(segv_codes, info.si_code)
                     : signal == SIGBUS ? find(bus_codes, info.si_code)
                                        : nullptr;
  if (signal == SIGSEGV && info.si_code == SI_KERNEL)  // the processor tells no address then
    code = "SI_KERNEL: an address that cannot be, or no room for a signal's frame";
  text << ", code " << info.si_code;
  if (code != nullptr) text << " (" << code << ")";
  (text << ", address ").hexadecimal(reinterpret_cast<std::uintptr_t>(info.si_addr));
}

struct Walk {
  RawText text;
  int frames = 0;
  bool below_handler = false;  // what is above is the handler's own
};

void write_frame(Walk& walk, std::uintptr_t address, bool exact) {
  (walk.text << "  #" << walk.frames++ << " ").hexadecimal(address);
  walk.text << " ";
  append_symbol(walk.text, exact ? address : address - 1);  // of a return address: the call before it
  walk.text << "\n";
  walk.text.flush(STDERR_FILENO);
}

_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& walk = *static_cast<Walk*>(argument);
  int exact = 0;  // the instruction that a signal interrupted, not the one behind a call
  const std::uintptr_t address = _Unwind_GetIPInfo(context, &exact);
  if (address == 0) return _URC_END_OF_STACK;
  if (exact != 0) walk.below_handler = true;
  if (walk.below_handler) write_frame(walk, address, exact != 0);
  return walk.frames < most_frames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

std::uintptr_t interrupted_at(const void* context) {
#ifdef __x86_64__
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  return static_cast<std::uintptr_t>(registers[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
  return 0;
#endif
}

}  // namespace

void set_own_identity(int host, int hosts, const char* protocol) {
  own_host = host;
  own_hosts = hosts;
  std::strncpy(own_protocol, protocol, sizeof own_protocol - 1);
}

void set_own_phase(const char* phase) {
  own_phase = phase;
}

void report_own_fault(int signal, const siginfo_t* info, const void* context) {
  if (reported.exchange(true)) return;
  RawText text;
  text << "mpisim: internal error: ";
  if (own_hosts > 1)
    text << "host process " << own_host << " of " << own_hosts;
  else
    text << "the simulator";
  text << " got ";
  append_cause(text, signal, *info);
  const auto thread = static_cast<std::int64_t>(syscall(SYS_gettid));
  text << ", in " << (thread == getpid() ? "its main thread" : "a helper thread") << ", while "
       << own_phase.load();
  if (own_protocol[0] != '\0') text << ", protocol " << static_cast<const char*>(own_protocol);
  text << ". Unless the program has damaged memory that is not its own, please report it with the command "
          "line and these lines:\n";
  text.flush(STDERR_FILENO);
  Walk walk;
  _Unwind_Backtrace(visit, &walk);
  if (walk.frames == 0) write_frame(walk, interrupted_at(context), true);  // a jump to nowhere
}

}  // namespace mpisim::runtime
