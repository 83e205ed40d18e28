// Named processors: which one a file gets, what goes before it, and that the classes are what their names
// say.
#include "machine/processor_class.hpp"

#include <catch2/catch.hpp>

#include "machine/calibration.hpp"
#include "machine/show.hpp"
#include "tests/unit/machine/files.hpp"

using Catch::Contains;
using namespace mpisim;
using namespace mpisim::machine;

namespace {

double price(const Description& machine, int which) {
  return machine.cost_table().picoseconds[static_cast<std::size_t>(which)];
}

}  // namespace

TEST_CASE("a file without a class gets a processor of today, or an old one for an old clock") {
  CHECK(load_text(minimal).processor_class() == "out-of-order-2020");
  CHECK(load_text(minimal).clock_hz() == Approx(3e9));
  CHECK(load_text(minimal, {"processor.clock=2 GHz"}).processor_class() == "out-of-order-2020");
  CHECK(load_text(minimal, {"processor.clock=1.01 GHz"}).processor_class() == "out-of-order-2020");
  CHECK(load_text(minimal, {"processor.clock=1 GHz"}).processor_class() == "in-order-1995");
  CHECK(load_text(minimal, {"processor.clock=50 MHz"}).processor_class() == "in-order-1995");
  const Description old = load_text(minimal, {"processor.clock=50 MHz"});
  CHECK(price(old, MPISIM_COST_INT) == Approx(20e3));
  CHECK(price(old, MPISIM_COST_MATH) == Approx(50 * 20e3));
  CHECK(price(load_text(minimal, {"processor.clock=2 GHz"}), MPISIM_COST_MEMORY) == Approx(0.2 * 500));
}

TEST_CASE("prices of the file go before those of the class") {
  const Description machine = load_text(
      minimal +
      "processor: {class: out-of-order-2010, clock: 2 GHz, cost: {fp_div: 7 cycles, int: 0.9 ns}}\n");
  CHECK(machine.own_prices() == 2);
  CHECK(price(machine, MPISIM_COST_FP_DIV) == Approx(3500));
  CHECK(price(machine, MPISIM_COST_INT) == Approx(900));
  CHECK(price(machine, MPISIM_COST_FP_ADD) == Approx(500));
  CHECK(load_text(minimal).own_prices() == 0);
  CHECK_THAT(show(machine), Contains("class out-of-order-2010") && Contains("fp_div: 7 cycles"));
}

TEST_CASE("another class drops the prices of the former processor, in another file and on the command line") {
  const Folder folder;
  folder.write("below.yaml",
               minimal + "processor: {clock: 50 MHz, score: 10 Mop/s, cost: {int: 9 cycles}}\n");
  const auto above =
      folder.write("above.yaml",
                   "schema_version: 1\ninclude: below.yaml\nprocessor: {class: out-of-order-2015, "
                   "clock: 2 GHz, cost: {branch: 1 cycle}}\n");
  const Description included = load(above);
  CHECK(price(included, MPISIM_COST_INT) == Approx(0.25 * 500));
  CHECK(price(included, MPISIM_COST_BRANCH) == Approx(500));
  CHECK(included.score() > 1e8);
  const Description set = load(folder.path() / "below.yaml",
                               {{"processor.cost.call=5 ns", "processor.class=out-of-order-2020"}, {}});
  CHECK(price(set, MPISIM_COST_INT) == Approx(0.2 * 20e3));
  CHECK(price(set, MPISIM_COST_CALL) == Approx(5e3));
  CHECK(set.clock_hz() == Approx(50e6));
  CHECK(config("paragon", {"processor.class=out-of-order-2020"}).own_prices() == 0);
}

TEST_CASE("an unknown class is told with those that there are") {
  const std::string found = faults(minimal + "processor: {class: out-of-order-2021}\n");
  CHECK_THAT(found, Contains("machine.yaml:4:20: processor.class") &&
                        Contains("in-order-1995, out-of-order-2000") && Contains("nearest: out-of-order-20"));
  CHECK_THAT(faults(minimal + "processor: {clock: fast}\n"), Contains("processor.clock"));
  CHECK_THAT(faults(minimal + "processor: fast\n"), Contains("processor must be a section"));
  CHECK_THAT(faults(minimal + "processor: {cost: cheap}\n"), Contains("processor.cost must be a section"));
  CHECK_THAT(faults(minimal + "processor: {class: [out-of-order-2020]}\n"), Contains("processor.class"));
}

TEST_CASE("each class is faster per cycle than those before it") {
  const std::vector<ProcessorClass>& classes = processor_classes();
  for (std::size_t i = 1; i < classes.size(); ++i) {
    CAPTURE(classes[i].name);
    const auto at_1_ghz = [](const ProcessorClass& each) {
      return load_text(minimal, {std::string("processor.class=") + each.name, "processor.clock=1 GHz"})
          .score();
    };
    CHECK(at_1_ghz(classes[i]) > at_1_ghz(classes[i - 1]));
    CHECK(load_text(minimal, {std::string("processor.class=") + classes[i].name}).clock_hz() >= 1e9);
  }
}

// The kernel's iteration hangs on an integer multiplication and addition, 3 + 1 cycles on all x86 processors
// since 2008.
TEST_CASE("a processor of today does an iteration of the calibration kernel in 4 cycles") {
  const Description machine = load_text(minimal, {"processor.class=out-of-order-2020"});
  CHECK(15 * machine.clock_hz() / machine.score() == Approx(4).epsilon(0.05));
}

TEST_CASE("modern machine files name their class, historic ones have their own prices") {
  for (const char* name : {"cluster", "cluster-lustre", "cluster-burst-buffer"}) {
    CHECK(config(name).processor_class() == "out-of-order-2015");
    CHECK(config(name).own_prices() == 0);
  }
  for (const char* name : {"paragon", "sp2", "transputer", "ideal"})
    CHECK(config(name).own_prices() == MPISIM_COST_CLASSES);
}
