// What the simulation is told of a program's own files.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>

#include "tests/unit/runtime/fake_rank.hpp"

using namespace mpisim::runtime;
using Kind = FileUse::Kind;

WRAPPED(open);
WRAPPED(pipe);
WRAPPED(close);
WRAPPED(read);
WRAPPED(write);
WRAPPED(pread);
WRAPPED(pwrite);
WRAPPED(lseek);
WRAPPED(fopen);
WRAPPED(dup2);
WRAPPED(printf);

namespace {

struct Place {
  Place() {
    const int descriptor = mkstemp(path);
    REQUIRE(descriptor >= 0);
    ::close(descriptor);
  }
  ~Place() { unlink(path); }
  char path[32] = "/tmp/mpisim-use-XXXXXX";
};

bool is(const FileUse& use, Kind kind, std::uint64_t offset = 0, std::uint64_t bytes = 0) {
  return use.kind == kind && use.offset == offset && use.bytes == bytes;
}

}  // namespace

TEST_CASE("Each access tells where it was and how long", "[runtime]") {
  const Place place;
  FakeRank rank;
  rank([&] {
    const int file = __wrap_open(place.path, O_RDWR);
    char data[100] = {};
    __wrap_write(file, data, 100);
    __wrap_write(file, data, 20);
    __wrap_lseek(file, 50, SEEK_SET);
    __wrap_read(file, data, 100);
    __wrap_pwrite(file, data, 7, 1000);
    __wrap_pread(file, data, 100, 1001);
    __wrap_close(file);
  });
  const auto& uses = rank.services.uses;
  REQUIRE(uses.size() == 7);
  CHECK(is(uses[0], Kind::open));
  CHECK(is(uses[1], Kind::write, 0, 100));
  CHECK(is(uses[2], Kind::write, 100, 20));
  CHECK(is(uses[3], Kind::read, 50, 70));  // what there was
  CHECK(is(uses[4], Kind::write, 1000, 7));
  CHECK(is(uses[5], Kind::read, 1001, 6));
  CHECK(is(uses[6], Kind::close));
  CHECK(rank.services.open_file_uses == 0);
}

TEST_CASE("Calls that fail are no uses, and keep their errno", "[runtime]") {
  FakeRank rank;
  const int error = rank([] {
    errno = 0;
    __wrap_open("/nonexistent/file", O_RDONLY);
    const int open_error = errno;
    char data[4];
    errno = 0;
    __wrap_read(12345, data, 4);
    return open_error == ENOENT && errno == EBADF ? 0 : errno;
  });
  CHECK(error == 0);
  CHECK(rank.services.uses.empty());
  CHECK(rank.services.open_file_uses == 0);
}

TEST_CASE("Pipes are no files, standard output only where it goes to one", "[runtime]") {
  const Place place;
  FakeRank rank;
  rank([&] {
    int ends[2];
    REQUIRE(__wrap_pipe(ends) == 0);
    __wrap_write(ends[1], "text", 4);
    char data[4];
    __wrap_read(ends[0], data, 4);
    __wrap_close(ends[0]);
    __wrap_close(ends[1]);
    __wrap_printf("to the simulation's output");
  });
  rank.environment.flush_output();
  for (const FileUse& use : rank.services.uses) CHECK(use.kind == Kind::close);
  rank.services.uses.clear();
  rank([&] {
    const int file = __wrap_open(place.path, O_WRONLY);
    __wrap_dup2(file, 1);
    __wrap_write(1, "text", 4);
    __wrap_printf("left in the buffer");
  });
  REQUIRE(rank.services.uses.size() == 2);
  CHECK(is(rank.services.uses[1], Kind::write, 0, 4));
  rank.environment.flush_output();  // before a diagnosis, when a rank may not block
  CHECK(rank.services.uses.size() == 2);
}

TEST_CASE("Nothing is told where files cost nothing", "[runtime]") {
  const Place place;
  FakeRank rank;
  rank.services.files_cost = false;
  rank([&] {
    FILE* const file = __wrap_fopen(place.path, "w");
    fputs("text", file);
    fclose(file);
  });
  CHECK(rank.services.uses.empty());
  CHECK(rank.services.open_file_uses == 0);
}
