#include <catch2/catch.hpp>

#include "app/completion.hpp"
#include "app/help.hpp"
#include "app/manual_page.hpp"

using namespace mpisim::app;

TEST_CASE("lines are broken between words") {
  CHECK(wrapped("one two three", 2, 9) == "  one two\n  three\n");
  CHECK(wrapped("`code` here", 0) == "code here\n");
  CHECK(wrapped("averyveryverylongword x", 2, 9) == "  averyveryverylongword\n  x\n");
}

TEST_CASE("usage shows what is required") {
  CHECK(usage(*find_command("run")) == "mpisim run -n RANKS -m MACHINE [OPTIONS] PROGRAM [ARGS...]");
  CHECK(usage(*find_command("machine list")) == "mpisim machine list [OPTIONS]");
}

TEST_CASE("manual pages keep hyphens and dots") {
  const std::string page = manual_page(find_command("run"));
  CHECK_THAT(page, Catch::StartsWith(".TH MPISIM\\-RUN 1"));
  CHECK_THAT(page, Catch::Contains("\\-\\-deterministic \\fISWITCH\\fR"));
  CHECK_THAT(page, Catch::Contains(".SH EXIT STATUS"));
  CHECK(manual_page_name(find_command("machine show")) == "mpisim-machine-show.1");
  CHECK(manual_page_name(nullptr) == "mpisim.1");
}

TEST_CASE("completion knows every option that is there") {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell);
    for (const Command& command : commands())
      for (const Option& option : command.options) {
        INFO(shell << " " << option.name);
        const bool fish = std::string(shell) == "fish";
        CHECK((script.find((fish ? " -l " : "--") + option.name + (fish ? " " : "")) != std::string::npos) ==
              option.available);
      }
  }
}
