#include <catch2/catch.hpp>

#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("docs/extending.md shows the code that is tested here") {
  const std::string guide = text_of(std::string(PROJECT_FOLDER) + "/docs/extending.md");
  for (const char* name : {"drum.cpp", "lcfs.cpp", "victim.cpp", "skewed.cpp", "even_odd.cpp"}) {
    INFO(name);
    const std::string code = text_of(std::string(PROJECT_FOLDER) + "/examples/extending/" + name);
    REQUIRE_FALSE(code.empty());
    CHECK(guide.find(code) != std::string::npos);
  }
}
