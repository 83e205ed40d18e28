// What the simulation is told of a program's own files.
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

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
WRAPPED(access);
WRAPPED(rename);
WRAPPED(mkdir);
WRAPPED(mkdirat);
WRAPPED(unlink);
WRAPPED(unlinkat);
WRAPPED(rmdir);
WRAPPED(opendir);
WRAPPED(readdir);
WRAPPED(closedir);
WRAPPED(scandir);
WRAPPED(glob);
WRAPPED(ftw);
extern "C" int __wrap_stat(const char* path, struct stat* result);
extern "C" int __wrap_fstat(int descriptor, struct stat* result);

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

using Named = FakeServices::Named;

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

TEST_CASE("Calls about names tell them, whatever comes of them", "[runtime]") {
  const Place place;
  const std::string path = place.path, other = path + ".other", directory = path + ".d";
  FakeRank rank;
  rank([&] {
    struct stat about{};
    CHECK(__wrap_stat(path.c_str(), &about) == 0);
    CHECK(__wrap_access("/nonexistent/file", R_OK) == -1);
    CHECK(errno == ENOENT);
    CHECK(__wrap_open("/nonexistent/file", O_RDONLY) == -1);
    CHECK(errno == ENOENT);
    CHECK(__wrap_rename(path.c_str(), other.c_str()) == 0);
    CHECK(__wrap_mkdir(directory.c_str(), 0700) == 0);
    const int place_of_it = __wrap_open(directory.c_str(), O_RDONLY | O_DIRECTORY);
    CHECK(__wrap_mkdirat(place_of_it, "sub", 0700) == 0);
    CHECK(__wrap_unlinkat(place_of_it, "sub", AT_REMOVEDIR) == 0);
    CHECK(__wrap_fstat(place_of_it, &about) == 0);
    __wrap_close(place_of_it);
    CHECK(__wrap_rmdir(directory.c_str()) == 0);
    CHECK(__wrap_rename(other.c_str(), path.c_str()) == 0);
    CHECK(__wrap_unlink(path.c_str()) == 0);
  });
  const std::vector<Named> expected{{Kind::look_up, path},
                                    {Kind::look_up, "/nonexistent/file"},
                                    {Kind::look_up, "/nonexistent/file"},
                                    {Kind::rename, path, other},
                                    {Kind::make, directory},
                                    {Kind::open, ""},
                                    {Kind::make, directory + "/sub"},
                                    {Kind::remove, directory + "/sub"},
                                    {Kind::inquire, ""},
                                    {Kind::close, ""},
                                    {Kind::remove, directory},
                                    {Kind::rename, other, path},
                                    {Kind::remove, path}};
  CHECK(rank.services.named == expected);
  CHECK(rank.services.open_file_uses == 0);
}

TEST_CASE("A directory is asked for its entries in batches", "[runtime]") {
  const Place place;
  const std::string directory = std::string(place.path) + ".d";
  constexpr int files = 1500;  // of 272 bytes: 408,000 bytes are 13 batches of 32 KiB
  const std::string padding(240, 'x');
  ::mkdir(directory.c_str(), 0700);
  const auto name = [&](int i) { return directory + "/" + std::to_string(1000 + i) + padding; };
  for (int i = 0; i < files; ++i) ::close(::open(name(i).c_str(), O_CREAT | O_WRONLY, 0600));
  FakeRank rank;
  rank([&] {
    DIR* const open = __wrap_opendir(directory.c_str());
    int entries = 0;
    while (__wrap_readdir(open) != nullptr) ++entries;
    CHECK(entries == files + 2);
    CHECK(__wrap_closedir(open) == 0);
  });
  const auto& uses = rank.services.uses;
  CHECK(uses.size() == 1 + 13);
  CHECK(uses.front().kind == Kind::look_up);
  CHECK(uses.back().kind == Kind::inquire);
  for (int i = 0; i < files; ++i) ::unlink(name(i).c_str());
  ::rmdir(directory.c_str());
}

namespace {

int visited = 0;

int visit(const char* path, const struct stat*, int) {
  ++visited;
  struct stat about{};
  return __wrap_stat(path, &about);  // a use of the program's own, in between
}

}  // namespace

TEST_CASE("Calls that list directories themselves tell what they ask", "[runtime]") {
  const Place place;
  const std::string directory = std::string(place.path) + ".d";
  ::mkdir(directory.c_str(), 0700);
  for (const char* name : {"/a", "/b", "/c"})
    ::close(::open((directory + name).c_str(), O_CREAT | O_WRONLY, 0600));
  FakeRank rank;
  auto& named = rank.services.named;
  rank([&] {
    dirent** list = nullptr;
    const int entries = __wrap_scandir(directory.c_str(), &list, nullptr, nullptr);
    CHECK(entries == 5);
    for (int i = 0; i < entries; ++i) free(list[i]);
    free(list);
    CHECK(named.size() == 2);  // opened, and listed
    named.clear();
    glob_t found{};
    CHECK(__wrap_glob((directory + "/*").c_str(), 0, nullptr, &found) == 0);
    CHECK(found.gl_pathc == 3);
    globfree(&found);
    CHECK(named.size() == 2 + 3);
    named.clear();
    CHECK(__wrap_ftw(directory.c_str(), visit, 4) == 0);
  });
  CHECK(visited == 4);
  CHECK(named.size() == 4 + 4);
  for (const auto& use : named) CHECK(use.kind == Kind::look_up);
  CHECK(rank.services.open_file_uses == 0);
  for (const char* name : {"/a", "/b", "/c"}) ::unlink((directory + name).c_str());
  ::rmdir(directory.c_str());
}

TEST_CASE("Calls that fail are no uses, and keep their errno", "[runtime]") {
  FakeRank rank;
  const int error = rank([] {
    errno = 0;
    struct stat about{};
    __wrap_fstat(12345, &about);
    const int stat_error = errno;
    char data[4];
    errno = 0;
    __wrap_read(12345, data, 4);
    return stat_error == EBADF && errno == EBADF ? 0 : errno;
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
