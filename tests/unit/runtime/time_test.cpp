#include <poll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/unit/runtime/fake_rank.hpp"

using namespace mpisim::runtime;
using namespace mpisim::kernel::literals;

WRAPPED(time);
WRAPPED(gettimeofday);
WRAPPED(clock_gettime);
WRAPPED(clock_nanosleep);
WRAPPED(clock);
WRAPPED(times);
extern "C" int __wrap_getrusage(int who, rusage* result);
WRAPPED(sleep);
WRAPPED(usleep);
WRAPPED(nanosleep);
WRAPPED(select);
WRAPPED(poll);
WRAPPED(sched_yield);
WRAPPED(ctime);
WRAPPED(gmtime);
WRAPPED(localtime);
WRAPPED(gethostname);
WRAPPED(getpid);
WRAPPED(uname);
WRAPPED(sysconf);

TEST_CASE("All clocks show simulated time from the epoch", "[runtime]") {
  FakeRank rank;
  rank.services.now = 12'345'678'901'000_ps;
  set_epoch(1'000'000'000);
  rank([&] {
    const mpisim::kernel::SimTime start = rank.services.now;
    timeval day;
    __wrap_gettimeofday(&day, nullptr);
    CHECK(day.tv_sec == 1'000'000'012);
    CHECK(day.tv_usec == 345678);
    timespec now;
    CHECK(__wrap_clock_gettime(CLOCK_REALTIME, &now) == 0);
    CHECK(now.tv_sec == 1'000'000'012);
    CHECK(__wrap_clock_gettime(CLOCK_MONOTONIC, &now) == 0);
    CHECK(now.tv_sec == 12);
    CHECK(now.tv_nsec == 345678904);
    CHECK(__wrap_clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0);
    CHECK(now.tv_sec == 12);
    CHECK(__wrap_clock_gettime(99, &now) == -1);
    time_t seconds = 0;
    CHECK(__wrap_time(&seconds) == 1'000'000'012);
    CHECK(seconds == 1'000'000'012);
    CHECK(__wrap_clock() == 12'345'678);
    tms ticks;
    CHECK(__wrap_times(&ticks) == 1234);
    rusage usage;
    CHECK(__wrap_getrusage(RUSAGE_SELF, &usage) == 0);
    CHECK(usage.ru_utime.tv_sec == 12);
    CHECK(rank.services.now > start);  // reading costs
  });
  set_epoch(946684800);
  CHECK(std::string(rank([] {
          const time_t start = 946684800;
          return asctime(__wrap_gmtime(&start));
        })) == "Sat Jan  1 00:00:00 2000\n");
}

TEST_CASE("Sleeping advances simulated time", "[runtime]") {
  FakeRank rank;
  const auto takes = [&](auto code) {
    const mpisim::kernel::SimTime before = rank.services.now;
    rank(code);
    return rank.services.now - before;
  };
  CHECK(takes([] { CHECK(__wrap_sleep(1000) == 0); }) == 1000_s);
  CHECK(takes([] { __wrap_usleep(500000); }) == 500_ms);
  CHECK(takes([] {
          const timespec duration{1, 5};
          timespec rest{7, 7};
          CHECK(__wrap_nanosleep(&duration, &rest) == 0);
          CHECK(rest.tv_sec == 0);
        }) == 1'000'000'005_ns);
  CHECK(takes([] {
          const timespec wrong{0, 2'000'000'000};
          CHECK(__wrap_nanosleep(&wrong, nullptr) == -1);
        }) == 0_ps);
  CHECK(takes([] {
          timeval wait{0, 2000};
          CHECK(__wrap_select(0, nullptr, nullptr, nullptr, &wait) == 0);
        }) == 2_ms);
  CHECK(takes([] { CHECK(__wrap_poll(nullptr, 0, 3) == 0); }) == 3_ms);
  CHECK(takes([] { __wrap_sched_yield(); }) > 0_ps);
  rank([&] {
    timespec goal{3000, 0};
    CHECK(__wrap_clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &goal, nullptr) == 0);
    CHECK(rank.services.now == 3000_s);
  });
}

TEST_CASE("Time buffers are per rank", "[runtime]") {
  FakeRank a(0), b(1);
  const time_t early = 0, late = 1'000'000'000;
  const tm* const first = a([&] { return __wrap_gmtime(&early); });
  b([&] { __wrap_gmtime(&late); });
  CHECK(first->tm_year == 70);
}

TEST_CASE("Names and numbers are those of the simulated machine", "[runtime]") {
  FakeRank rank(5);
  rank([] {
    char name[32];
    CHECK(__wrap_gethostname(name, sizeof name) == 0);
    CHECK(std::string(name) == "node5");
    CHECK(__wrap_gethostname(name, 3) == -1);
    utsname names;
    CHECK(__wrap_uname(&names) == 0);
    CHECK(std::string(names.nodename) == "node5");
    CHECK(__wrap_getpid() == 10005);
    CHECK(__wrap_sysconf(_SC_NPROCESSORS_ONLN) == 1);
  });
  CHECK(__wrap_getpid() == getpid());
}
