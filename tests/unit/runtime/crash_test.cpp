// Crashes happen in a child process; what the report says comes back through a pipe.
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include <pthread.h>

#include "runtime/crash_report.hpp"
#include "runtime/own_fault.hpp"
#include "runtime/raw_symbols.hpp"
#include "runtime/source_location.hpp"
#include "tests/unit/runtime/fake_rank.hpp"

using namespace mpisim::runtime;

extern "C" void __wrap_abort(void);
WRAPPED(raise);
WRAPPED(signal);

namespace {

int report_pipe = -1;

void send_report(const Crash& crash) {
  const std::string text = "signal " + std::to_string(crash.signal) +
                           (crash.stack_overflow ? " overflow\n" : "\n") + crash.backtrace;
  [[maybe_unused]] const auto written = write(report_pipe, text.data(), text.size());
  _exit(4);
}

struct Outcome {
  std::string text;
  int status = 0;
};

Outcome crash_of(void (*code)(), std::function<bool(const void*)> is_in_guard = {}, bool in_rank = true,
                 std::function<bool()> rank_runs = {}) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    report_pipe = ends[1];
    dup2(ends[1], 2);
    struct sigaction none{};
    for (int signal = 1; signal < 32; ++signal)
      sigaction(signal, &none, nullptr);  // the test framework's handlers
    install_crash_handlers(std::move(is_in_guard), send_report, std::move(rank_runs));
    FakeRank rank(2);
    if (in_rank)
      rank(code);
    else
      code();
    _exit(0);
  }
  close(ends[1]);
  Outcome outcome;
  char buffer[4096];
  ssize_t size = 0;
  while ((size = read(ends[0], buffer, sizeof buffer)) > 0)
    outcome.text.append(buffer, static_cast<std::size_t>(size));
  close(ends[0]);
  waitpid(child, &outcome.status, 0);
  return outcome;
}

[[gnu::noinline]] void write_to_eight() {
  *reinterpret_cast<volatile int*>(8) = 1;
}
constexpr int line_of_fault = __LINE__ - 2;

[[gnu::noinline]] void caller_of_fault() {
  write_to_eight();
  asm volatile("");
}

[[gnu::noinline]] int recurse(int depth) {
  volatile char frame[2048];
  frame[depth & 1023] = 1;
  return depth == 0 ? 0 : recurse(depth - 1) + frame[depth & 1023];
}

sigjmp_buf resume;

}  // namespace

TEST_CASE("A fault is reported with the lines that led to it", "[runtime]") {
  const Outcome outcome = crash_of(caller_of_fault);
  INFO(outcome.text);
  CHECK(WEXITSTATUS(outcome.status) == 4);
  CHECK_THAT(outcome.text, Catch::StartsWith("signal 11\n#0 write_to_eight at "));
  CHECK_THAT(outcome.text, Catch::Contains("crash_test.cpp:" + std::to_string(line_of_fault) + "\n"));
  CHECK_THAT(outcome.text, Catch::Contains("#1 caller_of_fault at "));
}

TEST_CASE("Stack overflow is told from other faults", "[runtime]") {
  const Outcome outcome = crash_of([] { recurse(1 << 28); }, [](const void*) { return true; });
  INFO(outcome.text);
  CHECK_THAT(outcome.text, Catch::StartsWith("signal 11 overflow\n#0 "));
  CHECK_THAT(outcome.text, Catch::Contains("recurse") && Catch::EndsWith("... and more callers\n"));
  CHECK_THAT(crash_of(caller_of_fault, [](const void*) { return false; }).text,
             Catch::StartsWith("signal 11\n"));
}

// The fault is what is tested, so the sanitizer must let it happen.
__attribute__((no_sanitize("undefined"))) static void divide_by_zero() {
  volatile int zero = 0;
  volatile int quotient = 7 / zero;  // NOLINT(clang-analyzer-core.DivideZero)
  (void)quotient;
}

TEST_CASE("abort and fatal signals that a rank raises are crashes", "[runtime]") {
  CHECK_THAT(crash_of(__wrap_abort).text, Catch::StartsWith("signal 6\n"));
  CHECK_THAT(crash_of([] { abort(); }).text, Catch::StartsWith("signal 6\n"));
  CHECK_THAT(crash_of([] { __wrap_raise(SIGTERM); }).text, Catch::StartsWith("signal 15\n"));
  const Outcome division = crash_of(divide_by_zero);
  CHECK_THAT(division.text, Catch::StartsWith("signal 8\n"));
}

