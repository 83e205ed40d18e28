#include "machine/processor_class.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mpisim::machine {

namespace {

/// The keys of `processor.cost`, by mpisim_cost_class.
constexpr std::array<const char*, MPISIM_COST_CLASSES> price_names{"int",    "int_mul", "int_div", "fp_add",
                                                                   "fp_mul", "fp_div",  "memory",  "branch",
                                                                   "call",   "math",    "library", "byte"};

// Sources.
//   in-order-1995      One instruction per cycle, operations wait for the ones before them: MIPS R4000 user's
//   manual
//                      (Heinrich, 1993), PowerPC 603 user's manual (1994); Hennessy, Patterson: Computer
//                      Architecture, 2nd ed. 1996, chapters 3 and 5 (a hit and a share of misses for a load).
//                      Calls, functions of libraries and copies are assumed.
//   out-of-order-2000  Three instructions per cycle, one load and one store, one floating addition and
//   multiplication
//                      every other cycle: Fog, Instruction tables, Pentium III and AMD K7; Kessler, The Alpha
//                      21264 microprocessor, IEEE Micro 19(2) 1999.
//   out-of-order-2010  Four instructions per cycle, two loads or a load and a store, one floating addition
//   and one
//                      multiplication: Fog, Instruction tables, Nehalem and Sandy Bridge (divsd 10 to 22
//                      cycles).
//   out-of-order-2015  Four instructions per cycle, two loads and a store, two floating units: Fog,
//   Instruction tables,
//                      Haswell to Skylake; scalar loops, between throughput and latency (add 4 latency, 0.5
//                      throughput; divsd 4 to 8).
//   out-of-order-2020  Five integer units, three loads and two stores, two floating units for additions and
//   two for
//                      multiplications, two branches a cycle: Intel 64 and IA-32 Architectures Optimization
//                      Reference Manual (248966), Golden Cove; Fog, Instruction tables, Zen 3, Ice Lake
//                      (divsd 4, div r32 6). Compilers make vectors of two doubles of most loops over arrays
//                      (x86-64 without options has SSE2), so floating operations take half a slot, loads and
//                      stores between a slot and a half of one, and loops are unrolled, by four at most: two
//                      branches a cycle halve to 0.25.
// Functions of the C library are assumed: latencies of sqrt, exp and sin of the time's libraries. Beside
// measured programs: docs/models.md, Sequential code.
const std::vector<ProcessorClass> classes{
    {"in-order-1995",
     "one instruction per cycle, as the RISC processors of the early nineties",
     "100 MHz",
     {1, 3, 20, 2, 2, 16, 2, 1, 10, 50, 100, 0.25}},
    {"out-of-order-2000",
     "three instructions per cycle, as Pentium III, Athlon, Alpha 21264",
     "1 GHz",
     {0.5, 4, 30, 1, 1, 18, 1, 1, 8, 50, 80, 0.25}},
    {"out-of-order-2010",
     "four instructions per cycle, as Nehalem and Sandy Bridge",
     "2.7 GHz",
     {0.33, 1, 20, 1, 1, 14, 0.5, 0.5, 6, 30, 60, 0.125}},
    {"out-of-order-2015",
     "two floating units, two loads and a store per cycle, as Haswell to Skylake",
     "2.5 GHz",
     {0.25, 1, 10, 0.5, 0.5, 5, 0.33, 0.5, 5, 20, 50, 0.1}},
    {"out-of-order-2020",
     "six instructions per cycle with short vectors, as Zen 3 and Golden Cove",
     "3 GHz",
     {0.2, 1, 6, 0.25, 0.25, 4, 0.2, 0.25, 2, 15, 30, 0.03125}}};

Node scalar(std::string text, const Origin& origin) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.origin = origin;
  node.text = std::move(text);
  return node;
}

/// The map at a key, made where there is none yet; null if something else is there.
Node* map_at(Node& section, const char* key) {
  Node* found = section.find(key);
  if (found == nullptr) {
    section.entries.push_back({key, {}, {}});
    found = &section.entries.back().value;
  }
  if (found->kind == Node::Kind::empty) found->kind = Node::Kind::map;
  return found->kind == Node::Kind::map ? found : nullptr;
}

void add_absent(Node& section, const char* key, std::string text, const Origin& origin) {
  if (section.find(key) == nullptr) section.entries.push_back({key, origin, scalar(std::move(text), origin)});
}

/// 0 for what is no frequency; check() tells of it.
double clock_of(const Node& processor) {
  const Node* clock = processor.find("clock");
  if (clock == nullptr) return 0;
  try {
    return parse_frequency(clock->text);
  } catch (const BadQuantity&) {
    return 0;
  }
}

const char* default_class(const Node& processor) {
  const double clock = clock_of(processor);
  return clock > 0 && clock <= last_in_order_hz ? classes.front().name : classes.back().name;
}

}  // namespace

const std::vector<ProcessorClass>& processor_classes() {
  return classes;
}

std::vector<std::string> processor_class_names() {
  std::vector<std::string> names;
  for (const ProcessorClass& each : classes) names.emplace_back(each.name);
  return names;
}

const ProcessorClass* find_processor_class(std::string_view name) {
  const auto found = std::ranges::find(classes, name, &ProcessorClass::name);
  return found == classes.end() ? nullptr : &*found;
}

void fill_processor(Node& tree) {
  if (tree.kind != Node::Kind::map) return;
  Node* processor = map_at(tree, "processor");
  if (processor == nullptr) return;
  add_absent(*processor, "class", default_class(*processor), {});
  const ProcessorClass* chosen = find_processor_class(processor->find("class")->text);
  if (chosen == nullptr) return;
  const Origin origin{std::string("class ") + chosen->name, 0, 0};
  add_absent(*processor, "clock", chosen->clock, origin);
  Node* prices = map_at(*processor, "cost");
  if (prices == nullptr) return;
  for (std::size_t i = 0; i < price_names.size(); ++i)
    add_absent(*prices, price_names[i], fmt::format("{} cycles", chosen->cycles[i]), origin);
}

}  // namespace mpisim::machine
