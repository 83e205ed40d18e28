#include <stdio.h>
#include <unistd.h>
#include <wchar.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "tests/unit/runtime/fake_rank.hpp"

using namespace mpisim::runtime;

WRAPPED(printf);
WRAPPED(puts);
WRAPPED(putchar);
WRAPPED(fflush);
WRAPPED(perror);
WRAPPED(wprintf);
WRAPPED(getchar);
WRAPPED(fopen);
WRAPPED(freopen);
WRAPPED(fileno);
WRAPPED(fdopen);
WRAPPED(write);
WRAPPED(dprintf);
WRAPPED(isatty);
WRAPPED(dup);
WRAPPED(dup2);
WRAPPED(close);
extern "C" FILE** mpisim_libc_stdout(void);
extern "C" FILE** mpisim_libc_stderr(void);
extern "C" FILE** mpisim_libc_stdin(void);

namespace {

struct TemporaryFile {
  TemporaryFile() {
    const int descriptor = mkstemp(path);
    REQUIRE(descriptor >= 0);
    ::close(descriptor);
  }
  ~TemporaryFile() { unlink(path); }
  std::string text() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  char path[32] = "/tmp/mpisim-test-XXXXXX";
};

}  // namespace

TEST_CASE("Outputs of ranks do not mix, and appear line by line", "[runtime]") {
  FakeRank a(0), b(1);
  a([] { __wrap_printf("a%d", 1); });
  b([] { __wrap_printf("b%d\nb2", 1); });
  CHECK(a.services.out.empty());
  CHECK(b.services.out == "b1\n");
  a([] {
    __wrap_puts("a2");
    __wrap_putchar('x');
  });
  CHECK(a.services.out == "a1a2\n");
  a.environment.flush_output();
  CHECK(a.services.out == "a1a2\nx");
  b([] { __wrap_fflush(nullptr); });
  CHECK(b.services.out == "b1\nb2");
}

TEST_CASE("stderr is unbuffered, also for pieces of a line", "[runtime]") {
  FakeRank rank;
  rank([] {
    fprintf(*mpisim_libc_stderr(), "now");
    errno = ENOENT;
    __wrap_perror("file");
  });
  CHECK(rank.services.err == "nowfile: No such file or directory\n");
}

TEST_CASE("A rank's stdout takes setvbuf, fwrite and wide text", "[runtime]") {
  FakeRank rank;
  rank([] {
    setvbuf(*mpisim_libc_stdout(), nullptr, _IONBF, 0);
    fwrite("ab", 1, 2, *mpisim_libc_stdout());
  });
  CHECK(rank.services.out == "ab");
  rank([] { CHECK(__wrap_wprintf(L"w%d\n", 5) == 3); });
  CHECK(rank.services.out == "abw5\n");
}

TEST_CASE("Output that was not flushed is dropped with a rank that was not ended by exit", "[runtime]") {
  {
    FakeRank rank;
    rank([] { __wrap_printf("lost"); });
  }
  FakeRank next;  // takes over the stream
  next([] { __wrap_puts("kept"); });
  CHECK(next.services.out == "kept\n");
}

TEST_CASE("Only rank 0 has a standard input", "[runtime]") {
  FakeRank rank(3);
  rank([] {
    CHECK(__wrap_getchar() == EOF);
    char line[8];
    CHECK(fgets(line, sizeof line, *mpisim_libc_stdin()) == nullptr);
  });
}

TEST_CASE("Standard streams keep their numbers and are no terminals", "[runtime]") {
  FakeRank rank;
  rank([] {
    CHECK(__wrap_fileno(*mpisim_libc_stdin()) == 0);
    CHECK(__wrap_fileno(*mpisim_libc_stdout()) == 1);
    CHECK(__wrap_fileno(*mpisim_libc_stderr()) == 2);
    CHECK(__wrap_isatty(1) == 0);
    CHECK(__wrap_write(1, "w", 1) == 1);
    CHECK(__wrap_dprintf(2, "%d", 42) == 2);
  });
  CHECK(rank.services.out == "w");
  CHECK(rank.services.err == "42");
}

