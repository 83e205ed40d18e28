#include "network_models/registry.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace mpisim::network;

TEST_CASE("models are found by name, names and parameters are unique") {
  std::set<std::string> names;
  for (const ModelInfo& info : models()) {
    CHECK(names.insert(info.name).second);
    CHECK(find_model(info.name) == &info);
    CHECK_FALSE(info.summary.empty());
    std::set<std::string> parameters;
    for (const Parameter& parameter : info.parameters) {
      CHECK(parameters.insert(parameter.name).second);
      CHECK_FALSE(parameter.meaning.empty());
    }
  }
  CHECK(find_model("carrier-pigeon") == nullptr);
}

TEST_CASE("bandwidths are described in words") {
  using mpisim::kernel::ByteTime;
  CHECK(describe_bandwidth(ByteTime()) == "infinite");
  CHECK(describe_bandwidth(ByteTime::from_bandwidth(85e6)) == "85 MB/s");
  CHECK(describe_bandwidth(ByteTime::from_bandwidth(12.5e9)) == "12.5 GB/s");
}
