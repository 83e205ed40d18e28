#include "disk_models/registry.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace mpisim::disk;

TEST_CASE("disk models are found by name, names and parameters are unique") {
  std::set<std::string> names;
  for (const Module& module : models()) {
    CHECK(names.insert(module.name).second);
    CHECK(models().find(module.name) == &module);
    CHECK_FALSE(module.summary.empty());
    std::set<std::string> parameters;
    for (const Parameter& parameter : module.parameters) {
      CHECK(parameters.insert(parameter.name).second);
      CHECK_FALSE(parameter.meaning.empty());
    }
  }
  CHECK(models().find("punched-cards") == nullptr);
}

TEST_CASE("a second module of a name is refused") {
  mpisim::kernel::ModuleTable<Module> table({analytic_model()});
  CHECK_THROWS_WITH(table.add(analytic_model()), "two modules of one kind have the name analytic");
  table.add(simple_model());
  CHECK(table.find("simple") != nullptr);
}
