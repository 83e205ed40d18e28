#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/unit/runtime/fake_rank.hpp"

using namespace mpisim::runtime;

WRAPPED(chdir);
WRAPPED(getcwd);
WRAPPED(open);
WRAPPED(close);
WRAPPED(mkdir);
WRAPPED(rename);
WRAPPED(access);
WRAPPED(umask);
WRAPPED(mkstemp);
WRAPPED(realpath);
extern "C" int __wrap_stat(const char* path, struct stat* result);

TEST_CASE("Each rank has its own working directory", "[runtime]") {
  char pattern[] = "/tmp/mpisim-test-XXXXXX";
  const std::string root = std::filesystem::canonical(mkdtemp(pattern));
  const std::string before = std::filesystem::current_path();
  FakeRank a(0), b(1);
  a([&] {
    CHECK(__wrap_chdir(root.c_str()) == 0);
    CHECK(__wrap_mkdir("sub", 0777) == 0);
    CHECK(__wrap_chdir("sub") == 0);
    const int file = __wrap_open("data", O_CREAT | O_WRONLY, 0600);
    CHECK(file >= 0);
    __wrap_close(file);
    CHECK(__wrap_rename("data", "../moved") == 0);
    CHECK(__wrap_access("../moved", R_OK) == 0);
    char path[PATH_MAX];
    CHECK(__wrap_getcwd(path, sizeof path) == path);
    CHECK(path == root + "/sub");
    CHECK(__wrap_getcwd(path, 3) == nullptr);
    CHECK(__wrap_realpath("../moved", path) == path);
    CHECK(path == root + "/moved");
    char name[] = "temp-XXXXXX";
    const int temporary = __wrap_mkstemp(name);
    CHECK(temporary >= 0);
    close(temporary);
    CHECK(std::filesystem::exists(root + "/sub/" + name));
    CHECK(__wrap_chdir("missing") == -1);
    CHECK(__wrap_chdir("../moved") == -1);
    CHECK(errno == ENOTDIR);
    CHECK(resolve_path("x") == root + "/sub/x");
    CHECK(resolve_path("/x") == "/x");
  });
  b([&] {
    char path[PATH_MAX];
    CHECK(__wrap_getcwd(path, sizeof path) == before);
    CHECK(__wrap_access("moved", R_OK) == -1);
    CHECK(resolve_path("x") == "x");
  });
  CHECK(std::filesystem::exists(root + "/moved"));
  CHECK(std::filesystem::current_path() == before);
  std::filesystem::remove_all(root);
}

TEST_CASE("Each rank has its own file creation mask", "[runtime]") {
  char pattern[] = "/tmp/mpisim-test-XXXXXX";
  REQUIRE(mkdtemp(pattern) != nullptr);
  const std::string root = pattern;
  const mode_t real = umask(022);
  FakeRank a(0), b(1);
  a([] {
    CHECK(__wrap_umask(077) == 022);
    CHECK(__wrap_umask(077) == 077);
  });
  const auto mode_of_new = [&](FakeRank& rank, const char* name) {
    return rank([&] {
      const std::string path = root + "/" + name;
      __wrap_close(__wrap_open(path.c_str(), O_CREAT | O_WRONLY, 0666));
      struct stat status;
      CHECK(__wrap_stat(path.c_str(), &status) == 0);
      return status.st_mode & 0777;
    });
  };
  CHECK(mode_of_new(a, "a") == 0600);
  CHECK(mode_of_new(b, "b") == 0644);
  umask(real);
  std::filesystem::remove_all(root);
}