TEST_CASE("Files are read and written through the rank's streams, which costs access per buffer",
          "[runtime]") {
  TemporaryFile file;
  FakeRank rank;
  rank([&] {
    FILE* const out = __wrap_fopen(file.path, "w");
    REQUIRE(out != nullptr);
    for (int i = 0; i < 1000; ++i) fprintf(out, "%03d\n", i);
    CHECK(ftell(out) == 4000);
    CHECK(__wrap_fileno(out) > 2);
    fclose(out);
    FILE* const in = __wrap_fopen(file.path, "r+");
    REQUIRE(in != nullptr);
    int value = 0;
    REQUIRE(fseek(in, 400, SEEK_SET) == 0);
    CHECK(fscanf(in, "%d", &value) == 1);
    CHECK(value == 100);
    REQUIRE(fseek(in, 0, SEEK_END) == 0);
    fputs("end\n", in);
    rewind(in);
    char line[8];
    CHECK(fgets(line, sizeof line, in) == line);
    CHECK(std::string(line) == "000\n");
    fclose(in);
  });
  CHECK(file.text().size() == 4004);
  std::uint64_t written = 0;
  for (const FileUse& use : rank.services.uses)
    if (use.kind == FileUse::Kind::write) written += use.bytes;
  CHECK(written == 4004);
  CHECK(rank.services.uses.size() < 20);
  CHECK(rank([] { return __wrap_fopen("/nonexistent/file", "r"); }) == nullptr);
  CHECK(rank([&] { return __wrap_fopen(file.path, "z"); }) == nullptr);
}

TEST_CASE("Files that a rank leaves open are flushed at exit", "[runtime]") {
  TemporaryFile file;
  FakeRank rank;
  const int status = rank.status_of([&] {
    fputs("kept", __wrap_fopen(file.path, "a"));
    __wrap_printf("out");
    current_environment()->exit(3);
  });
  CHECK(status == 3);
  CHECK(file.text() == "kept");
  CHECK(rank.services.out == "out");
}

TEST_CASE("freopen moves a standard stream to a file and keeps the FILE", "[runtime]") {
  TemporaryFile file;
  FakeRank rank;
  rank([&] {
    __wrap_printf("before ");
    FILE* const before = *mpisim_libc_stdout();
    CHECK(__wrap_freopen(file.path, "w", before) == before);
    __wrap_printf("inside %d\n", 1);
    __wrap_fflush(nullptr);
    CHECK(file.text() == "inside 1\n");
    FILE* const in = __wrap_freopen(file.path, "r", *mpisim_libc_stdin());
    char line[32];
    REQUIRE(in != nullptr);
    CHECK(fgets(line, sizeof line, in) == line);
    CHECK(std::string(line) == "inside 1\n");
    // The direction may change, too.
    FILE* const back = __wrap_freopen(file.path, "r", *mpisim_libc_stdout());
    REQUIRE(back != nullptr);
    CHECK(fgets(line, sizeof line, back) == line);
  });
  CHECK(rank.services.out == "before ");
}

TEST_CASE("dup and dup2 redirect a rank's output for a while", "[runtime]") {
  TemporaryFile file;
  FakeRank rank, other(1);
  rank([&] {
    __wrap_printf("one ");
    const int saved = __wrap_dup(1);
    REQUIRE(saved > 2);
    FILE* const target = __wrap_fopen(file.path, "w");
    REQUIRE(__wrap_dup2(__wrap_fileno(target), 1) == 1);
    fclose(target);
    __wrap_puts("two");
    REQUIRE(__wrap_dup2(saved, 1) == 1);
    CHECK(__wrap_close(saved) == 0);
    __wrap_puts("three");
  });
  other([] { __wrap_puts("other"); });
  CHECK(rank.services.out == "one three\n");
  CHECK(other.services.out == "other\n");
  CHECK(file.text() == "two\n");
}

TEST_CASE("Closing a standard descriptor closes it for the rank alone", "[runtime]") {
  FakeRank a(0), b(1);
  a([] {
    CHECK(__wrap_close(1) == 0);
    CHECK(__wrap_write(1, "x", 1) == -1);
    CHECK(errno == EBADF);
    CHECK(fclose(*mpisim_libc_stderr()) == 0);
  });
  b([] { CHECK(__wrap_write(1, "y", 1) == 1); });
  CHECK(a.services.out.empty());
  CHECK(b.services.out == "y");
  a.environment.flush_output();
}

TEST_CASE("Outside of ranks the C library's own streams are used", "[runtime]") {
  CHECK(*mpisim_libc_stdout() == stdout);
  CHECK(__wrap_fileno(stderr) == 2);
}
