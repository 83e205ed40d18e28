// getopt against the C library's own, on many command lines, and per rank.
#include <getopt.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/unit/runtime/fake_rank.hpp"

using namespace mpisim::runtime;

WRAPPED(getopt);
WRAPPED(getopt_long);
WRAPPED(getopt_long_only);
extern "C" char** mpisim_libc_optarg(void);
extern "C" int* mpisim_libc_optind(void);
extern "C" int* mpisim_libc_opterr(void);
extern "C" int* mpisim_libc_optopt(void);

namespace {

using Words = std::vector<std::string>;

// What a scan of a command line shows, as text.
template <class Scan>
std::string trace(const Words& words, Scan scan, char*& argument, int& index, int& option_letter) {
  std::vector<char*> argv;
  Words copy = words;
  for (std::string& word : copy) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int argc = static_cast<int>(words.size());
  std::string text;
  for (int i = 0; i < 50; ++i) {
    int long_index = -1;
    const int result = scan(argc, argv.data(), &long_index);
    text += std::to_string(result) + "[" + (argument ? argument : "-") + "," + std::to_string(index) + "," +
            std::to_string(result == '?' || result == ':' ? option_letter : 0) + "," +
            std::to_string(long_index) + "] ";
    if (result == -1) break;
  }
  for (int i = 0; i < argc; ++i) text += std::string(argv[static_cast<std::size_t>(i)]) + " ";
  return text;
}

const option long_options[] = {{"verbose", no_argument, nullptr, 'v'},
                               {"version", no_argument, nullptr, 'V'},
                               {"size", required_argument, nullptr, 1000},
                               {"color", optional_argument, nullptr, 'c'},
                               {nullptr, 0, nullptr, 0}};

const std::vector<Words> command_lines = {
    {"p"},
    {"p", "-x", "12", "-y", "rest"},
    {"p", "-x12", "-y", "rest"},
    {"p", "one", "-y", "two", "-x", "3", "three"},
    {"p", "one", "two", "-yx", "3", "--", "-y", "four"},
    {"p", "-q", "-y"},
    {"p", "-x"},
    {"p", "-", "-y", "-"},
    {"p", "--", "-y"},
    {"p", "-zopt", "-z", "opt"},
    {"p", "--verbose", "a", "--size=3", "--size", "4", "b"},
    {"p", "--verb", "--ver", "--siz", "9"},
    {"p", "--unknown", "--verbose=3", "--size"},
    {"p", "--color", "--color=red", "-y"},
    {"p", "-verbose", "-size", "7", "-y", "-color=blue", "end"},
    {"p", "a", "b", "-y", "c", "--", "d", "-y"},
    {"p", "-yyx", "v", "w", "-y"},
};

const std::vector<std::string> letters = {"x:yz::", ":x:yz::", "+x:yz::", "-x:yz::"};

}  // namespace

TEST_CASE("getopt does what the C library's does", "[runtime]") {
  for (const std::string& set : letters)
    for (const Words& words : command_lines)
      for (const int kind : {0, 1, 2}) {
        optind = 0;
        opterr = 0;
        optopt = '?';
        const std::string expected = trace(
            words,
            [&](int argc, char** argv, int* index) {
              return kind == 0   ? getopt(argc, argv, set.c_str())
                     : kind == 1 ? getopt_long(argc, argv, set.c_str(), long_options, index)
                                 : getopt_long_only(argc, argv, set.c_str(), long_options, index);
            },
            optarg, optind, optopt);
        FakeRank rank;
        const std::string seen = rank([&] {
          *mpisim_libc_opterr() = 0;
          return trace(
              words,
              [&](int argc, char** argv, int* index) {
                return kind == 0   ? __wrap_getopt(argc, argv, set.c_str())
                       : kind == 1 ? __wrap_getopt_long(argc, argv, set.c_str(), long_options, index)
                                   : __wrap_getopt_long_only(argc, argv, set.c_str(), long_options, index);
              },
              *mpisim_libc_optarg(), *mpisim_libc_optind(), *mpisim_libc_optopt());
        });
        std::string line = set + " kind " + std::to_string(kind);
        for (const std::string& word : words) line += " " + word;
        INFO(line);
        CHECK(seen == expected);
      }
}

TEST_CASE("Each rank scans its own command line", "[runtime]") {
  FakeRank ranks[2] = {FakeRank(0), FakeRank(1)};
  Words words = {"p", "-x", "12", "-y", "rest"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  for (const int expected : {int{'x'}, int{'y'}, -1})
    for (FakeRank& rank : ranks)
      CHECK(rank([&] { return __wrap_getopt(5, argv.data(), "x:y"); }) == expected);
  for (FakeRank& rank : ranks) CHECK(rank([] { return *mpisim_libc_optind(); }) == 4);
}

TEST_CASE("Errors of getopt go to the rank's stderr", "[runtime]") {
  FakeRank rank;
  char name[] = "prog", bad[] = "-q";
  char* argv[] = {name, bad, nullptr};
  rank([&] { CHECK(__wrap_getopt(2, argv, "x") == '?'); });
  CHECK(rank.services.err == "prog: invalid option -- 'q'\n");
}
