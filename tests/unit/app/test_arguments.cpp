#include <catch2/catch.hpp>
#include <set>

#include "app/arguments.hpp"
#include "app/suggestions.hpp"

using namespace mpisim::app;

namespace {

Arguments parsed(const char* command, std::vector<std::string> words) {
  return Arguments(*find_command(command), words);
}

}  // namespace

TEST_CASE("options in every spelling") {
  const auto arguments =
      parsed("run", {"-n4", "--machine=sp2", "--set", "a=1", "--set=b=2", "-q", "./x.sim", "-n", "--set"});
  CHECK(arguments.value("ranks") == "4");
  CHECK(arguments.value("machine") == "sp2");
  CHECK(arguments.values("set") == std::vector<std::string>{"a=1", "b=2"});
  CHECK(arguments.has("quiet"));
  CHECK_FALSE(arguments.has("per-rank"));
  CHECK(arguments.operands() == std::vector<std::string>{"./x.sim", "-n", "--set"});
  CHECK(arguments.value_or("partition", "block") == "block");
}

TEST_CASE("two dashes end the options") {
  const auto arguments = parsed("run", {"-n", "1", "-m", "sp2", "--", "-strange.sim", "-x"});
  CHECK(arguments.operands() == std::vector<std::string>{"-strange.sim", "-x"});
}

TEST_CASE("commands without a program take options behind operands") {
  const auto arguments = parsed("machine show", {"sp2", "--set", "a=1"});
  CHECK(arguments.operands() == std::vector<std::string>{"sp2"});
  CHECK(arguments.values("set").size() == 1);
}

TEST_CASE("help asks for nothing else") {
  CHECK(parsed("run", {"--help"}).has("help"));
  CHECK_THROWS_AS(parsed("run", {}), UsageError);
}

TEST_CASE("whole numbers") {
  CHECK(whole_number("64", "-n", 1, 100) == 64);
  for (const char* bad : {"", "0", "101", "1x", " 1", "+1", "-1", "1e3", "18446744073709551616"})
    CHECK_THROWS_AS(whole_number(bad, "-n", 1, 100), UsageError);
}

TEST_CASE("suggestions are near or absent") {
  const std::vector<std::string> words{"protocol", "partition", "profile"};
  CHECK(nearest("protocl", words) == "protocol");
  CHECK(nearest("part", words) == "partition");
  CHECK(nearest("xyzzy", words).empty());
  CHECK(did_you_mean("profil", words, "--") == "; did you mean '--profile'?");
  CHECK(did_you_mean("xyzzy", words).empty());
}

TEST_CASE("the table of commands is sound") {
  std::set<std::string> commands_seen;
  for (const Command& command : commands()) {
    INFO(command.name);
    CHECK(commands_seen.insert(command.name).second);
    CHECK_FALSE(command.summary.empty());
    std::set<std::string> names{"help", "version"};
    std::set<char> letters{'h'};
    for (const Option& option : command.options) {
      INFO(option.name);
      CHECK(names.insert(option.name).second);
      if (option.letter != 0) CHECK(letters.insert(option.letter).second);
      CHECK_FALSE(option.doc.empty());
      CHECK(option.doc.back() == '.');
    }
  }
}
