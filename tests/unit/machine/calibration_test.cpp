#include "machine/calibration.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/machine/files.hpp"

using namespace mpisim;
using namespace mpisim::machine;

TEST_CASE("a derived score is operations over their price") {
  mpi::CostTable one_ns;
  one_ns.picoseconds.assign(MPISIM_COST_CLASSES, 1000);
  CHECK(derived_score(one_ns) == Approx(1e9));
  mpi::CostTable only_memory;
  only_memory.picoseconds.assign(MPISIM_COST_CLASSES, 0);
  only_memory.picoseconds[MPISIM_COST_MEMORY] = 3000;
  CHECK(derived_score(only_memory) == Approx(15 / 15e-9));  // 15 operations, 5 of them memory
}

TEST_CASE("the kernel's work is proportional to its sweeps") {
  CHECK(calibration_kernel(3) == calibration_kernel(3));
  CHECK(calibration_kernel(1000) != calibration_kernel(2000));
}

TEST_CASE("the host is measured once and remembered") {
  const Folder folder;
  const auto file = folder.path() / "cache/calibration.json";
  CHECK_FALSE(known_calibration(file));
  const Calibration first = calibrate_host(false, file);
  CHECK_FALSE(first.from_cache);
  CHECK(first.operations_per_second > 1e6);
  CHECK_FALSE(first.processor.empty());
  const Calibration second = calibrate_host(false, file);
  CHECK(second.from_cache);
  CHECK(second.operations_per_second == first.operations_per_second);
  CHECK_FALSE(calibrate_host(true, file).from_cache);
  REQUIRE(known_calibration(file));
  CHECK(known_calibration(file)->operations_per_second > 1e6);
}

TEST_CASE("a cache that is damaged or out of reach is no error") {
  const Folder folder;
  const auto file = folder.write("calibration.json", "{\"format\": 2, \"processors\": [");
  CHECK_FALSE(calibrate_host(false, file).from_cache);
  CHECK(calibrate_host(false, file).from_cache);
  CHECK(calibrate_host(false, "/proc/nowhere/calibration.json").operations_per_second > 0);
}
