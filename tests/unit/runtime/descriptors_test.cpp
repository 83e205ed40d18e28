// Numbers of descriptors of several ranks.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <string>

#include "runtime/libc/descriptor_table.hpp"
#include "tests/unit/runtime/fake_rank.hpp"

using namespace mpisim::runtime;

WRAPPED(open);
WRAPPED(close);
WRAPPED(read);
WRAPPED(write);
WRAPPED(dup);
WRAPPED(dup2);
WRAPPED(fcntl);
WRAPPED(fstat);
WRAPPED(pipe);
WRAPPED(socketpair);
WRAPPED(send);
WRAPPED(poll);
WRAPPED(mmap);
WRAPPED(fopen);
WRAPPED(fileno);
WRAPPED(ftruncate);
WRAPPED(_exit);

namespace {

std::size_t open_in_process() {
  std::size_t count = 0;
  for (int descriptor = 0; descriptor < 1024; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) >= 0) ++count;
  return count;
}

}  // namespace

TEST_CASE("Each rank has the lowest free numbers", "[runtime]") {
  FakeRank one(1), two(2);
  for (FakeRank* rank : {&one, &two}) CHECK((*rank)([] { return __wrap_open("/dev/null", O_RDWR); }) == 3);
  one([] {
    CHECK(__wrap_dup(3) == 4);
    CHECK(__wrap_fcntl(3, F_DUPFD, 10) == 10);
    CHECK(__wrap_dup(3) == 5);
    CHECK(__wrap_close(4) == 0);
    CHECK(__wrap_open("/dev/null", O_RDWR) == 4);
    CHECK(__wrap_close(0) == 0);
    CHECK(__wrap_dup(1) == 0);  // also of a standard stream
    __wrap_write(0, "text", 4);
    CHECK(__wrap_dup2(3, 1 << 21) == -1);
  });
  CHECK(one.services.out == "text");
}

TEST_CASE("A rank that closes everything harms nobody", "[runtime]") {
  FakeRank one(1), two(2);
  const std::size_t before = open_in_process();
  one([] { __wrap_open("/dev/null", O_RDWR); });
  const std::size_t opened = open_in_process();
  CHECK(opened == before + 1);
  two([] {
    for (int descriptor = 0; descriptor < 1024; ++descriptor)
      CHECK(__wrap_close(descriptor) == (descriptor <= 2 ? 0 : -1));
    errno = 0;
    CHECK(__wrap_write(3, "x", 1) == -1);
    CHECK(errno == EBADF);
    CHECK(__wrap_ftruncate(3, 0) == -1);
    struct stat about{};
    CHECK(__wrap_fstat(1, &about) == -1);
    CHECK(__wrap_mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, 5, 0) == MAP_FAILED);
  });
  CHECK(open_in_process() == opened);
  CHECK(one([] { return __wrap_write(3, "x", 1); }) == 1);
}

TEST_CASE("A rank's descriptors are closed when it ends", "[runtime]") {
  const std::size_t before = open_in_process();
  {
    FakeRank rank;
    rank([] {
      int ends[2];
      __wrap_pipe(ends);
      __wrap_fopen("/dev/null", "r");
    });
    CHECK(open_in_process() == before + 3);
    CHECK(rank.status_of([] { __wrap__exit(3); }) == 3);
    CHECK(open_in_process() == before);
  }
  {
    FakeRank rank;
    rank([] { __wrap_fopen("/dev/null", "r"); });
  }
  CHECK(open_in_process() == before);
}

TEST_CASE("A rank that opens nothing has no table", "[runtime]") {
  FakeRank rank;
  rank([] {
    __wrap_write(1, "text", 4);
    __wrap_close(17);
  });
  CHECK(rank.environment.existing_libc() == nullptr);
}

TEST_CASE("poll knows the rank's numbers", "[runtime]") {
  FakeRank rank;
  rank([] {
    int ends[2];
    REQUIRE(__wrap_socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    pollfd polled[] = {
        {ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}, {99, POLLIN, 0}, {1, POLLOUT, 0}, {-1, POLLIN, 0}};
    CHECK(__wrap_poll(polled, 5, 0) == 3);
    CHECK(polled[0].revents == 0);
    CHECK(polled[1].revents == POLLOUT);
    CHECK(polled[2].revents == POLLNVAL);
    CHECK(polled[3].revents == POLLOUT);
    CHECK(__wrap_send(ends[1], "x", 1, 0) == 1);
    CHECK(__wrap_poll(polled, 1, -1) == 1);
  });
}

TEST_CASE("A stream's number is one of the rank", "[runtime]") {
  FakeRank rank;
  rank([] {
    FILE* const file = __wrap_fopen("/dev/null", "r");
    CHECK(__wrap_fileno(file) == 3);
    CHECK(__wrap_open("/dev/null", O_RDONLY) == 4);
    fclose(file);
    CHECK(__wrap_open("/dev/null", O_RDONLY) == 3);
  });
}

namespace {

// Another rank that answers when it may.
struct Answering : FakeServices {
  bool let_others_go_on() override {
    ++asked;
    if (asked == 3) [[maybe_unused]]
      const auto written = ::write(end, "answer", 6);
    return true;
  }
  int asked = 0;
  int end = -1;
};

}  // namespace

TEST_CASE("Others go on while a rank waits for data", "[runtime]") {
  Answering services;
  RankEnvironment environment(services, 0);
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  services.end = ends[1];
  set_current_environment(&environment);
  const int number = give_number(ends[0]);
  char text[16] = "";
  const ssize_t size = __wrap_read(number, text, sizeof text);
  set_current_environment(nullptr);
  CHECK(size == 6);
  CHECK(std::string(text) == "answer");
  CHECK(services.asked == 3);
  ::close(ends[1]);
}
