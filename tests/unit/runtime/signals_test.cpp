#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/unit/runtime/fake_rank.hpp"

using namespace mpisim::runtime;

WRAPPED(signal);
WRAPPED(sigaction);
WRAPPED(raise);
extern "C" int __wrap_kill(int process, int signal);
WRAPPED(sigprocmask);
WRAPPED(alarm);

namespace {
int last_signal = 0;
int calls = 0;
void remember(int signal) {
  last_signal = signal;
  ++calls;
}
void other(int) {
  last_signal = -1;
}
}  // namespace

TEST_CASE("Handlers belong to the rank that set them", "[runtime]") {
  FakeRank a(0), b(1);
  CHECK(a([] { return __wrap_signal(SIGUSR1, remember); }) == SIG_DFL);
  CHECK(b([] { return __wrap_signal(SIGUSR1, other); }) == SIG_DFL);
  a([] { __wrap_raise(SIGUSR1); });
  CHECK(last_signal == SIGUSR1);
  b([] { __wrap_kill(10001, SIGUSR1); });
  CHECK(last_signal == -1);
  CHECK(a([] { return __wrap_signal(SIGUSR1, SIG_IGN); }) == remember);
  CHECK(a([] { return __wrap_raise(SIGUSR1); }) == 0);
  CHECK(a([] { return __wrap_signal(0, remember); }) == SIG_ERR);
}

TEST_CASE("Blocked signals wait, and one-shot handlers are reset", "[runtime]") {
  FakeRank rank;
  calls = 0;
  rank([] {
    struct sigaction action{};
    action.sa_handler = remember;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    CHECK(__wrap_sigaction(SIGUSR2, &action, nullptr) == 0);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CHECK(__wrap_sigprocmask(SIG_BLOCK, &set, nullptr) == 0);
    __wrap_raise(SIGUSR2);
    CHECK(calls == 0);
    CHECK(__wrap_sigprocmask(SIG_UNBLOCK, &set, nullptr) == 0);
    CHECK(calls == 1);
    struct sigaction now{};
    CHECK(__wrap_sigaction(SIGUSR2, nullptr, &now) == 0);
    CHECK(now.sa_handler == SIG_DFL);
  });
}

TEST_CASE("Timers warn once that nothing will be delivered", "[runtime]") {
  FakeRank rank;
  rank([] {
    __wrap_alarm(3);
    __wrap_alarm(4);
  });
  CHECK_THAT(rank.services.err, Catch::Contains("warning: rank 0: alarm"));
  CHECK(rank.services.err.find("alarm") == rank.services.err.rfind("alarm"));
}

TEST_CASE("Signals to other processes are refused", "[runtime]") {
  FakeRank rank(2);
  CHECK(rank.status_of([] { __wrap_kill(1, SIGTERM); }) == 2);
  CHECK_THAT(rank.services.err, Catch::Contains("rank 2: kill"));
}