TEST_CASE("A rank's own handler may take the fault and leave by a jump", "[runtime]") {
  const Outcome outcome = crash_of([] {
    __wrap_signal(SIGSEGV, [](int) { siglongjmp(resume, 1); });
    static int round;
    for (round = 0; round < 2; ++round)
      if (sigsetjmp(resume, 1) == 0) caller_of_fault();
    _exit(7);
  });
  INFO(outcome.text);
  CHECK(WEXITSTATUS(outcome.status) == 7);
}

TEST_CASE("A fault of the simulator is no crash of the target", "[runtime]") {
  const Outcome outcome = crash_of(
      [] {
        set_own_identity(2, 3, "quantum");
        set_own_phase("testing");
        caller_of_fault();
      },
      {}, false);
  INFO(outcome.text);
  CHECK(WIFSIGNALED(outcome.status));
  CHECK(WTERMSIG(outcome.status) == SIGSEGV);
  CHECK_THAT(outcome.text,
             Catch::StartsWith("mpisim: internal error: host process 2 of 3 got signal 11 (SIGSEGV), code 1 "
                               "(SEGV_MAPERR: nothing is mapped there), address 0x8, in its main thread, "
                               "while testing, protocol quantum."));
  const auto innermost = outcome.text.find("write_to_eight");
  CHECK(innermost != std::string::npos);
  CHECK(outcome.text.find("#0 ") < innermost);
  CHECK(innermost < outcome.text.find("caller_of_fault"));
  CHECK(outcome.text.find("#1 ") < outcome.text.find("caller_of_fault"));
}

TEST_CASE("A fault between two ranks is the simulator's, not the last rank's", "[runtime]") {
  const Outcome outcome = crash_of(caller_of_fault, {}, true, [] { return false; });
  INFO(outcome.text);
  CHECK(WIFSIGNALED(outcome.status));
  CHECK_THAT(outcome.text, Catch::StartsWith("mpisim: internal error: the simulator got signal 11"));
  CHECK_THAT(crash_of(caller_of_fault, {}, true, [] { return true; }).text,
             Catch::StartsWith("signal 11\n#0 write_to_eight"));
}

TEST_CASE("A fault of a library's thread is reported, too, also a jump to nowhere", "[runtime]") {
  const Outcome outcome = crash_of([] {
    pthread_t thread{};
    const auto jump = [](void*) -> void* {
      void (*volatile nowhere)() = nullptr;
      nowhere();
      return nullptr;
    };
    pthread_create(&thread, nullptr, jump, nullptr);
    pthread_join(thread, nullptr);
  });
  INFO(outcome.text);
  CHECK(WIFSIGNALED(outcome.status));
  CHECK_THAT(outcome.text, Catch::Contains("in a helper thread, while "));
  CHECK_THAT(outcome.text, Catch::Contains("#0 0x0 \n"));
}

TEST_CASE("A fatal signal that was sent names its sender", "[runtime]") {
  const Outcome outcome = crash_of([] { kill(getpid(), SIGSEGV); }, {}, false);
  CHECK_THAT(outcome.text, Catch::Contains("signal 11 (SIGSEGV) sent by process ") &&
                               Catch::Contains(" (itself), in its main thread"));
}

TEST_CASE("Text of a report is cut off where its memory ends", "[runtime]") {
  RawText text;
  for (int i = 0; i < 300; ++i) text << std::int64_t{-12345};
  CHECK(std::string(text.data(), 12) == "-12345-12345");
  CHECK(text.size() == 1024);
}

TEST_CASE("A call's place is found from its return address", "[runtime]") {
  const auto here = []() __attribute__((noinline)) { return describe(__builtin_return_address(0)); };
  const std::string place = here();
  CHECK_THAT(place, Catch::EndsWith("crash_test.cpp:" + std::to_string(__LINE__ - 1)));
  CHECK(describe(reinterpret_cast<const void*>(16)) == "?");
}
